package intern

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Symbol identifies a name in one table. Symbol 0 is the empty name, which every table has. The
// names that are added get the symbols 1, 2 and so on, without gaps.
type Symbol uint32

// None is not a symbol of any table. Batch lookups return it for missing names.
const None Symbol = math.MaxUint32

// ErrFull means that the table has no room for a name, or is frozen. Errors of [Table.Intern] wrap
// ErrFull and give the reason.
var (
	ErrFull        = errors.New("the table is full")
	errEntriesFull = fmt.Errorf("intern: %w: all entries are used; make it with more Entries", ErrFull)
	errBytesFull   = fmt.Errorf("intern: %w: the name is longer than the bytes left; make it with more Bytes", ErrFull)
	errFrozen      = fmt.Errorf("intern: %w: the table is frozen; intern its names in a new table, in the same order, to add more", ErrFull)
)

// maxEntries is the largest Config.Entries.
const maxEntries = 1 << 26

// Config sets the size and the hash of a table.
type Config struct {
	Entries int  // maximum number of names besides the empty one, 1 to 1<<26
	Bytes   int  // maximum total length of the names, at least 1; Bytes + 8*Entries must be below 4 GiB
	Hash    Hash // hash function; the zero value is Seeded
}

// Table is a set of names with fixed capacity. Each name has a Symbol. Use New to make a table, or
// Open for a saved one.
type Table struct {
	groups []group
	arena  []byte   // records in the order of their symbols
	places []uint32 // places[sym] is the offset of the record in arena
	hasher
	frozen bool
	number uint64 // number of the seed, see newSeed
	config Config

	_ [64]byte // Padding keeps the fields of writers off the cache line of readers.

	mu    sync.Mutex
	used  uint32        // number of used bytes in arena, guarded by mu
	count atomic.Uint32 // number of symbols, written only under mu
}

// New returns a table that contains only the empty name. It allocates all memory at once: c.Bytes,
// and 24 bytes per entry.
func New(c Config) (*Table, error) {
	if c.Entries < 1 || c.Entries > maxEntries {
		return nil, fmt.Errorf("intern: new: %d entries: want 1 to %d", c.Entries, maxEntries)
	}
	if c.Hash >= hashes {
		return nil, fmt.Errorf("intern: new: %v is not a hash", c.Hash)
	}
	arena := uint64(c.Bytes) + recordHead*(uint64(c.Entries)+1)
	if c.Bytes < 1 || arena > min(math.MaxUint32, math.MaxInt) {
		return nil, fmt.Errorf("intern: new: %d bytes for %d names: want 1 to %d", c.Bytes, c.Entries,
			min(math.MaxUint32, math.MaxInt)-recordHead*(int64(c.Entries)+1))
	}
	t := &Table{
		groups: make([]group, groupsFor(c.Entries)),
		arena:  make([]byte, arena),
		places: make([]uint32, c.Entries+1),
		config: c,
		used:   recordHead,
	}
	t.setHash(c.Hash, rand.Uint64())
	t.count.Store(1)
	return t, nil
}

// setHash sets the hash function and the seed number.
func (t *Table) setHash(h Hash, number uint64) {
	t.hasher, t.number = hasher{h, newSeed(number)}, number
}

// Intern returns the symbol of name and adds name if it is new. The error wraps [ErrFull]. A
// table that has no room for one name may still accept a shorter one.
func (t *Table) Intern(name string) (Symbol, error) { return t.find(name, true) }

// InternBytes is like Intern for a byte slice, which it does not retain.
func (t *Table) InternBytes(name []byte) (Symbol, error) { return t.Intern(view(name)) }

// Lookup returns the symbol of name, and reports whether the table has the name. The symbol of a
// missing name is 0.
func (t *Table) Lookup(name string) (Symbol, bool) {
	sym, err := t.find(name, false)
	return sym, err == nil
}

// LookupBytes is like Lookup for a byte slice, which it does not retain.
func (t *Table) LookupBytes(name []byte) (Symbol, bool) { return t.Lookup(view(name)) }

// String returns the name of sym, or "" if the table has no such symbol. The string shares the
// table's memory and keeps it alive.
func (t *Table) String(sym Symbol) string {
	// Writers store the place before the count. A reader that sees the new count therefore also
	// sees the place.
	if uint32(sym) >= t.count.Load() {
		return ""
	}
	return text(t.arena, t.places[sym])
}

// Len returns the number of symbols, including the empty name's. Valid symbols are 0 to Len()-1.
func (t *Table) Len() int { return int(t.count.Load()) }

// Footprint returns the number of bytes that the table has allocated. For a table from Open, it
// returns the number of bytes of the block that the table uses.
func (t *Table) Footprint() int { return groupSize*len(t.groups) + len(t.arena) + 4*len(t.places) }

// All yields the symbols and names in order. It includes only the names present when the loop
// begins.
func (t *Table) All() iter.Seq2[Symbol, string] {
	return func(yield func(Symbol, string) bool) {
		for sym := range Symbol(t.Len()) {
			if !yield(sym, t.String(sym)) {
				return
			}
		}
	}
}

// insert adds a nonempty name, unless another goroutine has added it in the meantime.
func (t *Table) insert(name string, hash uint64) (Symbol, error) {
	if t.frozen {
		return 0, errFrozen
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if sym, ok := t.probe(name, hash); ok {
		return sym, nil
	}
	count := t.count.Load()
	if int(count) > t.config.Entries {
		return 0, errEntriesFull
	}
	if held := t.used - recordHead*count; uint64(len(name)) > uint64(t.config.Bytes)-uint64(held) {
		return 0, errBytesFull
	}
	at, sym := t.used, Symbol(count)
	putRecord(t.arena, at, sym, name)
	t.places[sym] = at
	t.used += recordHead + uint32(len(name))
	// The record is complete, so publish it now: first by number, then by name. A symbol from
	// Lookup then always has a name.
	t.count.Store(count + 1)
	t.enterRecord(hash, at, len(t.groups))
	return sym, nil
}

// enterRecord stores the place of a complete record in the first free position, starting at the
// group of the hash. It stops after the number of groups in most, and returns false if they are all
// full.
func (t *Table) enterRecord(hash uint64, at uint32, most int) bool {
	i := groupOf(hash, len(t.groups))
	for range most {
		g := &t.groups[i]
		if tags := g.tags.Load(); !full(tags) {
			free := position(^tags & topBits)
			g.places[free] = at
			g.tags.Store(tags | tagsOf(hash)&(0xff<<(8*free)))
			return true
		}
		if i++; i == len(t.groups) {
			i = 0
		}
	}
	return false
}

// A record consists of the symbol, the length in bytes, and the bytes of the name. Both numbers are
// 32-bit and little-endian, so that an arena is the same on every machine. The record of the empty
// name is the first of each arena, at offset 0.
const (
	recordHead = 8
	lengthAt   = 4
)

// putRecord writes a record at arena[at:]. The caller must reserve the space.
func putRecord(arena []byte, at uint32, sym Symbol, name string) {
	r := arena[at:]
	binary.LittleEndian.PutUint32(r, uint32(sym))
	binary.LittleEndian.PutUint32(r[lengthAt:], uint32(len(name)))
	copy(r[recordHead:], name)
}

// head returns the symbol and the name's length from a record.
func head(arena []byte, at uint32) (Symbol, uint32) {
	h := binary.LittleEndian.Uint64(arena[at:])
	return Symbol(h), uint32(h >> 32)
}

// text returns the name in a record without copying it.
func text(arena []byte, at uint32) string {
	_, n := head(arena, at)
	return view(arena[at:][recordHead:][:n])
}

// view returns b as a string without copying it. The bytes must not change while the string is in
// use.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
