package events

import (
	"slices"

	"github.com/assetcook/assetcook/internal/fastclock"
)

// maxDepth is the maximum number of open scopes that a reader keeps for one row.
const maxDepth = 1 << 10

// A still is an open scope, as listed in the stream.
type still struct {
	start, told  int64 // ticks when the scope began and when the stream last listed it
	name, detail uint32
}

// stills holds the open scopes of a stream by row, outermost first.
type stills struct {
	open  [][]still
	fresh []freshRow // rows that the current block lists
}

// A freshRow is a row with the number of its scopes that nextStill will still return.
type freshRow struct{ row, left int }

// openStills reads a block of open scopes.
func (d *decoder) openStills(p *parser) {
	mark := fastclock.Pair{Tick: int64(p.number(maxTick)), Nanos: int64(p.number(maxTick))}
	first := p.number(uint64(len(d.rows)) + 1)
	count := p.number(uint64(len(d.rows)) - min(first, uint64(len(d.rows))) + 1)
	listed := p.number(count + 1)
	if p.bad {
		return
	}
	d.clock.addClockPair(mark)
	for len(d.stills.open) < int(first+count) {
		d.stills.open = append(d.stills.open, nil)
	}
	rows := d.stills.open[first : first+count]
	for i := range rows {
		rows[i] = rows[i][:0]
	}
	d.fresh = d.fresh[:0]
	next := first
	for range listed {
		row := p.number(first + count)
		if row < next {
			p.fail()
			return
		}
		scopes := p.number(maxDepth)
		start := int64(0)
		for range scopes {
			start += p.signed()
			s := still{start: start, told: max(mark.Tick, start)}
			s.name, s.detail = uint32(p.number(uint64(len(d.names)))), uint32(p.number(uint64(len(d.names))))
			if p.bad || start > maxTick || start < -maxTick {
				p.fail()
				return
			}
			d.stills.open[row] = append(d.stills.open[row], s)
		}
		d.fresh = append(d.fresh, freshRow{int(row), int(scopes)})
		next = row + 1
	}
}

// nextStill returns the next scope in a block of open scopes.
func (d *decoder) nextStill(r *record) bool {
	for len(d.fresh) > 0 {
		f := &d.fresh[0]
		if f.left == 0 {
			d.fresh = d.fresh[1:]
			continue
		}
		list := d.stills.open[f.row]
		d.row = f.row
		*r = d.stillRecord(list[len(list)-f.left], r.values[:0])
		f.left--
		return true
	}
	return false
}

func (d *decoder) stillRecord(s still, values []float64) record {
	start := d.clock.nanos(s.start)
	return record{kind: Open, name: s.name, detail: s.detail, values: values,
		start: start, dur: max(d.clock.nanos(s.told)-start, 0)}
}

// endedScope processes the record of a scope from start to end. It removes this scope and its inner
// scopes from the open scopes.
func (d *decoder) endedScope(row int, start, end int64) {
	if row >= len(d.stills.open) {
		return
	}
	list := d.stills.open[row]
	for len(list) > 0 {
		inner := list[len(list)-1].start
		if inner < start || inner >= end && inner > start {
			break
		}
		list = list[:len(list)-1]
	}
	d.stills.open[row] = list
}

// Open returns the scopes that are open at the reader's position, by row and outermost first. These
// are the scopes that the recording listed last, without scopes that have ended since. In a
// truncated stream they show what the program was doing when it was killed.
func (s *Stream) Open() []Event {
	var list []Event
	for row, scopes := range s.stills.open {
		for _, scope := range scopes {
			r := s.stillRecord(scope, nil)
			e := s.event(&r)
			e.Worker = row
			list = append(list, e)
		}
	}
	return slices.Clip(list)
}
