package smokerun

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	minSegment   = 3   // minimum number of values on each side of a change point
	permutations = 499 // number of random shuffles that test a split
)

// ChangePoints returns the indices where the distribution of a series changes, in ascending order.
// Each index is the first value of a new segment. It uses the e-divisive algorithm, which splits
// the series where the energy distance between the two sides is greatest. The split is a change
// point if fewer than one in a hundred random shuffles have a better split. Each side is then split
// in turn.
//
// A segment has at least three values, so the last two values of a series are never a change point.
// Equal series give equal results.
func ChangePoints(series []float64) []int {
	var points []int
	var split func(low, high int)
	split = func(low, high int) {
		values := series[low:high]
		at, gain := bestSplit(values)
		if at == 0 || gain <= 0 || !significant(values, gain) {
			return
		}
		points = append(points, low+at)
		split(low, low+at)
		split(low+at, high)
	}
	split(0, len(series))
	slices.Sort(points)
	return points
}

// significant reports whether only few random shuffles of the values have a split with at least
// this gain.
func significant(values []float64, gain float64) bool {
	shuffled := slices.Clone(values)
	random := rand.New(rand.NewPCG(uint64(len(values)), math.Float64bits(gain)))
	asGood := 0
	for range permutations {
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if _, g := bestSplit(shuffled); g >= gain*(1-1e-9) {
			asGood++
		}
		if (asGood+1)*100 > permutations+1 {
			return false
		}
	}
	return true
}

// bestSplit returns the index that splits the values with the greatest energy distance, and that
// distance. It returns 0, 0 for too few values. It takes quadratic time: moving one value across
// the split changes the sums only by the distances of that value.
func bestSplit(values []float64) (at int, gain float64) {
	n := len(values)
	if n < 2*minSegment {
		return 0, 0
	}
	within, between := [2]float64{}, 0.0 // sums of the distances between pairs of values: on the same side of the split, and on different sides
	for i, x := range values {
		for _, y := range values[:i] {
			within[1] += math.Abs(x - y)
		}
	}
	for i, x := range values[:n-minSegment] {
		toLeft, toRight := 0.0, 0.0
		for _, y := range values[:i] {
			toLeft += math.Abs(x - y)
		}
		for _, y := range values[i+1:] {
			toRight += math.Abs(x - y)
		}
		within[0] += toLeft
		within[1] -= toRight
		between += toRight - toLeft
		if i+1 < minSegment {
			continue
		}
		if g := energy(within[0], within[1], between, i+1, n-i-1); g > gain {
			at, gain = i+1, g
		}
	}
	return at, gain
}

// energy returns the scaled energy distance of two samples with n and m values. It is twice the
// mean distance between the samples, minus the mean distances within each sample, times nm/(n+m).
// The first three parameters are sums of distances over pairs of values.
func energy(withinN, withinM, between float64, n, m int) float64 {
	fn, fm := float64(n), float64(m)
	e := 2*between/(fn*fm) - withinN/(fn*(fn-1)/2) - withinM/(fm*(fm-1)/2)
	return e * fn * fm / (fn + fm)
}
