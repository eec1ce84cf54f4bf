package events

import (
	"encoding/binary"

	"github.com/assetcook/assetcook/internal/fastclock"
)

// These flags are the two low bits of a record's head.
const (
	flagAround     = 1 // the scope began before the previous record's end
	flagSameDetail = 2
	flagBits       = 2
)

// An encoder converts buffers to blocks of records.
type encoder struct {
	shapes cache
}

// A cache holds the kinds and names that the block has defined as shapes. A new shape replaces the
// previous shape in its slot. Defining a shape again takes a few bytes, but remembering all shapes
// would need a hash table.
type cache [256]struct{ key, index uint32 }

// slotOf returns the cache slot for a kind and a name, and the key to compare with the key in the
// slot.
func (c *cache) slotOf(kind Kind, name Symbol) (at *struct{ key, index uint32 }, key uint32) {
	key = uint32(kind)<<symbolBits | uint32(name) // The key is never 0, because kinds begin at 1.
	return &c[key*0x9E3779B1>>24], key
}

// appendRecords appends a block with the records of buf. The pair mark is the moment of writing,
// began is the beginning of the recording, and names is the number of names in the table.
func (e *encoder) appendRecords(b []byte, buf *buffer, mark, began fastclock.Pair, names int) []byte {
	from := len(b)
	b = openBlock(b, blockRecords)
	b = binary.AppendUvarint(b, uint64(buf.records()))
	b = binary.AppendUvarint(b, uint64(buf.row))
	b = binary.AppendUvarint(b, buf.lost)
	b = binary.AppendUvarint(b, uint64(max(mark.Tick-began.Tick, 0)))
	b = binary.AppendUvarint(b, uint64(max(mark.Nanos-began.Nanos, 0)))
	b = binary.AppendVarint(b, buf.base-began.Tick)

	known := func(sym Symbol) Symbol {
		if int(sym) >= names { // The symbol does not belong to this recorder.
			return unnamed
		}
		return sym
	}
	e.shapes = cache{}
	shapes, detail, last := uint32(0), Symbol(0), int64(0)
	for i := 0; i < buf.used; {
		s := buf.slots[i]
		i++
		kind, name, end := kindOf(s.a), known(nameOf(s.a)), max(timeOf(s.a), last)

		head, start, isScope := uint32(flagSameDetail), end, false
		now := detail
		switch kind {
		case Scope:
			now, start, isScope = known(detailOf(s.b)), end-durOf(s.b), true
		case longScope:
			kind, now, start, isScope = Scope, known(detailOf(s.b)), end-int64(buf.slots[i].a), true
			i++
		case Instant:
			now = known(detailOf(s.b))
		}
		if now != detail {
			head, detail = 0, now
		}
		if start < last {
			head |= flagAround
		}
		at, key := e.shapes.slotOf(kind, name)
		if at.key == key {
			b = binary.AppendUvarint(b, uint64(at.index<<flagBits|head))
		} else {
			at.key, at.index = key, shapes
			b = binary.AppendUvarint(b, uint64(shapes<<flagBits|head))
			b = binary.AppendUvarint(b, uint64(kind))
			b = binary.AppendUvarint(b, uint64(name))
			shapes++
		}
		if head&flagSameDetail == 0 {
			b = binary.AppendUvarint(b, uint64(detail))
		}
		if head&flagAround == 0 {
			b = binary.AppendUvarint(b, uint64(start-last))
		} else {
			b = binary.AppendUvarint(b, uint64(end-last))
		}
		last = end

		switch {
		case isScope:
			b = binary.AppendUvarint(b, uint64(end-start))
		case kind == Value:
			b = appendFloat(b, s.b)
		case kind == Vector:
			b = binary.AppendUvarint(b, s.b)
			for n := range int(s.b) {
				number := buf.slots[i+n/2]
				if n%2 == 0 {
					b = appendFloat(b, number.a)
				} else {
					b = appendFloat(b, number.b)
				}
			}
			i += (int(s.b) + 1) / 2
		case kind == Alloc || kind == Free:
			b = binary.AppendVarint(b, int64(s.b))
		case kind == FlowOut || kind == FlowIn:
			b = binary.AppendUvarint(b, s.b)
		case kind == User:
			more := slotsFor(int(s.b))
			b = binary.AppendUvarint(b, s.b)
			b = appendBytes(b, buf.slots[i:i+more], int(s.b))
			i += more
		}
	}
	return sealBlock(b, from)
}
