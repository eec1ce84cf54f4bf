package texenc

import "testing"

// The pairs are the best of all pairs, and the first of those that are as good.
func TestSolidPairsAreTheBest(t *testing.T) {
	for i, steps := range [2]int{3, 2} {
		for j, bits := range [2]int{5, 6} {
			wide := func(x int) int { return x<<(8-bits) | x>>(2*bits-8) }
			for v, got := range solidPairs()[i][j] {
				var want pair
				best := 1 << 30
				for a := range 1 << bits {
					for b := range 1 << bits {
						miss := (steps-1)*wide(a) + wide(b) - steps*v
						spread := wide(a) - wide(b)
						if cost := 1000*max(miss, -miss) + max(spread, -spread); cost < best {
							best, want = cost, pair{uint8(a), uint8(b)}
						}
					}
				}
				if got != want {
					t.Errorf("%d in %d steps of %d bits: %v, want %v", v, steps, bits, got, want)
				}
			}
		}
	}
}
