package detmath

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestFunctionsAgreeWithMath(t *testing.T) {
	for i := -4000; i <= 4000; i++ {
		x := float64(i) / 257
		near(t, "SinPi", x, SinPi(x), math.Sin(math.Pi*math.Remainder(x, 2)), 4e-16)
		near(t, "CosPi", x, CosPi(x), math.Cos(math.Pi*math.Remainder(x, 2)), 4e-16)
		e := math.Exp(x)
		near(t, "Exp", x, Exp(x), e, 1e-15*e)
		near(t, "Gain", x, Gain(x), math.Pow(10, x/20), 2e-15*math.Pow(10, x/20))
		near(t, "Atan", x, Atan(x), math.Atan(x), 4e-16)
		if x > 0 {
			near(t, "Log", x, Log(x), math.Log(x), 1e-15*max(1, math.Abs(math.Log(x))))
			near(t, "Decibels", x, Decibels(x), 20*math.Log10(x), 1e-14)
		}
	}
}

func near(t *testing.T, name string, x, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s(%v) = %v, want %v", name, x, got, want)
	}
}

// TestTurnsAreExact checks that multiples of a half turn give exact results, even for large
// numbers.
func TestTurnsAreExact(t *testing.T) {
	for n := -1000.0; n <= 1e15; n = 3*math.Abs(n) + 1 {
		if SinPi(n) != 0 || math.Abs(CosPi(n)) != 1 || CosPi(n+0.5) != 0 {
			t.Errorf("at %v: %v %v %v", n, SinPi(n), CosPi(n), CosPi(n+0.5))
		}
	}
	if SinPi(0.5) != 1 || SinPi(1.5) != -1 || Exp(0) != 1 || Log(1) != 0 || Gain(0) != 1 {
		t.Error("a value that is exact is not")
	}
}

func TestSpecialValues(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"Log(0)", Log(0), -inf},
		{"Log(+Inf)", Log(inf), inf},
		{"Exp(-Inf)", Exp(-inf), 0},
		{"Exp(800)", Exp(800), inf},
		{"Gain(-Inf)", Gain(-inf), 0},
		{"Decibels(0)", Decibels(0), -inf},
	} {
		if c.got != c.want {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
	if !math.IsNaN(Log(-1)) || !math.IsNaN(Exp(math.NaN())) {
		t.Error("no NaN for what has no value")
	}
}

// TestBesselI0 compares BesselI0 with the series, computed in arithmetic of 200 bits.
func TestBesselI0(t *testing.T) {
	for _, x := range []float64{0, 0.5, 1, 5, 12.25, 20, 40} {
		sum, term := big.NewFloat(1).SetPrec(200), big.NewFloat(1).SetPrec(200)
		q := new(big.Float).SetPrec(200).SetFloat64(x * x / 4)
		for k := int64(1); k < 300; k++ {
			term.Mul(term, q).Quo(term, big.NewFloat(float64(k*k)))
			sum.Add(sum, term)
		}
		want, _ := sum.Float64()
		near(t, "BesselI0", x, BesselI0(x), want, 1e-14*want)
	}
}

// TestGolden expects the same bits on every processor. The hash was computed on amd64.
func TestGolden(t *testing.T) {
	h := fnv.New64a()
	for i := -3000; i <= 3000; i++ {
		x := float64(i) / 97
		for _, y := range []float64{SinPi(x), CosPi(x), Exp(x), Log(math.Abs(x) + 1e-3), Gain(x), Atan(x), BesselI0(x / 2)} {
			b := math.Float64bits(y)
			for range 8 {
				h.Write([]byte{byte(b)})
				b >>= 8
			}
		}
	}
	const want = 0xeeb2a0085d4c2594
	if got := h.Sum64(); got != want {
		t.Errorf("hash %#x, want %#x", got, uint64(want))
	}
}

func TestPowAgreesWithTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(0, 1e9).Draw(t, "x")
		if rapid.Bool().Draw(t, "small") {
			x /= 1e12
		}
		y := rapid.Float64Range(-100, 100).Draw(t, "y")
		got, want := Pow(x, y), math.Pow(x, y)
		if math.IsInf(want, 0) || want < 1e-300 || x < 1e-300 {
			return // package math is inaccurate for the smallest numbers
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

// TestPowGolden expects the same bits on every processor.
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
