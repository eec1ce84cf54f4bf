package intern

import (
	"encoding/binary"
	"unsafe"
)

// A record is symbol, length in bytes, and the bytes; the two numbers are
// 32-bit and little-endian, so that an arena is the same on every machine. The
// first record of each arena, at 0, is that of the empty name.
const (
	recordHead = 8
	lengthAt   = 4
)

// putRecord writes a record at arena[at:], which has room for it.
func putRecord(arena []byte, at uint32, sym Symbol, name string) {
	r := arena[at:]
	binary.LittleEndian.PutUint32(r, uint32(sym))
	binary.LittleEndian.PutUint32(r[lengthAt:], uint32(len(name)))
	copy(r[recordHead:], name)
}

// head returns the symbol and the length of name in the record at.
func head(arena []byte, at uint32) (Symbol, uint32) {
	h := binary.LittleEndian.Uint64(arena[at:])
	return Symbol(h), uint32(h >> 32)
}

// text returns the name in the record at, without a copy.
func text(arena []byte, at uint32) string {
	_, n := head(arena, at)
	return view(arena[at:][recordHead:][:n])
}

// view returns the bytes of b as a string that shares their memory. They must
// not change while it is in use.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
