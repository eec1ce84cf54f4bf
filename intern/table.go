package intern

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/zeebo/xxh3"
)

// Symbol stands for a name in one table. The first name of a table is 1, the
// next 2 and so on without a gap; 0, the zero value, is the empty name, which
// every table has.
type Symbol uint32

// None is no symbol of any table. The batch lookups put it where a name is not
// in the table.
const None Symbol = math.MaxUint32

// ErrFull says that a table has no room for a name. The other two say for
// what, and errors.Is finds ErrFull in both.
var (
	ErrFull        = errors.New("table is full")
	ErrEntriesFull = fmt.Errorf("intern: %w: its entries are used up; make it with more Entries", ErrFull)
	ErrBytesFull   = fmt.Errorf("intern: %w: the name is longer than the bytes left; make it with more Bytes", ErrFull)
)

// MaxEntries is the largest Config.Entries.
const MaxEntries = 1 << 26

// Config is the size and kind of a table.
type Config struct {
	Entries int  // distinct names that the table can hold, the empty one aside; 1 to MaxEntries
	Bytes   int  // bytes of all those names together, at least 1; with 8 more for each entry less than 4 GiB
	Hash    Hash // the hash of the names; the zero value is XXH3
}

// Table is a set of names of fixed capacity, each with its Symbol. Use New.
type Table struct {
	slots  []atomic.Uint64 // 0, or the name's hash << 32 | its record's place; a power of two of them
	arena  []byte          // records in the order of their symbols
	places []uint32        // by symbol: its record's place
	config Config

	_ [64]byte // keeps what writers change off the cache line that readers use

	mu    sync.Mutex
	used  uint32        // bytes of arena, guarded by mu
	count atomic.Uint32 // symbols given out, stored under mu
}

// New returns a table that holds the empty name. Its memory is allocated at
// once and never grows: Bytes, and 28 to 44 bytes for each entry.
func New(c Config) (*Table, error) {
	if c.Entries < 1 || c.Entries > MaxEntries {
		return nil, fmt.Errorf("intern: new: %d entries: want 1 to %d", c.Entries, MaxEntries)
	}
	if c.Hash >= hashes {
		return nil, fmt.Errorf("intern: new: %v is no hash", c.Hash)
	}
	arena := uint64(c.Bytes) + recordHead*(uint64(c.Entries)+1)
	if c.Bytes < 1 || arena > min(math.MaxUint32, math.MaxInt) {
		return nil, fmt.Errorf("intern: new: %d bytes for %d names: want 1 to %d", c.Bytes, c.Entries,
			min(math.MaxUint32, math.MaxInt)-recordHead*(int64(c.Entries)+1))
	}
	t := &Table{
		// At most half of the slots are ever taken: a name is nearly always in
		// its first slot, and a probe always comes to an end.
		slots:  make([]atomic.Uint64, 1<<bits.Len(uint(2*c.Entries-1))),
		arena:  make([]byte, arena),
		places: make([]uint32, c.Entries+1),
		config: c,
		used:   recordHead,
	}
	t.count.Store(1)
	return t, nil
}

// Intern returns the symbol of name and adds name if it is new. The error is
// ErrEntriesFull or ErrBytesFull; a table without the bytes for one name may
// still take a shorter one.
func (t *Table) Intern(name string) (Symbol, error) {
	sym, hash, ok := t.find(name)
	if ok {
		return sym, nil
	}
	return t.insert(name, hash)
}

// InternBytes is Intern for a name in a byte slice, which it does not keep.
func (t *Table) InternBytes(name []byte) (Symbol, error) { return t.Intern(view(name)) }

// Lookup returns the symbol of name and whether the table has it; if not, the
// symbol is 0, that of the empty name.
func (t *Table) Lookup(name string) (Symbol, bool) {
	sym, _, ok := t.find(name)
	return sym, ok
}

// LookupBytes is Lookup for a name in a byte slice.
func (t *Table) LookupBytes(name []byte) (Symbol, bool) { return t.Lookup(view(name)) }

// String returns the name of sym, or "" if the table has not given sym out. It
// does not copy: the string lies in the table and keeps its memory alive.
func (t *Table) String(sym Symbol) string {
	// The count is stored after the place: who sees the one sees the other.
	if uint32(sym) >= t.count.Load() {
		return ""
	}
	return text(t.arena, t.places[sym])
}

// Len returns the number of symbols, the empty name's among them: they are 0 to
// Len()-1.
func (t *Table) Len() int { return int(t.count.Load()) }

// Footprint returns the bytes of memory that the table has allocated.
func (t *Table) Footprint() int { return 8*len(t.slots) + len(t.arena) + 4*len(t.places) }

// All yields the symbols in order with their names, those that the table has
// when the loop begins.
func (t *Table) All() iter.Seq2[Symbol, string] { return all(t) }

// Sorted yields what All does in the byte-wise order of the names.
func (t *Table) Sorted() iter.Seq2[Symbol, string] { return sorted(t) }

// find returns the symbol of name and, unless name is empty, its hash.
func (t *Table) find(name string) (sym Symbol, hash uint32, ok bool) {
	if name == "" {
		return 0, 0, true
	}
	if t.config.Hash == XXH3 { // without the way through Sum32
		hash = uint32(xxh3.HashString(name))
	} else {
		hash = t.config.Hash.Sum32(name)
	}
	// Most names are in their first slot: no call for those.
	slot := t.slots[hash&uint32(len(t.slots)-1)].Load()
	if uint32(slot>>32) == hash {
		if sym, ok := match(t.arena, uint32(slot), name); ok {
			return sym, hash, true
		}
	}
	sym, ok = t.probe(name, hash)
	return sym, hash, ok
}

// probe returns the symbol of a name that is not empty.
func (t *Table) probe(name string, hash uint32) (Symbol, bool) {
	mask := uint32(len(t.slots) - 1)
	for i := hash; ; i++ {
		slot := t.slots[i&mask].Load()
		if uint32(slot>>32) == hash {
			// An empty slot may come here too; it leads to the empty name.
			if sym, ok := match(t.arena, uint32(slot), name); ok {
				return sym, true
			}
		}
		if slot == 0 {
			return 0, false
		}
	}
}

// insert adds name, which is not empty, unless another goroutine has added it
// since this one did not find it.
func (t *Table) insert(name string, hash uint32) (Symbol, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	mask := uint32(len(t.slots) - 1)
	i := hash
	for ; ; i++ {
		slot := t.slots[i&mask].Load()
		if slot == 0 {
			break
		}
		if uint32(slot>>32) == hash {
			if sym, ok := match(t.arena, uint32(slot), name); ok {
				return sym, nil
			}
		}
	}
	count := t.count.Load()
	if int(count) > t.config.Entries {
		return 0, ErrEntriesFull
	}
	if held := t.used - recordHead*count; uint64(len(name)) > uint64(t.config.Bytes)-uint64(held) {
		return 0, ErrBytesFull
	}
	at, sym := t.used, Symbol(count)
	putRecord(t.arena, at, sym, name)
	t.places[sym] = at
	t.used += recordHead + uint32(len(name))
	// Only now may readers see it: first who asks by number, then who asks by
	// name, so that a symbol from Lookup always has its name.
	t.count.Store(count + 1)
	t.slots[i&mask].Store(uint64(hash)<<32 | uint64(at))
	return sym, nil
}
