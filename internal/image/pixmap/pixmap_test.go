package pixmap

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/assetcook/assetcook/internal/countdown"
	"github.com/google/go-cmp/cmp"
)

// of returns a map of 8 bits with the given pixels.
func of(w, h int, pix ...byte) *Map { return &Map{W: w, H: h, Pix8: pix} }

// deep converts each value of m to another depth. It converts 255 to 65535 or 1.
func deep(m *Map, d Depth) *Map {
	made := New(m.W, m.H, d)
	for i, v := range m.Pix8 {
		switch d {
		case Float:
			made.PixF[i] = float32(v) / 255
		case Bits16:
			made.Pix16[i] = 257 * uint16(v)
		default:
			made.Pix8[i] = v
		}
	}
	return made
}

// TestWorkStopsAtEveryCheck checks that every function stops when its context is canceled, and that
// it checks the context once per row.
func TestWorkStopsAtEveryCheck(t *testing.T) {
	picture := func(d Depth) *Map {
		m := New(24, 18, Bits8)
		noise(m.Pix8, false)
		return deep(m, d)
	}
	for name, work := range map[string]func(context.Context, *Map) error{
		"box": func(ctx context.Context, m *Map) error {
			_, err := Mips(ctx, m, MipOptions{})
			return err
		},
		"coverage": func(ctx context.Context, m *Map) error {
			_, err := Mips(ctx, m, MipOptions{Coverage: 0.5})
			return err
		},
		"kaiser": func(ctx context.Context, m *Map) error {
			_, err := Mips(ctx, m, MipOptions{Sampling: Sampling{Filter: Kaiser}})
			return err
		},
		"one": func(ctx context.Context, m *Map) error {
			_, err := Mips(ctx, m, MipOptions{Levels: 1})
			return err
		},
		"resize": func(ctx context.Context, m *Map) error {
			_, err := Resize(ctx, m, 9, 7, Sampling{})
			return err
		},
		"same": func(ctx context.Context, m *Map) error {
			_, err := Resize(ctx, m, 24, 18, Sampling{})
			return err
		},
		"convert": func(ctx context.Context, m *Map) error {
			_, err := Convert(ctx, m, (m.Depth()+1)%3, SRGB)
			return err
		},
		"stay": func(ctx context.Context, m *Map) error {
			_, err := Convert(ctx, m, m.Depth(), SRGB)
			return err
		},
		"flip":     func(ctx context.Context, m *Map) error { return Flip(ctx, m, true, true) },
		"multiply": func(ctx context.Context, m *Map) error { return Premultiply(ctx, m, SRGB) },
		"faces": func(ctx context.Context, m *Map) error {
			_, err := Faces(ctx, m)
			return err
		},
		"analyse": func(ctx context.Context, m *Map) error {
			_, err := Analyse(ctx, m, 4)
			return err
		},
		"assemble": func(ctx context.Context, m *Map) error {
			p := Part{m, Channel{Of: 'r'}}
			_, err := Assemble(ctx, m.W, m.H, m.Depth(), [4]Part{p, p, p, p})
			return err
		},
	} {
		for _, d := range []Depth{Bits8, Bits16, Float} {
			ctx := countdown.New(t.Context(), 1<<30)
			if err := work(ctx, picture(d)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			looks := 1<<30 - ctx.Left
			if least := 18; looks < least && name != "one" && name != "same" && name != "stay" && name != "resize" || looks == 0 {
				t.Errorf("%s: the context is checked %d times", name, looks)
			}
			for n := range looks {
				if err := work(countdown.New(t.Context(), n), picture(d)); !errors.Is(err, context.Canceled) {
					t.Fatalf("%s: cancelled at check %d of %d: error %v", name, n, looks, err)
				}
			}
		}
	}
}

func TestFlip(t *testing.T) {
	for _, tc := range []struct {
		x, y bool
		want []byte // one byte for each expected pixel
	}{
		{false, false, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{true, false, []byte{3, 2, 1, 6, 5, 4, 9, 8, 7}},
		{false, true, []byte{7, 8, 9, 4, 5, 6, 1, 2, 3}},
		{true, true, []byte{9, 8, 7, 6, 5, 4, 3, 2, 1}},
	} {
		for _, d := range []Depth{Bits8, Bits16, Float} {
			fill := func(pix []byte) *Map {
				m := New(3, 3, Bits8)
				for i, v := range pix {
					copy(m.Pix8[4*i:], []byte{v, v + 20, v + 40, v + 60})
				}
				return deep(m, d)
			}
			m := fill([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9})
			if err := Flip(t.Context(), m, tc.x, tc.y); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(fill(tc.want), m); d != "" {
				t.Errorf("x %v, y %v: %s", tc.x, tc.y, d)
			}
		}
	}
}

func TestFlipOfTwoRows(t *testing.T) {
	m := of(1, 2, 1, 2, 3, 4, 5, 6, 7, 8)
	if err := Flip(t.Context(), m, false, true); err != nil || !cmp.Equal(m.Pix8, []byte{5, 6, 7, 8, 1, 2, 3, 4}) {
		t.Errorf("pixels %v, error %v", m.Pix8, err)
	}
}

func TestConvert(t *testing.T) {
	m := New(16, 16, Bits8)
	for i := range m.Pix8 {
		m.Pix8[i] = byte(i / 4)
	}
	convert := func(m *Map, d Depth, c Color) *Map {
		got, err := Convert(t.Context(), m, d, c)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for _, c := range []Color{SRGB, Linear, Data} {
		wide := convert(m, Bits16, c)
		if d := cmp.Diff(deep(m, Bits16), wide); d != "" {
			t.Errorf("color %d: 8 to 16 bits: %s", c, d)
		}
		if d := cmp.Diff(m, convert(wide, Bits8, c)); d != "" {
			t.Errorf("color %d: and back: %s", c, d)
		}
		for _, from := range []*Map{m, wide} {
			floats := convert(from, Float, c)
			for i, v := range floats.PixF {
				want := float64(i/4) / 255
				if c == SRGB && i%4 != 3 {
					want = reference(want)
				}
				if math.Abs(float64(v)-want) > 1e-5 {
					t.Fatalf("color %d: byte %d becomes %v, want %v", c, i/4, v, want)
				}
			}
			if d := cmp.Diff(from, convert(floats, from.Depth(), c)); d != "" {
				t.Errorf("color %d: from floats: %s", c, d)
			}
		}
	}
	if convert(m, Bits8, SRGB) != m {
		t.Error("the same depth is another map")
	}
}

func TestInvalidFloatsBecomeValid(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	m := &Map{W: 2, H: 1, PixF: []float32{nan, -1, inf, 2, 7, 1, 0.5, -inf}}
	for _, d := range []Depth{Bits8, Bits16} {
		got, err := Convert(t.Context(), m, d, Linear)
		if err != nil {
			t.Fatal(err)
		}
		want := deep(of(2, 1, 0, 0, 255, 255, 255, 255, 128, 0), d)
		if d == Bits16 {
			want.Pix16[6] = 32768
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	for _, l := range mips(t, m, MipOptions{Sampling: Sampling{Filter: Kaiser}})[1:] {
		for _, v := range l.PixF {
			if !(v >= 0 && v <= math.MaxFloat32) {
				t.Errorf("a level has %v", v)
			}
		}
	}
}

func TestHalfValue(t *testing.T) {
	for bits, want := range map[uint16]float32{0: 0, 0x3c00: 1, 0xc000: -2, 1: 0x1p-24, 0x8001: -0x1p-24, 0x3ff: 0x3ffp-24,
		0x400: 0x1p-14, 0x7bff: 65504, 0x7c00: float32(math.Inf(1)), 0xfc00: float32(math.Inf(-1))} {
		if got := HalfValue(bits); got != want {
			t.Errorf("%#x: %g, want %g", bits, got, want)
		}
	}
	if got := HalfValue(0x7e00); got == got {
		t.Errorf("no number: %g", got)
	}
}

func TestRepairs(t *testing.T) {
	var r Repairs
	var got []float32
	for _, v := range []float64{math.Inf(1), math.Inf(-1), math.NaN(), -3, 2, 0, math.MaxFloat32} {
		got = append(got, r.Light(float32(v)))
	}
	if d := cmp.Diff([]float32{65504, 0, 0, 0, 2, 0, math.MaxFloat32}, got); d != "" || r != (Repairs{2, 1, 1}) {
		t.Errorf("%+v: %s", r, d)
	}
}
