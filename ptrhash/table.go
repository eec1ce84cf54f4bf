package ptrhash

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"unsafe"
)

// ErrFull is the unwrapped error of [Table.Insert] for a full table.
var ErrFull = errors.New("ptrhash: insert: the table is full; make the table with a larger capacity")

var (
	errExists  = errors.New("ptrhash: insert: the key has an entry already; change its value through At")
	errZeroKey = errors.New("ptrhash: insert: the key is 0, which is not an address")
)

// maxCapacity is the largest capacity of a table.
const maxCapacity = 1 << 30

// Table maps addresses to values. Its capacity is fixed; see [NewTable]. The zero Table has
// capacity 0. Several goroutines may read a Table at the same time, but not while another goroutine
// changes it.
//
// A key is a number, which does not keep an object alive. If a key is the address of a Go object,
// Delete it before the object may be collected. Do not use addresses of variables on a goroutine's
// stack, because stacks move.
//
// A table has two to four slots for each entry of its capacity, or two if the capacity is a power
// of two. A slot takes the size of V and 13 bytes. Keep V small: for large records, store an index
// or a pointer.
type Table[V any] struct {
	disp  []uint8 // displacement of each bucket, or the constant listed
	shift uint8   // a hash shifted right by shift is its bucket
	mask  uint64  // number of slots minus 1

	// keys, vals and used are indexed by slot. They have the key of an entry, or 0 if the slot is
	// free; its value; and a bit that is set if the slot is used.
	keys []uintptr
	vals []V
	used []uint64

	// heads and next have the entries of each bucket as a linked list of slot+1, ended by 0.
	heads []uint32 // indexed by bucket
	next  []uint32 // indexed by slot

	len, cap int
}

// listed is the displacement of a bucket with a linked list.
const listed = 255

const (
	minSlots       = 64 // the number of bits in one word of used
	slotsPerEntry  = 2
	slotsPerBucket = 4
)

// NewTable returns an empty table for up to capacity entries. It panics if
// capacity is not 0 to 1<<30.
func NewTable[V any](capacity int) *Table[V] {
	if capacity < 0 || capacity > maxCapacity {
		panic(fmt.Sprintf("ptrhash: the capacity is %d; it must be 0 to %d", capacity, maxCapacity))
	}
	slots := uint(minSlots)
	for slots < slotsPerEntry*uint(capacity) {
		slots *= 2
	}
	buckets := slots / slotsPerBucket
	return &Table[V]{
		disp:  make([]uint8, buckets),
		shift: uint8(64 - bits.TrailingZeros(buckets)),
		mask:  uint64(slots - 1),
		keys:  make([]uintptr, slots),
		vals:  make([]V, slots),
		used:  make([]uint64, slots/64),
		heads: make([]uint32, buckets),
		next:  make([]uint32, slots),
		cap:   capacity,
	}
}

// Key returns the address of *p as a key.
func Key[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// Len returns the number of entries.
func (t *Table[V]) Len() int { return t.len }

// Insert adds an entry. It never replaces an entry, because a tracker that gets an address twice
// has missed its release. Pointers from [Table.At] and [Table.All] are invalid afterwards.
//
// The error is [ErrFull] if the number of entries equals the capacity. Insert also returns an error
// if the key is 0 or has an entry. After an error the table is unchanged.
func (t *Table[V]) Insert(key uintptr, v V) error {
	switch {
	case key == 0:
		return errZeroKey
	case t.At(key) != nil:
		return errExists
	case t.len >= t.cap:
		return ErrFull
	}
	h := mix(key)
	b := h >> (t.shift & 63)
	slot := t.slot(h, t.disp[b])
	if t.disp[b] == listed || t.keys[slot] != 0 {
		slot = t.makeRoom(b, h)
	}
	t.putEntry(b, slot, key, v)
	t.len++
	return nil
}

// Lookup returns the value of the key. ok reports whether the key has an entry.
func (t *Table[V]) Lookup(key uintptr) (v V, ok bool) {
	if p := t.At(key); p != nil {
		return *p, true
	}
	return v, false
}

// Delete removes the entry of the key and returns its value. ok reports whether there was an entry.
// No other entry moves.
func (t *Table[V]) Delete(key uintptr) (v V, ok bool) {
	if key == 0 || t.len == 0 {
		return v, false
	}
	b := mix(key) >> (t.shift & 63)
	for link := &t.heads[b]; *link != 0; link = &t.next[*link-1] {
		slot := *link - 1
		if t.keys[slot] != key {
			continue
		}
		*link = t.next[slot]
		if t.heads[b] == 0 {
			t.disp[b] = 0
		}
		t.len--
		_, v = t.freeSlot(uint64(slot))
		return v, true
	}
	return v, false
}

// All yields every key and a pointer to its value, in arbitrary order. The loop may delete entries,
// which are then not yielded later. It must not insert entries.
func (t *Table[V]) All() iter.Seq2[uintptr, *V] {
	return func(yield func(uintptr, *V) bool) {
		for slot, key := range t.keys {
			if key != 0 && !yield(key, &t.vals[slot]) {
				return
			}
		}
	}
}
