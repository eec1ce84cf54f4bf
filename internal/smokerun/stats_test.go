//go:build !race

// The race detector makes this test too slow.

package smokerun

import (
	"math"
	"math/rand/v2"
	"testing"
)

// choices calls visit with each subset of k of n elements, as a bit set.
func choices(n, k int, visit func(set uint)) {
	for set := uint(0); set < 1<<n; set++ {
		count := 0
		for s := set; s != 0; s &= s - 1 {
			count++
		}
		if count == k {
			visit(set)
		}
	}
}

// TestExactU compares exactU with a count over all orders of the values.
func TestExactU(t *testing.T) {
	for n := 1; n <= 5; n++ {
		for m := 1; m <= 6; m++ {
			counts := make([]int, n*m+1)
			total := 0
			choices(n+m, m, func(set uint) { // The set holds the ranks of b.
				u, as := 0, 0
				for rank := range n + m {
					if set>>rank&1 == 1 {
						u += as
					} else {
						as++
					}
				}
				counts[u]++
				total++
			})
			atLeast := total
			for u, count := range counts {
				want := float64(atLeast) / float64(total)
				if got := exactU(n, m, u); math.Abs(got-want) > 1e-12 {
					t.Fatalf("%d and %d values, U at least %d: %g, want %g", n, m, u, got, want)
				}
				atLeast -= count
			}
		}
	}
}

func TestUTest(t *testing.T) {
	a := []float64{1, 2, 3, 4, 5}
	b := []float64{6, 7, 8, 9, 10}
	if p := UTest(a, b); math.Abs(p-1.0/252) > 1e-12 {
		t.Errorf("all higher: %g, want 1/252", p)
	}
	if p := UTest(b, a); math.Abs(p-1) > 1e-12 {
		t.Errorf("all lower: %g, want 1", p)
	}
	if p := UTest([]float64{3, 3, 3}, []float64{3, 3, 3}); p != 1 {
		t.Errorf("all equal: %g, want 1", p)
	}
	if p := UTest(nil, b); p != 1 {
		t.Errorf("nothing to compare: %g, want 1", p)
	}
	// A single tie selects the approximation, whose result must be near the exact value.
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		a, b := make([]float64, 25), make([]float64, 25)
		for i := range a {
			a[i], b[i] = random.NormFloat64(), random.NormFloat64()+0.4
		}
		want := UTest(a, b)
		a[0] = b[0]
		got := UTest(a, b)
		a[0] = math.Nextafter(b[0], math.Inf(-1))
		low := UTest(a, b)
		a[0] = math.Nextafter(b[0], math.Inf(1))
		high := UTest(a, b)
		if got < min(low, high)-0.01 || got > max(low, high)+0.01 {
			t.Fatalf("with a tie %g, without %g (%g to %g)", got, want, low, high)
		}
	}
}

// TestUTestLevel expects that two samples of one distribution give less than p with probability p.
func TestUTestLevel(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const runs = 20_000
	tripped := 0
	for range runs {
		a, b := make([]float64, 12), make([]float64, 12)
		for i := range a {
			a[i], b[i] = random.ExpFloat64(), random.ExpFloat64()
		}
		if UTest(a, b) < tripLevel {
			tripped++
		}
	}
	if rate := float64(tripped) / runs; rate > tripLevel*1.1 || rate < tripLevel/2 {
		t.Errorf("equal samples trip in %.2f %% of runs, want at most %g %%", 100*rate, 100*tripLevel)
	}
}

func TestMedianAndDeviation(t *testing.T) {
	if m := median([]float64{5, 1, 9}); m != 5 {
		t.Errorf("median %g", m)
	}
	if m := median([]float64{5, 1, 9, 7}); m != 6 {
		t.Errorf("median %g", m)
	}
	if d := deviation([]float64{10, 11, 12, 13, 1e9}); math.Abs(d-1.4826) > 1e-9 {
		t.Errorf("one outlier counts: %g", d)
	}
}

func TestRoundsNeeded(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	space := func(noise float64) *workspace {
		w := &workspace{steps: make([]executions, 2)}
		for range 100 {
			w.steps[0].cpu = append(w.steps[0].cpu, 1)
			w.steps[1].cpu = append(w.steps[1].cpu, 1+noise*random.NormFloat64())
		}
		return w
	}
	for noise, want := range map[float64][2]int{0: {30, 30}, 0.01: {30, 30}, 0.03: {30, 65}, 0.5: {400, 400}} {
		if n := roundsNeeded(space(noise), space(noise)); n < want[0] || n > want[1] {
			t.Errorf("noise of %g: %d rounds, want %v", noise, n, want)
		}
	}
	// With the computed number of rounds, a growth as large as detected must be found.
	a, b := space(0.02).steps[1].cpu, space(0.02).steps[1].cpu
	if d := detectable(a, b); d < 0.01 || d > 0.03 {
		t.Errorf("100 rounds with a noise of 2 %% find %g", d)
	}
}
