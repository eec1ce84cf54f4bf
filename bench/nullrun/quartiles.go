package main

import (
	"math"
	"slices"
	"time"
)

func median[T time.Duration | int64](results []Result, value func(Result) T) T {
	sorted := make([]float64, 0, len(results))
	for _, r := range results {
		sorted = append(sorted, float64(value(r)))
	}
	slices.Sort(sorted)
	return T(math.Round(quantile(sorted, 0.5)))
}

// ratios returns the quartiles of the per-round ratios of wall times. A time of zero counts
// as a nanosecond.
func ratios(of, to []Result) *Quartiles {
	sorted := make([]float64, len(of))
	for i := range of {
		sorted[i] = float64(max(of[i].Wall, 1)) / float64(max(to[i].Wall, 1))
	}
	slices.Sort(sorted)
	return &Quartiles{quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)}
}

// quantile interpolates between the nearest of at least one sorted number.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
