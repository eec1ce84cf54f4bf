package events

import (
	"encoding/binary"

	"github.com/assetcook/assetcook/internal/fastclock"
)

// maxOpen is the maximum number of nested open scopes that the stream lists for a worker. Deeper
// scopes are recorded only when they end.
const maxOpen = 32

// openScopes holds the open scopes of a row, outermost first. The recorder can read them even while
// the worker hangs. The worker never waits for the recorder.
type openScopes [maxOpen]fastclock.Cell

// A scopeID packs a scope into one word, so that a ScopeMark fits in registers:
//
//	name 22 bits | detail 22 | level 20: from 1; 0 if the recorder cannot see the scope
type scopeID uint64

const levelBits = 64 - 2*symbolBits

func scopeOf(name, detail Symbol) scopeID {
	return scopeID(name)<<(symbolBits+levelBits) | scopeID(detail&symbolMask)<<levelBits
}

func (s scopeID) name() Symbol   { return Symbol(s >> (symbolBits + levelBits)) }
func (s scopeID) detail() Symbol { return Symbol(s >> levelBits & symbolMask) }
func (s scopeID) level() int     { return int(s & (1<<levelBits - 1)) }

// push begins a scope and makes it visible to the recorder.
func (w *Worker) push(name, detail Symbol) ScopeMark {
	what, level := scopeOf(name, detail), w.level
	if uint(level) < maxOpen && w.open != nil {
		w.level = level + 1
		what += scopeID(level + 1)
		return ScopeMark{w, w.open[level].Set(uint64(what)), what}
	}
	if w.open != nil {
		w.level = min(level+1, 1<<levelBits-1)
		what += scopeID(w.level)
	}
	return ScopeMark{w, fastclock.Now(), what}
}

// pop ends a scope, and deeper scopes that have not ended. It returns the current tick.
func (w *Worker) pop(what scopeID) int64 {
	inner := w.level - 1
	if uint(inner) < maxOpen && what.level() == inner+1 {
		w.level = inner
		return w.open[inner].Clear()
	}
	return w.popOthers(what)
}

func (w *Worker) popOthers(what scopeID) int64 {
	now := fastclock.Now()
	if level := what.level(); level != 0 {
		w.popAll(level)
	}
	return now
}

// popAll removes all scopes at the given level and all deeper scopes.
func (w *Worker) popAll(level int) {
	for ; w.level >= level; w.level-- {
		if w.level <= maxOpen {
			w.open[w.level-1].Clear()
		}
	}
}

// An openMark is a scope that was open when the recorder looked.
type openMark struct {
	start        int64 // tick when the scope began
	name, detail Symbol
}

// appendMarks appends the scopes that were already open at the tick since.
func (o *openScopes) appendMarks(marks []openMark, since int64) []openMark {
	for i := range o {
		what, start, ok := o[i].Load()
		if !ok || start > since {
			break // The deeper scopes began even later.
		}
		marks = append(marks, openMark{start, scopeID(what).name(), scopeID(what).detail()})
	}
	return marks
}

// A teller collects the open scopes and writes them to the stream. Only the goroutine that writes
// the stream uses it.
type teller struct {
	open  []*openScopes // open scopes by row
	told  []uint64      // hash of each row's scopes as last written; 0 if no scopes were open
	marks []openMark
	ends  []int // end of each row in marks
}

// look collects the scopes of count rows, beginning with row first, that were already open at the
// tick since.
func (t *teller) look(first, count int, since int64) {
	t.marks, t.ends = t.marks[:0], t.ends[:0]
	for len(t.told) < first+count {
		t.told = append(t.told, 0)
	}
	for _, open := range t.open[first : first+count] {
		t.marks = open.appendMarks(t.marks, since)
		t.ends = append(t.ends, len(t.marks))
	}
}

// news reports whether the scopes found by look must be written, because they differ from the
// scopes in the stream. If old is set, open scopes must be written even if unchanged.
func (t *teller) news(first int, old bool) bool {
	found, from := false, 0
	for i, end := range t.ends {
		sum := uint64(0)
		for _, m := range t.marks[from:end] {
			sum = (sum ^ uint64(m.start)) * 0x9E3779B97F4A7C15
		}
		if len(t.marks[from:end]) > 0 {
			sum |= 1
		}
		was := t.told[first+i]
		found = found || sum != was || old && sum != 0
		t.told[first+i], from = sum, end
	}
	return found
}

// appendOpen appends the scopes found by look, in one or more blocks. The pair mark is the time of
// that call of look.
func (t *teller) appendOpen(b []byte, first int, mark, began fastclock.Pair, names int) []byte {
	known := func(sym Symbol) uint64 {
		if int(sym) >= names {
			return uint64(unnamed)
		}
		return uint64(sym)
	}
	at := 0
	for row := 0; row < len(t.ends); {
		// Limit the rows of a block. A scope takes at most 20 bytes, a row 6.
		count, listed, last := 0, 0, at
		for row+count < len(t.ends) && (count == 0 || t.ends[row+count]-at <= maxBlock/40) {
			if end := t.ends[row+count]; end > last {
				listed, last = listed+1, end
			}
			count++
		}
		from := len(b)
		b = openBlock(b, blockOpen)
		b = binary.AppendUvarint(b, uint64(max(mark.Tick-began.Tick, 0)))
		b = binary.AppendUvarint(b, uint64(max(mark.Nanos-began.Nanos, 0)))
		b = binary.AppendUvarint(b, uint64(first+row))
		b = binary.AppendUvarint(b, uint64(count))
		b = binary.AppendUvarint(b, uint64(listed))
		for i := row; i < row+count; i++ {
			list := t.marks[at:t.ends[i]]
			at = t.ends[i]
			if len(list) == 0 {
				continue
			}
			b = binary.AppendUvarint(b, uint64(first+i))
			b = binary.AppendUvarint(b, uint64(len(list)))
			last := began.Tick
			for _, m := range list {
				b = binary.AppendVarint(b, m.start-last)
				b = binary.AppendUvarint(b, known(m.name))
				b = binary.AppendUvarint(b, known(m.detail))
				last = m.start
			}
		}
		b = sealBlock(b, from)
		row += count
	}
	return b
}
