package counters

import (
	"math"
	"math/bits"
)

// Kind says what a name stands for.
type Kind uint8

const (
	KindCounter Kind = iota // sum of int64
	KindFloat               // sum of float64
	KindTimer               // calls and durations
	KindGauge               // a level
)

// String returns counter, float, timer or gauge. It panics if k is none of the constants.
func (k Kind) String() string { return [...]string{"counter", "float", "timer", "gauge"}[k] }

// A line is a cache line of values of one kind: eight counters, the bits of eight
// floats, or one timer. It is the unit of all copying, because testing whether eight
// neighbors are untouched costs little more than testing one.
type line [8]int64

// What the fields of a timer's line are. Ticks come from scopes, nanoseconds from
// explicit durations. Of the shortest there is the distance to the longest possible:
// zero means none, as in the other fields, and merging is the maximum, as for the
// longest.
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

// merge adds m, which is of the same kind.
func (l *line) merge(k Kind, m *line) {
	switch k {
	case KindCounter: // unrolled: frames consist of these
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

// A page has as many lines as a word has bits. Those of a worker's own sheet never
// move; other sheets exchange theirs.
type page [64]line

// A sheet has a value for every line of a set, or none where the bit in used is
// clear: what stands in the page then is left over and means nothing, so that
// emptying a sheet costs one store for 64 lines.
type sheet struct {
	pages []*page
	used  []uint64 // one bit a line, one word a page
}

// reach makes room for the page of word.
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

// line returns line n for changing it; one that was not in use is zero.
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

// moveTo adds all lines to those of another sheet and leaves this one empty.
func (s *sheet) moveTo(to *sheet, kinds []Kind) {
	for word, used := range s.used {
		if used == 0 {
			continue
		}
		dst, src := to.reach(word), s.pages[word]
		had := to.used[word]
		to.used[word], s.used[word] = had|used, 0
		if had == 0 { // nothing to add to: the two exchange their pages
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

// moveLines adds the lines of from that are not zero, and makes them zero; they stay in
// use, because the worker has handed out pointers into them.
func (s *sheet) moveLines(from *sheet, kinds []Kind) {
	for word, used := range from.used {
		if used == 0 {
			continue
		}
		dst, src := s.reach(word), from.pages[word]
		// Looking at all lines as far as they go, used or not, takes half the time that
		// going from bit to bit does.
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
