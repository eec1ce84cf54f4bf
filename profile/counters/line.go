package counters

import (
	"math"
	"math/bits"
)

// Kind is the kind of a named value.
type Kind uint8

const (
	KindCounter Kind = iota // a sum of int64
	KindFloat               // a sum of float64
	KindTimer               // a number of calls, and their durations
	KindGauge               // the current level of a quantity
)

// String returns counter, float, timer or gauge. It panics for any other value of k.
func (k Kind) String() string { return [...]string{"counter", "float", "timer", "gauge"}[k] }

// A line holds values of one kind in a cache line: eight counters, the bits of eight floats, or one
// timer. Values are copied by line, because testing whether eight neighbors are untouched takes
// little longer than testing one.
type line [8]int64

// These are the fields of a timer's line. Scopes add ticks, explicit durations add nanoseconds. The
// shortest call is stored as math.MaxInt64 minus its duration. So zero means no calls, as in the
// other fields, and merging takes the maximum, as for the longest call.
const (
	timerCalls = iota
	timerTicks
	timerOwnTicks
	timerShortTicks
	timerLongTicks
	timerNanos
	timerShortNanos
	timerLongNanos
)

func (l *line) untouched() bool {
	return l[0]|l[1]|l[2]|l[3]|l[4]|l[5]|l[6]|l[7] == 0
}

// merge adds the values of m, a line of the same kind.
func (l *line) merge(k Kind, m *line) {
	switch k {
	case KindCounter: // This case is unrolled, because most lines are counters.
		l[0] += m[0]
		l[1] += m[1]
		l[2] += m[2]
		l[3] += m[3]
		l[4] += m[4]
		l[5] += m[5]
		l[6] += m[6]
		l[7] += m[7]
	case KindFloat:
		for i := range l {
			l.addFloat(i, math.Float64frombits(uint64(m[i])))
		}
	case KindTimer:
		l[timerCalls] += m[timerCalls]
		l[timerTicks] += m[timerTicks]
		l[timerOwnTicks] += m[timerOwnTicks]
		l[timerNanos] += m[timerNanos]
		for _, i := range [...]int{timerShortTicks, timerLongTicks, timerShortNanos, timerLongNanos} {
			l[i] = max(l[i], m[i])
		}
	}
}

func (l *line) addFloat(i int, f float64) {
	l[i] = int64(math.Float64bits(math.Float64frombits(uint64(l[i])) + f))
}

// addTicks adds one call, with its duration in ticks, to a timer's line.
func (l *line) addTicks(ticks, own int64) {
	l[timerCalls]++
	l[timerTicks] += ticks
	l[timerOwnTicks] += own
	l[timerShortTicks] = max(l[timerShortTicks], math.MaxInt64-ticks)
	l[timerLongTicks] = max(l[timerLongTicks], ticks)
}

// addNanos adds one call, with its duration in nanoseconds, to a timer's line.
func (l *line) addNanos(ns int64) {
	l[timerCalls]++
	l[timerNanos] += ns
	l[timerShortNanos] = max(l[timerShortNanos], math.MaxInt64-ns)
	l[timerLongNanos] = max(l[timerLongNanos], ns)
}

// A page has 64 lines, one for each bit of a word. The lines of a worker's live sheet never move;
// other sheets exchange whole pages.
type page [64]line

// A sheet has a line for every line of a set. A line is in use if its bit in used is set. Otherwise
// its content is stale, so emptying a sheet takes only one store per 64 lines.
type sheet struct {
	pages []*page
	used  []uint64 // one word per page, with a bit for each line
}

// reach returns a page by its number, and allocates it if needed.
func (s *sheet) reach(word int) *page {
	for word >= len(s.pages) {
		s.pages = append(s.pages, nil)
		s.used = append(s.used, 0)
	}
	if s.pages[word] == nil {
		s.pages[word] = new(page)
	}
	return s.pages[word]
}

// line returns line n for writing. If the line was not in use, it is zero.
func (s *sheet) line(n int) *line {
	word, bit := n/64, uint64(1)<<(n%64)
	l := &s.reach(word)[n%64]
	if s.used[word]&bit == 0 {
		*l = line{}
		s.used[word] |= bit
	}
	return l
}

// at returns line n, or nil if the line is not in use.
func (s *sheet) at(n int) *line {
	word, bit := n/64, uint64(1)<<(n%64)
	if word >= len(s.used) || s.used[word]&bit == 0 {
		return nil
	}
	return &s.pages[word][n%64]
}

// moveTo adds all lines to another sheet and empties this one.
func (s *sheet) moveTo(to *sheet, kinds []Kind) {
	for word, used := range s.used {
		if used == 0 {
			continue
		}
		dst, src := to.reach(word), s.pages[word]
		had := to.used[word]
		to.used[word], s.used[word] = had|used, 0
		if had == 0 { // The other page is empty, so exchange the pages.
			to.pages[word], s.pages[word] = src, dst
			continue
		}
		for ; used != 0; used &= used - 1 {
			i := bits.TrailingZeros64(used) % 64
			if had>>i&1 == 0 {
				dst[i] = src[i]
			} else {
				dst[i].merge(kinds[word*64+i], &src[i])
			}
		}
	}
}

// moveLines adds the nonzero lines of from to this sheet, and clears them. The cleared lines stay
// in use, because the worker has handed out pointers to them.
func (s *sheet) moveLines(from *sheet, kinds []Kind) {
	for word, used := range from.used {
		if used == 0 {
			continue
		}
		dst, src := s.reach(word), from.pages[word]
		// Scanning all lines up to the last used one takes half the time of iterating over the bits
		// of used lines.
		var touched uint64
		for i := range src[:bits.Len64(used)] {
			if !src[i].untouched() {
				touched |= 1 << i
			}
		}
		had := s.used[word]
		s.used[word] = had | touched
		for ; touched != 0; touched &= touched - 1 {
			i := bits.TrailingZeros64(touched) % 64
			if had>>i&1 == 0 {
				dst[i] = src[i]
			} else {
				dst[i].merge(kinds[word*64+i], &src[i])
			}
			src[i] = line{}
		}
	}
}
