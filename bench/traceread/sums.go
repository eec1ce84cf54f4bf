package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// sums are the totals of a trace that both sides must agree on.
type sums struct {
	slices map[slice]total // including marks, as slices without duration
	levels map[string]level
	arrows map[arrow]int64
}

type slice struct{ row, category, title string }

type total struct{ count, nanos int64 }

// A level is a counter: the number of samples and their sum.
type level struct {
	count int64
	sum   float64
}

type arrow struct{ from, to string }

func newSums() sums {
	return sums{map[slice]total{}, map[string]level{}, map[arrow]int64{}}
}

func (s sums) addSlice(key slice, count, nanos int64) {
	t := s.slices[key]
	s.slices[key] = total{t.count + count, t.nanos + nanos}
}

func (s sums) String() string {
	var all total
	rows, titles, categories := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for key, t := range s.slices {
		all = total{all.count + t.count, all.nanos + t.nanos}
		rows[key.row], titles[key.title], categories[key.category] = true, true, true
	}
	var samples, arrows int64
	for _, l := range s.levels {
		samples += l.count
	}
	for _, n := range s.arrows {
		arrows += n
	}
	return fmt.Sprintf("%d slices of %d names in %d categories on %d rows, %d ns in sum; %d counters with %d samples; %d flows",
		all.count, len(titles), len(categories), len(rows), all.nanos, len(s.levels), samples, arrows)
}

// differs returns the differences between two sums, or "".
func (s sums) differs(want sums) string {
	return cmp.Or(firstOff("slices", s.slices, want.slices), firstOff("counter", s.levels, want.levels),
		firstOff("flows", s.arrows, want.arrows))
}

func firstOff[K, V comparable](what string, got, want map[K]V) string {
	all := maps.Clone(want)
	maps.Copy(all, got)
	var off []string
	for key := range all {
		if got[key] != want[key] {
			off = append(off, fmt.Sprintf("%s %+v: the reader finds %+v, the recording has %+v", what, key, got[key], want[key]))
		}
	}
	if len(off) == 0 {
		return ""
	}
	return slices.Min(off)
}
