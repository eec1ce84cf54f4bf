package quantize

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// TestGridError checks that a coordinate changes at most by the error of the grid.
func TestGridError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.IntRange(1, 16).Draw(t, "bits")
		around := rapid.Float32Range(-100, 100).Draw(t, "around")
		size := rapid.SampledFrom([]float32{1e-3, 1, 30, 1e6}).Draw(t, "size")
		points := rapid.SliceOfN(rapid.Float32Range(-size, size), 3, 60).Draw(t, "points")
		points = points[:len(points)/3*3]
		for i := range points {
			points[i] += around
		}
		box := Empty()
		box.Add(points)
		reach := rapid.SampledFrom([]float32{0, size, 4 * size}).Draw(t, "reach")
		g, ok := NewGrid(box, reach, bits)
		if !ok {
			t.Fatalf("no grid for %v", box)
		}
		stated := max(box.Extent()/(math.Exp2(float64(bits+1))-2), float64(reach)/65534)
		if g.Error() > stated*(1+1e-6) && box.Extent()+float64(reach) > 0 {
			t.Fatalf("an error of %g, stated is %g", g.Error(), stated)
		}
		for k := range 3 {
			// The slack is needed because the extent itself is rounded to 53 bits.
			if float64(g.Min[k])+float64(g.Step)*float64(g.Top) < float64(box.Max[k])-1e-15*box.Extent() {
				t.Fatalf("axis %d: the grid ends before the box", k)
			}
		}
		slack := 2e-7 * (math.Abs(float64(around)) + float64(size)) // error of a float32 sum
		for i, x := range points {
			n := g.Position(x, i%3)
			if n > g.Top {
				t.Fatalf("%g became %d of %d", x, n, g.Top)
			}
			if off := math.Abs(float64(g.At(n, i%3)) - float64(x)); off > g.Error()+slack {
				t.Fatalf("%g is off by %g, more than %g", x, off, g.Error())
			}
		}
		d := rapid.Float32Range(-reach, reach).Draw(t, "difference")
		if off := math.Abs(float64(g.Delta(d))*float64(g.Step) - float64(d)); off > g.Error()*(1+1e-6) {
			t.Fatalf("a difference of %g is off by %g", d, off)
		}
	})
}

func TestGridLimits(t *testing.T) {
	box := func(x float32) Box { return Box{Max: [3]float32{x, 0, 0}} }
	for _, tc := range []struct {
		box  Box
		ok   bool
		step float32
	}{
		{box(0), true, 1},
		{box(65535), true, 1},
		{box(1e-40), false, 0},
		{box(1e-24), true, 1e-24 / 65535},
		{Empty(), false, 0},
		{Box{Min: [3]float32{-3e38, 0, 0}, Max: [3]float32{3e38, 0, 0}}, false, 0},
	} {
		g, ok := NewGrid(tc.box, 0, 16)
		if ok != tc.ok || ok && math.Abs(float64(g.Step/tc.step)-1) > 1e-6 {
			t.Errorf("%v: %v, %v", tc.box, g, ok)
		}
	}
}

func TestFractions(t *testing.T) {
	for _, tc := range []struct {
		x        float32
		bits     int
		signed   int16
		unsigned uint16
	}{
		{0, 8, 0, 0}, {1, 8, 127, 255}, {-1, 8, -127, 0}, {2, 16, 32767, 65535}, {-3, 16, -32767, 0},
		{0.5, 8, 64, 128}, {0.5, 16, 16384, 32768}, {-0.5, 8, -63, 0}, {0.25, 16, 8192, 16384},
	} {
		if s, u := Signed(tc.x, tc.bits), Unsigned(tc.x, tc.bits); s != tc.signed || u != tc.unsigned {
			t.Errorf("%g in %d bits: %d and %d, want %d and %d", tc.x, tc.bits, s, u, tc.signed, tc.unsigned)
		}
	}
	to := make([]int16, 3)
	if Direction([]float32{0, 30, 40}, 8, to); to[0] != 0 || to[1] != 76 || to[2] != 102 {
		t.Errorf("direction %v", to)
	}
	if Direction([]float32{0, 0, 0}, 16, to); to[0] != 0 || to[1] != 0 || to[2] != 0 {
		t.Errorf("no direction became %v", to)
	}
}

// TestWeights checks that the sum of the weights is exactly one. Each weight must be off by less
// than a step, and equal weights may differ by one step.
func TestWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.SampledFrom([]int{8, 16}).Draw(t, "bits")
		weights := rapid.SliceOfN(rapid.SampledFrom([]float32{0, 0, 1, 0.5, 1. / 3, 1e-7, 0.1, 1e30}), 1, 12).Draw(t, "weights")
		sum := 0.
		for _, w := range weights {
			sum += float64(w)
		}
		to := make([]uint16, len(weights))
		ok := Weights(weights, bits, to)
		if ok != (sum >= 1e-3) {
			t.Fatalf("%v: %v", weights, ok)
		}
		if !ok {
			return
		}
		top := math.Exp2(float64(bits)) - 1
		total := 0
		for i, n := range to {
			total += int(n)
			if off := float64(n) - float64(weights[i])/sum*top; math.Abs(off) > 1+1e-6 {
				t.Fatalf("%v: %v: weight %d is off by %g steps", weights, to, i, off)
			}
			if weights[i] == 0 && n != 0 {
				t.Fatalf("%v: %v: nothing became something", weights, to)
			}
		}
		if total != int(top) {
			t.Fatalf("%v: %v: the sum is %d of %g", weights, to, total, top)
		}
	})
	to := make([]uint16, 2)
	for _, bad := range [][]float32{{-0.1, 1.1}, {0, 0}, {float32(math.NaN()), 1}, {float32(math.Inf(1)), 1}} {
		if Weights(bad, 8, to) {
			t.Errorf("%v became %v", bad, to)
		}
	}
	if Weights([]float32{1, 1}, 8, to); to[0] != 128 || to[1] != 127 {
		t.Errorf("two halves are %v", to)
	}
}

func TestStepsAreNearestMultiples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		exponent := rapid.IntRange(-16, 0).Draw(t, "exponent")
		values := rapid.SliceOfN(rapid.Float32Range(-60, 60), 2, 40).Draw(t, "values")
		values = values[:len(values)/2*2]
		rounded, err := Steps(t.Context(), gltf.FloatArray(values, 2), exponent)
		if err != nil {
			t.Fatal(err)
		}
		step := math.Ldexp(1, exponent)
		for i, x := range rounded.Floats() {
			if math.Mod(float64(x), step) != 0 || math.Abs(float64(x)-float64(values[i])) > step/2 {
				t.Fatalf("%g became %g with steps of %g", values[i], x, step)
			}
		}
	})
}
