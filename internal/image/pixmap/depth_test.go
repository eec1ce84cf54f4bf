package pixmap

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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

// Floats outside a picture's range become valid numbers.
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

func TestPremultiply(t *testing.T) {
	for _, tc := range []struct {
		c    Color
		want []byte
	}{
		{Linear, []byte{100, 50, 0, 128, 0, 0, 0, 0, 1, 2, 3, 255}},
		{SRGB, []byte{147, 72, 0, 128, 0, 0, 0, 0, 1, 2, 3, 255}}, // half the light
	} {
		m := of(3, 1, 200, 100, 0, 128, 9, 8, 7, 0, 1, 2, 3, 255)
		if err := Premultiply(t.Context(), m, tc.c); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tc.want, m.Pix8); d != "" {
			t.Errorf("color %d: %s", tc.c, d)
		}
	}
	m := &Map{W: 1, H: 1, PixF: []float32{8, 4, 2, 0.5}}
	if err := Premultiply(t.Context(), m, SRGB); err != nil || !cmp.Equal(m.PixF, []float32{4, 2, 1, 0.5}) {
		t.Errorf("floats become %v, error %v", m.PixF, err)
	}
}

func TestFlip(t *testing.T) {
	for _, tc := range []struct {
		x, y bool
		want []byte // one byte for each pixel
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
	if d := cmp.Diff([]float32{65504, 0, 0, 0, 2, 0, math.MaxFloat32}, got); d != "" || r != (Repairs{2, 1, 1}) || !r.Any() {
		t.Errorf("%+v: %s", r, d)
	}
}

// Colors stay where alpha is 0, and never become infinite.
func TestStraighten(t *testing.T) {
	pix := []float32{1, 2, 3, 0, 1, 2, 3, 0.5, 1, 2, 3, 1, 1, 1, 1, 2, 1e30, 0, 0, 0x1p-140}
	want := []float32{1, 2, 3, 0, 2, 4, 6, 0.5, 1, 2, 3, 1, 1, 1, 1, 1, math.MaxFloat32, 0, 0, 0x1p-140}
	if Straighten(pix); !cmp.Equal(pix, want) {
		t.Error(cmp.Diff(want, pix))
	}
}
