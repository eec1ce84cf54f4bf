package counters

import (
	"math"
	"slices"
)

// These are the window lengths of the averages in a Summary, in values.
const (
	summarySustained = 10
	summaryHalfLife  = 10
)

// Summary describes a series of values, such as a column of a [Table]. NaN values, such as
// unwatched frames, are skipped. All fields are 0 for a series without values.
type Summary struct {
	Count         int // number of values, without NaN
	Last          float64
	Mean          float64
	P50, P95, P99 float64 // nearest-rank percentiles
	Recent        float64 // [EMA] at the end, with a half-life of 10 values
	Sustained     float64 // greatest mean of 10 consecutive values, or the mean of all values if there are fewer

	// High is the greatest value, with its index in the series.
	High struct {
		Value float64
		At    int
	}

	// Spikes describes the values greater than Over. NaN values do not end a run of spikes.
	// LongestAt is the start index of the first longest run.
	Spikes struct {
		Over      float64
		Count     int
		Longest   int // length of the longest run of spikes
		LongestAt int // start of the longest run; 0 without spikes
	}
}

// Summarize describes a series of values, oldest first. Spikes are values greater than twice the
// median, or greater than 0 if the median is negative.
func Summarize(values []float64) Summary {
	sorted := ascending(values)
	return summarize(values, sorted, max(2*percentile(sorted, 50), 0))
}

// SummarizeOver is like Summarize with an explicit spike threshold. For example, if each frame of a
// game must end within 16 ms, slower frames are spikes regardless of the median.
func SummarizeOver(values []float64, over float64) Summary {
	return summarize(values, ascending(values), over)
}

func ascending(values []float64) []float64 {
	sorted := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(sorted)
	return sorted
}

// percentile returns the smallest value that is not below the given percentage of all values.
func percentile(sorted []float64, percent int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)*percent+99)/100-1]
}

func summarize(values, sorted []float64, over float64) Summary {
	s := Summary{Count: len(sorted), P50: percentile(sorted, 50), P95: percentile(sorted, 95), P99: percentile(sorted, 99)}
	spikes := spikeRuns{over: over}
	s.Spikes.Over = over
	recent, window := EMA{Factor: halfLife(summaryHalfLife)}, newMovingMean(summarySustained)
	var high, sustained highWater
	sum, seen, began := 0.0, 0, 0
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		longest := spikes.longest
		run := spikes.addValue(v)
		if run > 0 {
			s.Spikes.Count++
		}
		if run == 1 {
			began = i
		}
		if run > longest {
			s.Spikes.LongestAt = began
		}
		if high.raise(v) {
			s.High.Value, s.High.At = v, i
		}
		if window.push(v); seen+1 >= min(summarySustained, s.Count) {
			sustained.raise(window.mean())
		}
		recent.Add(v)
		s.Last = v
		sum += v
		seen++
	}
	if seen > 0 {
		s.Mean = sum / float64(seen)
	}
	s.Recent, s.Sustained, s.Spikes.Longest = recent.value, sustained.mark, spikes.longest
	return s
}
