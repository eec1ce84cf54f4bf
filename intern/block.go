package intern

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/zeebo/xxh3"
)

// The block, all numbers little-endian:
//
//	 0  7 bytes  "intern\n"
//	 7  1 byte   version
//	 8  8 bytes  XXH3-64 of all that follows
//	16 24 bytes  header, six 32-bit numbers
//	40           places, slots, spills, pilots, arena (see Frozen), without gaps
const (
	magic    = "intern\n"
	version  = 1
	sumAt    = 8
	headAt   = 16
	bodyAt   = headAt + 6*4
	minBlock = bodyAt
)

// ErrBlock is in every error of Open.
var ErrBlock = errors.New("not a usable block of names; make it again from its table")

// header is the lengths of the parts, in elements, and the hash.
type header struct{ hash, symbols, slots, spills, pilots, arena uint32 }

func (h header) fields() [6]uint32 {
	return [...]uint32{h.hash, h.symbols, h.slots, h.spills, h.pilots, h.arena}
}

// size returns the length of the whole block; it cannot overflow.
func (h header) size() uint64 {
	return bodyAt + 4*uint64(h.symbols) + 4*uint64(h.slots) + spillLen*uint64(h.spills) +
		uint64(h.pilots) + uint64(h.arena)
}

// newBlock returns a block with its header, its other parts zero.
func newBlock(h header) *Frozen {
	block := make([]byte, h.size())
	copy(block, magic)
	block[len(magic)] = version
	for i, v := range h.fields() {
		binary.LittleEndian.PutUint32(block[headAt+4*i:], v)
	}
	return h.cut(block)
}

// cut divides a block of h.size() bytes into its parts.
func (h header) cut(block []byte) *Frozen {
	rest := block[bodyAt:]
	part := func(size uint64) []byte {
		p := rest[:size:size]
		rest = rest[size:]
		return p
	}
	return &Frozen{
		block:  block,
		hash:   Hash(h.hash),
		places: part(4 * uint64(h.symbols)),
		slots:  part(4 * uint64(h.slots)),
		spills: part(spillLen * uint64(h.spills)),
		pilots: part(uint64(h.pilots)),
		arena:  part(uint64(h.arena)),
	}
}

// seal enters the checksum of a finished block.
func seal(block []byte) { binary.LittleEndian.PutUint64(block[sumAt:], xxh3.Hash(block[headAt:])) }

// Open returns the names in a block that MarshalBinary or AppendBinary made. It
// does not copy the block, which must not change from then on. It reads all of
// it and looks up each name once, so that any block that it takes is sound: the
// symbols are those of the table, each name is there once and is found. It
// allocates nothing that depends on the block. Errors are ErrBlock with the
// cause.
func Open(block []byte) (*Frozen, error) {
	f, err := open(block)
	if err != nil {
		return nil, fmt.Errorf("intern: open: %w: %w", err, ErrBlock)
	}
	return f, nil
}

func open(block []byte) (*Frozen, error) {
	if len(block) < len(magic) || string(block[:len(magic)]) != magic {
		return nil, errors.New("no mark of a block of names at its beginning")
	}
	if len(block) < minBlock {
		return nil, fmt.Errorf("cut off after %d bytes", len(block))
	}
	if v := block[len(magic)]; v != version {
		return nil, fmt.Errorf("version %d, this program reads %d", v, version)
	}
	head := block[headAt:bodyAt]
	h := header{u32(head, 0), u32(head, 1), u32(head, 2), u32(head, 3), u32(head, 4), u32(head, 5)}
	if h.size() != uint64(len(block)) {
		return nil, fmt.Errorf("%d bytes, its header says %d", len(block), h.size())
	}
	if binary.LittleEndian.Uint64(block[sumAt:]) != xxh3.Hash(block[headAt:]) {
		return nil, errors.New("checksum differs")
	}
	// From here on an error takes a writer at fault or a forged checksum.
	if h.hash >= uint32(hashes) {
		return nil, fmt.Errorf("hash number %d is unknown", h.hash)
	}
	if h.symbols == 0 || h.slots == 0 || h.pilots == 0 {
		return nil, errors.New("a part is missing")
	}
	f := h.cut(block)
	if err := f.checkRecords(); err != nil {
		return nil, err
	}
	return f, f.checkLookups()
}

// checkRecords makes sure that the places are those of the arena's records, in
// order, without gaps, and that only the first name is empty.
func (f *Frozen) checkRecords() error {
	at := uint64(0)
	for i := range f.Len() {
		if uint64(u32(f.places, i)) != at || uint64(len(f.arena))-at < recordHead {
			return fmt.Errorf("symbol %d has no record at its place", i)
		}
		r := f.arena[at:]
		n := uint64(u32(r, 1))
		if u32(r, 0) != uint32(i) || n > uint64(len(r)-recordHead) || (n == 0) != (i == 0) {
			return fmt.Errorf("symbol %d has a damaged record", i)
		}
		at += recordHead + n
	}
	if at != uint64(len(f.arena)) {
		return errors.New("bytes behind the last record")
	}
	return nil
}

// checkLookups makes sure that each name leads to its symbol, which implies that
// no name is there twice. Each symbol needs a position or a spill of its own, so
// when there are as many of them as symbols, none leads anywhere else.
func (f *Frozen) checkLookups() error {
	leads := len(f.spills) / spillLen
	for i := range len(f.slots) / 4 {
		if u32(f.slots, i) != 0 {
			leads++
		}
	}
	if leads != f.Len()-1 {
		return fmt.Errorf("%d positions for %d names", leads, f.Len()-1)
	}
	for i := range len(f.spills) / spillLen {
		// Bisection reads these records before any of them has been looked up.
		if at := u32(f.spills, 2*i+1); !f.isPlace(at) {
			return fmt.Errorf("spill %d leads to no record", i)
		}
	}
	for sym := Symbol(1); int(sym) < f.Len(); sym++ {
		if got, ok := f.Lookup(f.String(sym)); !ok || got != sym {
			return fmt.Errorf("symbol %d is not found by its name", sym)
		}
	}
	return nil
}

// isPlace reports whether a record begins at the place; the records have been
// checked.
func (f *Frozen) isPlace(at uint32) bool {
	if uint64(at)+recordHead > uint64(len(f.arena)) {
		return false
	}
	sym := u32(f.arena[at:], 0)
	return int64(sym) < int64(f.Len()) && u32(f.places, int(sym)) == at
}
