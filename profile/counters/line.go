package counters

import (
	"math"
	"math/bits"
)

// Kind is the kind of a named value.
type Kind uint8

const (
	KindCounter Kind = iota // sum of int64
	KindFloat               // sum of float64
	KindTimer               // calls and durations
	KindGauge               // a level
)

// String returns counter, float, timer or gauge. It panics if k is none of the constants.
func (k Kind) String() string { return [...]string{"counter", "float", "timer", "gauge"}[k] }

// A line is a cache line of values of one kind: eight counters, the bits of eight floats, or one
// timer. Values are copied by line, because testing whether eight neighbors are untouched takes
// little longer than testing one.
type line [8]int64

// The fields of a timer's line. Scopes add ticks, explicit durations add nanoseconds. The
// shortest call is stored as its distance from the largest int64, so that zero means no calls, as
// in the other fields, and merging takes the maximum, as for the longest call.
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
	case KindCounter: // unrolled: most lines are counters
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

// addTicks adds one call to a timer's line.
func (l *line) addTicks(ticks, own int64) {
	l[timerCalls]++
	l[timerTicks] += ticks
	l[timerOwnTicks] += own
	l[timerShortTicks] = max(l[timerShortTicks], math.MaxInt64-ticks)
	l[timerLongTicks] = max(l[timerLongTicks], ticks)
}

// addNanos adds one call of known duration to a timer's line.
func (l *line) addNanos(ns int64) {
	l[timerCalls]++
	l[timerNanos] += ns
	l[timerShortNanos] = max(l[timerShortNanos], math.MaxInt64-ns)
	l[timerLongNanos] = max(l[timerLongNanos], ns)
}

// A page has one line per bit of a word. Lines of a worker's live sheet never move; other sheets
// exchange whole pages.
type page [64]line

// A sheet has a line for every line of a set. A line is in use if its bit in used is set;
// otherwise its content is stale. So emptying a sheet takes one store per 64 lines.
type sheet struct {
	pages []*page
	used  []uint64 // one bit per line, one word per page
}

// reach returns the page with the given number and allocates it if needed.
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

// line returns line n for writing; a line not yet in use starts at zero.
func (s *sheet) line(n int) *line {
	word, bit := n/64, uint64(1)<<(n%64)
	l := &s.reach(word)[n%64]
	if s.used[word]&bit == 0 {
		*l = line{}
		s.used[word] |= bit
	}
	return l
}

// at returns line n if it is in use, otherwise nil.
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
		if had == 0 { // the other page is empty: exchange the pages
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

// moveLines adds the nonzero lines of from to this sheet and clears them. They stay in use,
// because the worker has handed out pointers into them.
func (s *sheet) moveLines(from *sheet, kinds []Kind) {
	for word, used := range from.used {
		if used == 0 {
			continue
		}
		dst, src := s.reach(word), from.pages[word]
		// Scanning all lines up to the last used one takes half the time of iterating over the
		// bits of used lines.
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
