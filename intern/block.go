package intern

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/zeebo/xxh3"
)

// The block of a frozen table has this layout. All numbers are little-endian:
//
//	 0  7 bytes  "intern\n"
//	 7  1 byte   version
//	 8  8 bytes  XXH3-64 of all following bytes
//	16 16 bytes  header: hash, symbols, groups, bytes of the arena, 32 bits each
//	32  8 bytes  number of the seed
//	40           groups, places, arena as in the table, without gaps
const (
	magic   = "intern\n"
	version = 2
	sumAt   = 8
	headAt  = 16
	seedAt  = 32
	bodyAt  = 40
)

// ErrBlock means that a block is invalid. Every error of Open wraps ErrBlock.
var ErrBlock = errors.New("the data is not a usable block of names; make the block again from its table")

// header holds the numbers at offset headAt of a block.
type header struct{ hash, symbols, groups, arena uint32 }

// size returns the length of the whole block. The computation cannot overflow.
func (h header) size() uint64 {
	return bodyAt + groupSize*uint64(h.groups) + 4*uint64(h.symbols) + uint64(h.arena)
}

// MarshalBinary freezes the table and returns a block that Open can read. It returns the errors of
// Freeze.
func (t *Table) MarshalBinary() ([]byte, error) {
	f, err := t.Freeze()
	if err != nil {
		return nil, err
	}
	head := header{uint32(f.hash), uint32(len(f.places)), uint32(len(f.groups)), uint32(len(f.arena))}
	b := append(make([]byte, 0, head.size()), magic...)
	b = append(b, version)
	b = append(b, make([]byte, headAt-sumAt)...)
	for _, v := range []uint32{head.hash, head.symbols, head.groups, head.arena} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	b = binary.LittleEndian.AppendUint64(b, f.number)
	for i := range f.groups {
		g := &f.groups[i]
		b = binary.LittleEndian.AppendUint64(b, g.tags.Load())
		for _, at := range g.places {
			b = binary.LittleEndian.AppendUint32(b, at)
		}
	}
	for _, at := range f.places {
		b = binary.LittleEndian.AppendUint32(b, at)
	}
	b = append(b, f.arena...)
	seal(b)
	return b, nil
}

// seal stores the checksum of a finished block in the block.
func seal(block []byte) { binary.LittleEndian.PutUint64(block[sumAt:], xxh3.Hash(block[headAt:])) }

// Open returns the frozen table in a block from MarshalBinary. The table uses the block in place,
// so the block must not change afterwards. Only on a big-endian machine, or if the address is not a
// multiple of 8, Open copies the numbers; mapped files are aligned.
//
// Open reads the whole block and looks up each name once, so it accepts only sound blocks. The
// symbols equal the saved table's, each name occurs once and is found, and no lookup takes long.
// Errors wrap ErrBlock and state the cause.
func Open(block []byte) (*Table, error) {
	t, err := open(block)
	if err != nil {
		return nil, fmt.Errorf("intern: open: %w: %w", err, ErrBlock)
	}
	return t, nil
}

func open(block []byte) (*Table, error) {
	if len(block) < len(magic) || string(block[:len(magic)]) != magic {
		return nil, errors.New("the data is not a block of names")
	}
	if len(block) < bodyAt {
		return nil, fmt.Errorf("the block is cut off after %d bytes", len(block))
	}
	if v := block[len(magic)]; v != version {
		return nil, fmt.Errorf("the block has version %d, and this program reads %d", v, version)
	}
	u32 := func(i int) uint32 { return binary.LittleEndian.Uint32(block[headAt+4*i:]) }
	h := header{u32(0), u32(1), u32(2), u32(3)}
	if h.size() != uint64(len(block)) {
		return nil, fmt.Errorf("the block has %d bytes, but its header says %d", len(block), h.size())
	}
	if binary.LittleEndian.Uint64(block[sumAt:]) != xxh3.Hash(block[headAt:]) {
		return nil, errors.New("checksum differs")
	}
	// From here on, an error means that the writer was faulty or the checksum was forged.
	if h.hash >= uint32(hashes) {
		return nil, fmt.Errorf("hash number %d is unknown", h.hash)
	}
	if h.symbols == 0 || h.groups == 0 {
		return nil, errors.New("a part of the block is missing")
	}
	t := &Table{frozen: true}
	t.setHash(Hash(h.hash), binary.LittleEndian.Uint64(block[seedAt:]))
	t.count.Store(h.symbols)
	t.cut(block[bodyAt:], h)
	if err := t.checkRecords(); err != nil {
		return nil, err
	}
	return t, t.checkGroups()
}

// cut splits a block after its header into the arrays of the table.
func (t *Table) cut(body []byte, h header) {
	groups, rest := body[:groupSize*int(h.groups)], body[groupSize*int(h.groups):]
	places := rest[:4*int(h.symbols)]
	t.arena = rest[len(places):len(rest):len(rest)]
	if littleEndian && uintptr(unsafe.Pointer(&groups[0]))%8 == 0 {
		t.groups = unsafe.Slice((*group)(unsafe.Pointer(&groups[0])), h.groups)
		t.places = unsafe.Slice((*uint32)(unsafe.Pointer(&places[0])), h.symbols)
		return
	}
	t.groups, t.places = make([]group, h.groups), make([]uint32, h.symbols)
	for i := range t.groups {
		t.groups[i].tags.Store(binary.LittleEndian.Uint64(groups[groupSize*i:]))
		for j := range t.groups[i].places {
			t.groups[i].places[j] = binary.LittleEndian.Uint32(groups[groupSize*i+8+4*j:])
		}
	}
	for i := range t.places {
		t.places[i] = binary.LittleEndian.Uint32(places[4*i:])
	}
}

// littleEndian reports whether this machine has the byte order of a block.
var littleEndian = *(*byte)(unsafe.Pointer(&[]uint16{1}[0])) == 1

// checkRecords verifies that the places point to the records of the arena, in order and without
// gaps. Only the first name may be empty.
func (t *Table) checkRecords() error {
	at, end := uint64(0), uint64(len(t.arena))
	for i, place := range t.places {
		if uint64(place) != at || end-at < recordHead {
			return fmt.Errorf("the record of symbol %d is at the wrong place", i)
		}
		sym, n := head(t.arena, place)
		if int(sym) != i || uint64(n) > end-at-recordHead || (n == 0) != (i == 0) {
			return fmt.Errorf("symbol %d has a damaged record", i)
		}
		at += recordHead + uint64(n)
	}
	if at != end {
		return errors.New("there are extra bytes after the last record")
	}
	return nil
}

// checkGroups verifies that a lookup of each name finds its symbol, so each name occurs once. The
// number of used positions must equal the number of names, so no other position points to a record.
func (t *Table) checkGroups() error {
	taken := 0
	for i := range t.groups {
		g := &t.groups[i]
		tags := g.tags.Load()
		n := bits.OnesCount64(tags & topBits)
		if tags>>(4*n)>>(4*n) != 0 {
			return fmt.Errorf("group %d of the hash table has an empty or damaged entry", i)
		}
		// The places must be valid, because a lookup reads them before it compares names.
		for j, at := range g.places {
			if (j < n) != (at != 0) || at != 0 && !t.isPlace(at) {
				return fmt.Errorf("group %d of the hash table refers to a record that does not exist", i)
			}
		}
		taken += n
	}
	if taken != len(t.places)-1 {
		return fmt.Errorf("the hash table has %d entries for %d names", taken, len(t.places)-1)
	}
	if row := t.longestRow(); row > longest || row >= len(t.groups) {
		return fmt.Errorf("the hash table has %d full groups in a row, more than allowed", row)
	}
	for sym := Symbol(1); int(sym) < t.Len(); sym++ {
		if got, ok := t.Lookup(t.String(sym)); !ok || got != sym {
			return fmt.Errorf("a look-up of the name of symbol %d does not find it", sym)
		}
	}
	return nil
}

// isPlace reports whether a record begins at the offset. checkRecords must have succeeded before.
func (t *Table) isPlace(at uint32) bool {
	if uint64(at)+recordHead > uint64(len(t.arena)) {
		return false
	}
	sym, _ := head(t.arena, at)
	return uint64(sym) < uint64(len(t.places)) && t.places[sym] == at
}
