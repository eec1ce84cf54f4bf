package detmath

import (
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestPowAgreesWithTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(0, 1e9).Draw(t, "x")
		if rapid.Bool().Draw(t, "small") {
			x /= 1e12
		}
		y := rapid.Float64Range(-100, 100).Draw(t, "y")
		got, want := Pow(x, y), math.Pow(x, y)
		if math.IsInf(want, 0) || want < 1e-300 || x < 1e-300 {
			return // the library is wrong about the smallest numbers
		}
		if e := math.Abs(got-want) / want; e > 1e-12 {
			t.Fatalf("%g ^ %g is %g, want %g: off by %g", x, y, got, want, e)
		}
	})
}

func TestPowOfSimpleNumbers(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, tc := range []struct{ x, y, want float64 }{
		{1, 123, 1}, {5, 0, 1}, {0, 0, 1}, {0, 2, 0}, {0, -2, inf},
		{2, 10, 1024}, {2, -3, 0.125}, {4, 0.5, 2}, {0.25, 1.5, 0.125},
		{2, 1023, 0x1p1023}, {2, 1024, inf}, {2, -1074, 5e-324}, {2, -2000, 0},
		{2, 1e300, inf}, {0.5, 1e300, 0}, {2, -1e300, 0}, {0.5, -1e300, inf},
		{3, 1e-300, 1}, {1, 1e300, 1}, {5e-324, 1, 5e-324}, {math.MaxFloat64, 2, inf},
		{inf, 2, inf}, {inf, -2, 0}, {2, inf, inf}, {0.5, inf, 0}, {2, -inf, 0}, {0.5, -inf, inf},
		{-1, 2, nan}, {nan, 1, nan}, {1, nan, nan},
	} {
		if got := Pow(tc.x, tc.y); got != tc.want && !(got != got && tc.want != tc.want) {
			t.Errorf("%g ^ %g is %g, want %g", tc.x, tc.y, got, tc.want)
		}
	}
}

// All machines compute the same bits.
func TestPowGolden(t *testing.T) {
	sum := fnv.New64a()
	for i := range 2000 {
		x := float64(i*i+1) / 977
		fmt.Fprintf(sum, "%x", math.Float64bits(Pow(x, float64(i%37-18)/7)))
	}
	if got := fmt.Sprintf("%016x", sum.Sum64()); got != "e0cce7b155578f17" {
		t.Errorf("hash %s", got)
	}
}

func ExamplePow() {
	fmt.Printf("%.6f\n", Pow(0.5, 1/2.2))
	// Output: 0.729740
}
