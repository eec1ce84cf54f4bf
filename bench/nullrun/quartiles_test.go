package main

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestQuantile(t *testing.T) {
	for _, test := range []struct {
		sorted []float64
		q      float64
		want   float64
	}{
		{[]float64{7}, 0.25, 7},
		{[]float64{7}, 0.75, 7},
		{[]float64{1, 2}, 0.5, 1.5},
		{[]float64{1, 2}, 0.25, 1.25},
		{[]float64{1, 2, 9}, 0.5, 2},
		{[]float64{1, 2, 9}, 0.75, 5.5},
		{[]float64{1, 2, 3, 4, 5}, 0.25, 2},
		{[]float64{1, 2, 3, 4, 5}, 1, 5},
	} {
		if got := quantile(test.sorted, test.q); got != test.want {
			t.Errorf("quantile(%v, %v) = %v, want %v", test.sorted, test.q, got, test.want)
		}
	}
}

// Half of the ratios are on each side of the median, and the order of the runs does not
// affect it.
func TestRatiosOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walls := func(label string, n int) []Result {
			return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Result {
				return Result{Wall: time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "wall"))}
			}), n, n).Draw(t, label)
		}
		n := rapid.IntRange(1, 20).Draw(t, "rounds")
		of, to := walls("of", n), walls("to", n)
		q := ratios(of, to)
		if !(0 < q.Low && q.Low <= q.Median && q.Median <= q.High) {
			t.Fatalf("quartiles %+v are out of order", q)
		}
		below := 0
		for i := range of {
			if float64(max(of[i].Wall, 1))/float64(max(to[i].Wall, 1)) <= q.Median {
				below++
			}
		}
		if 2*below < n {
			t.Fatalf("%d of %d ratios are not above the median", below, n)
		}
		wall := func(r Result) time.Duration { return r.Wall }
		before := median(of, wall)
		slices.Reverse(of)
		if after := median(of, wall); after != before {
			t.Fatalf("median %v became %v by turning the runs round", before, after)
		}
	})
}
