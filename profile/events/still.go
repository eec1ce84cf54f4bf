package events

import (
	"slices"

	"github.com/assetcook/assetcook/internal/fastclock"
)

// maxDepth bounds the scopes that are open on one row for a reader.
const maxDepth = 1 << 10

// A still is a scope that a stream says is open.
type still struct {
	start, told  int64 // ticks: when it began, and when it was last seen
	name, detail uint32
}

// stills are the scopes of a stream that are open, by row, outermost first.
type stills struct {
	open  [][]still
	fresh []freshRow // of the block that is being read
}

// A freshRow is a row and how many of its scopes have not been given to the reader.
type freshRow struct{ row, left int }

// openStills takes in a block that says what is open.
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

// nextStill gives the reader the next scope of the block that says what is open.
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

// endedScope takes out what has ended when a scope of a row has, from its begin to its
// end in ticks: that scope and those that it holds.
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

// Open returns the scopes that are open as far as the stream has been read, by row
// and outermost first: those that a recording told last, and of which the end has not
// come. Of a stream that ends without its last block they are what the program did
// when it was killed.
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
