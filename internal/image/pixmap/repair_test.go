package pixmap

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
