package events

import "encoding/binary"

// A slot is 16 bytes of a worker's buffer. Nearly every record is one slot:
//
//	a:  kind 4 bits | name 22 | ticks since the buffer's base 38
//	b:  scope: detail 22 | duration in ticks 42
//	    instant: detail 22 | 0
//	    value: its bits; alloc, free: bytes; flow: its id
//	    vector: how many numbers, which follow two to a slot
//	    user: how many bytes, which follow
//
// The time of a scope is the time of its end. 38 bits suffice for 90 seconds at 3 GHz; after that
// the worker begins another buffer. A scope whose duration exceeds 42 bits (24 minutes) is a
// longScope, with the duration in a separate slot.
type slot struct{ a, b uint64 }

const (
	slotBytes   = 16
	bufferSlots = 64 << 10 / slotBytes

	symbolBits = 22
	symbolMask = 1<<symbolBits - 1
	timeBits   = 64 - kindBits - symbolBits
	durBits    = 64 - symbolBits
	kindBits   = 4
	nameShift  = timeBits
	kindShift  = 64 - kindBits

	longScope Kind = 15 // a kind that occurs only in buffers
)

// maxData limits the bytes in a User record, and maxValues the numbers in a Vector. A record of
// either size fills one buffer.
const (
	maxData   = (bufferSlots - 1) * slotBytes
	maxValues = maxData / 8
)

// A buffer holds records of one worker until they are written. It has no pointers, so the garbage
// collector does not scan it.
type buffer struct {
	slots [bufferSlots]slot
	used  int    // number of used slots
	more  int    // number of used slots that do not begin a record
	base  int64  // tick that the times in the records are relative to
	row   int    // row of the worker
	lost  uint64 // number of records of this row dropped since the previous buffer
}

func (b *buffer) records() int { return b.used - b.more }

// first returns the first word of a slot. The time is 0; the caller adds it.
func first(kind Kind, name Symbol) uint64 {
	return uint64(kind)<<kindShift | uint64(name&symbolMask)<<nameShift
}

func kindOf(a uint64) Kind   { return Kind(a >> kindShift) }
func nameOf(a uint64) Symbol { return Symbol(a >> nameShift & symbolMask) }
func timeOf(a uint64) int64  { return int64(a & (1<<timeBits - 1)) }

func withDetail(detail Symbol, ticks uint64) uint64 { return uint64(detail)<<durBits | ticks }
func detailOf(b uint64) Symbol                      { return Symbol(b >> durBits) }
func durOf(b uint64) int64                          { return int64(b & (1<<durBits - 1)) }

// slotsFor returns the number of slots that n bytes need.
func slotsFor(n int) int { return (n + slotBytes - 1) / slotBytes }

// putBytes copies data into slots. The slots must have exactly the size for the data.
func putBytes(slots []slot, data []byte) {
	for i := range slots {
		if len(data) < slotBytes {
			var last [slotBytes]byte
			copy(last[:], data)
			data = last[:]
		}
		slots[i] = slot{binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])}
		data = data[slotBytes:]
	}
}

// appendBytes appends the first n bytes in the given slots to b.
func appendBytes(b []byte, slots []slot, n int) []byte {
	end := len(b) + n
	for _, s := range slots {
		b = binary.LittleEndian.AppendUint64(b, s.a)
		b = binary.LittleEndian.AppendUint64(b, s.b)
	}
	return b[:end]
}
