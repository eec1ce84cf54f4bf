package intern

import (
	"encoding/binary"
	"unsafe"
)

// A record is symbol, length in bytes, and the bytes; the two numbers are
// 32-bit and little-endian, so that an arena is the same on every machine. The
// first record of each arena, at 0, is that of the empty name. No slot leads
// there, so 0 also says that a slot is empty.
const recordHead = 8

// putRecord writes a record at arena[at:], which has room for it.
func putRecord(arena []byte, at uint32, sym Symbol, name string) {
	r := arena[at:]
	binary.LittleEndian.PutUint32(r, uint32(sym))
	binary.LittleEndian.PutUint32(r[4:], uint32(len(name)))
	copy(r[recordHead:], name)
}

// match returns the symbol of the record at, if name is its name. It is sound
// for any arena and any at.
func match(arena []byte, at uint32, name string) (Symbol, bool) {
	end := uint64(at) + recordHead + uint64(len(name))
	if end > uint64(len(arena)) {
		return 0, false
	}
	r := arena[at:end]
	if binary.LittleEndian.Uint32(r[4:]) != uint32(len(name)) || string(r[recordHead:]) != name {
		return 0, false
	}
	return Symbol(binary.LittleEndian.Uint32(r)), true
}

// text returns the name in the record at, without a copy.
func text(arena []byte, at uint32) string {
	r := arena[at:]
	return view(r[recordHead:][:binary.LittleEndian.Uint32(r[4:])])
}

// view returns the bytes of b as a string that shares their memory. They must
// not change while it is in use.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
