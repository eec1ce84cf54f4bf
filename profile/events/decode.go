package events

import (
	"fmt"
	"math"

	"github.com/assetcook/assetcook/internal/fastclock"
)

// A decoder is the state of a stream's reader: tables, clock, and the current block of records.
type decoder struct {
	clock   clock
	began   int64 // start of the recording in nanoseconds of Unix time
	names   []string
	rows    []string
	dropped int64 // number of dropped records so far; the last block has the total
	lost    int64 // number of records that a feed omitted because the viewer was slow
	ended   bool

	row    int
	left   uint64 // number of unread records in the block
	rest   parser
	shapes []shape
	detail uint32
	last   int64 // end of the previous record

	stills
}

// A shape is a combination of kind and name. The records of a block define shapes.
type shape struct {
	kind uint64
	name uint32
}

// A record is an event whose names are numbers in the table of names.
type record struct {
	kind         Kind
	name, detail uint32
	start, dur   int64 // times in nanoseconds
	values       []float64
	flow         uint64
	data         []byte
	body         int // number of bytes from the start of the record's body to the end of the block
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("events: read: %w: "+format, append([]any{ErrDamaged}, args...)...)
}

// openContent reads the content of a block. If it is a block of records, next returns them. Blocks
// of unknown kinds come from later versions and are skipped.
func (d *decoder) openContent(kind byte, content []byte) error {
	p := parser{rest: content}
	switch kind {
	case blockStart:
		d.began = p.signed()
	case blockNames:
		d.names = readTable(&p, d.names, maxSymbols)
	case blockRows:
		d.rows = readTable(&p, d.rows, maxRows)
	case blockRecords:
		d.openRecords(&p)
	case blockLost:
		d.lost = addCapped(d.lost, p.any())
	case blockEnd:
		p.any() // number of records, which only readers of hex dumps need
		d.dropped, d.ended = addCapped(0, p.any()), true
	case blockOpen:
		d.openStills(&p)
	}
	if p.bad {
		d.left, d.fresh = 0, nil
		return damaged("a block of kind %d has invalid content, although its checksum matches", kind)
	}
	return nil
}

// readTable appends names to a table. A block may repeat names that are already in the table.
func readTable(p *parser, table []string, limit uint64) []string {
	first := p.number(uint64(len(table)) + 1)
	count := p.number(limit - first + 1)
	for i := first; i < first+count && !p.bad; i++ {
		if name := p.bytes(maxName); !p.bad && i == uint64(len(table)) {
			table = append(table, string(name))
		}
	}
	return table
}

func addCapped(sum int64, n uint64) int64 { return sum + int64(min(n, uint64(math.MaxInt64-sum))) }

func (d *decoder) openRecords(p *parser) {
	count, row, lost := p.number(maxBlock), p.number(uint64(len(d.rows))), p.any()
	mark := fastclock.Pair{Tick: int64(p.number(maxTick)), Nanos: int64(p.number(maxTick))}
	base := p.signed()
	if p.bad || base > maxTick || base < -maxTick {
		p.fail()
		return
	}
	d.clock.addClockPair(mark)
	d.dropped = addCapped(d.dropped, lost)
	d.row, d.left, d.rest = int(row), count, *p
	d.shapes, d.detail, d.last = d.shapes[:0], 0, base
}

// next reads the next record of the block into r. The record's values and data are valid until the
// next call. It skips records of unknown kinds.
func (d *decoder) next(r *record) (more bool, err error) {
	if d.nextStill(r) {
		return true, nil
	}
	for d.left > 0 {
		d.left--
		known := d.takeRecord(r)
		if d.rest.bad {
			d.left = 0
			return false, damaged("a block of records has an invalid record, although its checksum matches")
		}
		if known {
			return true, nil
		}
	}
	return false, nil
}

func (d *decoder) takeRecord(r *record) (known bool) {
	p := &d.rest
	head := p.any()
	index := head >> flagBits
	switch {
	case index < uint64(len(d.shapes)):
	case index == uint64(len(d.shapes)):
		d.shapes = append(d.shapes, shape{p.any(), uint32(p.number(uint64(len(d.names))))})
	default:
		p.fail()
		return false
	}
	if head&flagSameDetail == 0 {
		d.detail = uint32(p.number(uint64(len(d.names))))
	}
	start := d.last + int64(p.number(maxTick))
	end := start
	s := d.shapes[index]
	if s.kind == uint64(Scope) {
		dur := int64(p.number(maxTick))
		if head&flagAround != 0 {
			start = end - dur
		} else {
			end = start + dur
		}
	}
	if end > maxTick || start < -maxTick {
		p.fail()
		return false
	}
	d.last = end
	r.kind, r.name, r.detail, r.dur, r.flow = Kind(s.kind), s.name, 0, 0, 0
	r.values, r.body = r.values[:0], len(p.rest)
	if r.data != nil {
		r.data = nil
	}
	r.start = d.clock.nanos(start)
	switch s.kind {
	case uint64(Scope):
		r.detail, r.dur = d.detail, max(d.clock.nanos(end)-r.start, 0)
		d.endedScope(d.row, start, end)
	case uint64(Instant):
		r.detail = d.detail
	case uint64(Value):
		r.values = append(r.values, p.float())
	case uint64(Vector):
		for range p.number(maxValues + 1) {
			r.values = append(r.values, p.float())
			if p.bad {
				break
			}
		}
	case uint64(Alloc), uint64(Free):
		r.values = append(r.values, float64(p.signed()))
	case uint64(FlowOut), uint64(FlowIn):
		r.flow = p.any()
	case uint64(User):
		r.data = p.bytes(maxData)
	default:
		p.bytes(maxBlock)
		return false
	}
	return true
}
