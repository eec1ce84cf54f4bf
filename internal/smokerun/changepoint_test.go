//go:build !race

// The race detector makes this test too slow.

package smokerun

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// bruteSplit computes the result of bestSplit from the definition.
func bruteSplit(values []float64) (at int, gain float64) {
	mean := func(a, b []float64, same bool) float64 {
		sum, pairs := 0.0, 0.0
		for i, x := range a {
			for j, y := range b {
				if !same || i < j {
					sum += math.Abs(x - y)
					pairs++
				}
			}
		}
		return sum / pairs
	}
	for i := minSegment; i <= len(values)-minSegment; i++ {
		a, b := values[:i], values[i:]
		n, m := float64(len(a)), float64(len(b))
		e := (2*mean(a, b, false) - mean(a, a, true) - mean(b, b, true)) * n * m / (n + m)
		if e > gain+1e-9 {
			at, gain = i, e
		}
	}
	return at, gain
}

// someSeries returns series with noise, steps, ramps, outliers and equal values.
func someSeries(random *rand.Rand) []float64 {
	values := make([]float64, random.IntN(41))
	level, kind := 100.0, random.IntN(4)
	for i := range values {
		switch {
		case kind == 0 && random.IntN(10) == 0:
			level += random.NormFloat64() * 10
		case kind == 1:
			level += 0.5
		}
		values[i] = level + random.NormFloat64()
		if kind == 2 {
			values[i] = float64(random.IntN(3))
		}
		if random.IntN(30) == 0 {
			values[i] *= 10
		}
	}
	return values
}

func TestBestSplit(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for i := range 10_000 {
		values := someSeries(random)
		at, gain := bestSplit(values)
		wantAt, want := bruteSplit(values)
		if math.Abs(gain-want) > 1e-6*(1+want) {
			t.Fatalf("series %d %v: gain %g at %d, want %g at %d", i, values, gain, at, want, wantAt)
		}
	}
}

// quiet returns n values of noise around 100.
func quiet(random *rand.Rand, n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = 100 + random.NormFloat64()
	}
	return values
}

func TestChangePoints(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	extra := 0
	const runs = 100
	for range runs {
		values := quiet(random, 60)
		for i := range values[20:] {
			values[20+i] += 10
		}
		for i := range values[45:] {
			values[45+i] -= 20
		}
		got := ChangePoints(values)
		if !slices.Contains(got, 20) || !slices.Contains(got, 45) {
			t.Fatalf("changes at %v, want 20 and 45, in %v", got, values)
		}
		if len(got) > 2 {
			extra++
		}
	}
	if extra > 8 { // Chance alone splits 1 % of the segments, and each series has three segments.
		t.Errorf("%d of %d series have false changes", extra, runs)
	}
	for _, none := range [][]float64{nil, {1}, {1, 2, 3, 4, 5}, slices.Repeat([]float64{7}, 100)} {
		if got := ChangePoints(none); len(got) > 0 {
			t.Errorf("changes at %v in %v", got, none)
		}
	}
}

func TestOneOutlierIsNoChange(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	found, runs := 0, 0
	for range 20 {
		for at := range 30 {
			values := quiet(random, 30)
			values[at] *= 10
			if len(ChangePoints(values)) > 0 {
				found++
			}
			runs++
		}
	}
	if found*50 > runs { // Noise alone splits 1 % of the series.
		t.Errorf("%d of %d series with one outlier have changes", found, runs)
	}
}

func TestNoiseIsNoChange(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	const runs = 1000
	found := 0
	for range runs {
		if len(ChangePoints(quiet(random, 30))) > 0 {
			found++
		}
	}
	if found > runs*2/100 {
		t.Errorf("%d of %d series of noise have changes", found, runs)
	}
}
