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

// Floats outside an image's range become valid numbers.
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
