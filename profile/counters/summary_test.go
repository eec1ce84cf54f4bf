package counters

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSummarize(t *testing.T) {
	nan := math.NaN()
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64((i*37 + 5) % 100) // a permutation of the numbers 0 to 99
	}
	for what, tt := range map[string]struct {
		values []float64
		want   Summary
	}{
		"none":     {nil, Summary{}},
		"only NaN": {[]float64{nan, nan}, Summary{}},
		"one": {[]float64{4}, Summary{Count: 1, Last: 4, Mean: 4, P50: 4, P95: 4, P99: 4, Recent: 4, Sustained: 4,
			High: mark{4, 0}, Spikes: spikeSummary{Over: 8}}},
		"spikes": {[]float64{nan, 1, 1, 1, 5, 1, 1, 3, 4, nan, 3, 1, 1}, Summary{Count: 11, Last: 1, Mean: 2, P50: 1, P95: 5, P99: 5,
			High: mark{5, 4}, Spikes: spikeSummary{Over: 2, Count: 4, Longest: 3, LongestAt: 7}}},
		"negative": {[]float64{-3, -4, -5}, Summary{Count: 3, Last: -5, Mean: -4, P50: -4, P95: -3, P99: -3, Sustained: -4,
			High: mark{-3, 0}}},
		"all different": {hundred, Summary{Count: 100, Last: hundred[99], Mean: 49.5, P50: 49, P95: 94, P99: 98,
			High: mark{99, slices.Index(hundred, 99)}, Spikes: spikeSummary{Over: 98, Count: 1, Longest: 1, LongestAt: slices.Index(hundred, 99)}}},
	} {
		got := Summarize(tt.values)
		if tt.want.Recent == 0 {
			got.Recent = 0
		}
		if tt.want.Sustained == 0 {
			got.Sustained = 0
		}
		if got != tt.want {
			t.Errorf("%s: %+v, want %+v", what, got, tt.want)
		}
	}
	if got := SummarizeOver([]float64{15, 17, 18, 16, 17}, 16).Spikes; got != (spikeSummary{16, 3, 2, 1}) {
		t.Errorf("over 16: %+v", got)
	}
}

type (
	mark = struct {
		Value float64
		At    int
	}
	spikeSummary = struct {
		Over                      float64
		Count, Longest, LongestAt int
	}
)

// The field Sustained must be high after a long peak but not after a short one. The field Recent
// must follow the end of the series.
func TestSummarizeAverages(t *testing.T) {
	values := slices.Concat([]float64{1000}, slices.Repeat([]float64{1}, 50), slices.Repeat([]float64{200}, 10), slices.Repeat([]float64{1}, 50))
	s := Summarize(values)
	if s.High != (mark{1000, 0}) || s.Sustained != 200 || s.Recent < 1 || s.Recent > 10 {
		t.Errorf("%+v", s)
	}
	if s = Summarize([]float64{0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}); math.Abs(s.Recent-0.5) > 1e-12 {
		t.Errorf("%v one half-life after a change, want 0.5", s.Recent)
	}
}

// TestSummarizeLaws expects that the statistics of any series are ordered, and that NaN values do
// not affect them.
func TestSummarizeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.SampledFrom([]float64{math.NaN(), -7, -1, 0, 1, 2, 3, 50})).Draw(t, "values")
		over := rapid.Float64Range(-10, 60).Draw(t, "over")
		kept := slices.Clone(values)
		s := SummarizeOver(values, over)
		if !slices.EqualFunc(kept, values, func(a, b float64) bool { return a == b || a != a && b != b }) {
			t.Fatal("the series was changed")
		}
		if s.Count == 0 {
			return
		}
		if s.P50 > s.P95 || s.P95 > s.P99 || s.P99 > s.High.Value || s.Mean > s.High.Value || s.Sustained > s.High.Value ||
			s.Recent > s.High.Value+1e-9 || s.Sustained != s.Mean && s.Count <= summarySustained || values[s.High.At] != s.High.Value {
			t.Fatalf("%+v", s)
		}
		longest := s.Spikes.Longest
		run := slices.DeleteFunc(slices.Clone(values[s.Spikes.LongestAt:]), math.IsNaN)
		for _, v := range run[:longest] {
			if !(v > over) {
				t.Fatalf("no spike in the longest run: %+v", s.Spikes)
			}
		}
		if s.Spikes.Count < longest || (s.High.Value > over) != (longest > 0) {
			t.Fatalf("%+v", s.Spikes)
		}
		for _, p := range []struct {
			value   float64
			percent int
		}{{s.P50, 50}, {s.P95, 95}, {s.P99, 99}} {
			least, below := 0, 0
			for _, v := range values {
				if v <= p.value {
					least++
				}
				if v < p.value {
					below++
				}
			}
			if least*100 < p.percent*s.Count || below*100 >= p.percent*s.Count {
				t.Fatalf("%v is not at %d percent", p.value, p.percent)
			}
		}
	})
}
