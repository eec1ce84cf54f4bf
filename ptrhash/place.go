package ptrhash

import (
	"math/bits"
	"unsafe"
)

// mix is murmur3's fmix64 (Austin Appleby) without its last step, which the used bits do not need.
// Wang64 spreads addresses no better and takes twice as many instructions.
func mix(key uintptr) uint64 {
	h := uint64(key)
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h
}

// slot returns the slot of a key with hash h in a bucket with displacement d.
func (t *Table[V]) slot(h uint64, d uint8) uint64 { return (h + uint64(d)) & t.mask }

// at returns &s[i] without a bounds check.
func at[T any](s []T, i uint64) *T {
	return (*T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), uintptr(i)*unsafe.Sizeof(s[0])))
}

// At returns the address of the key's value, or nil if the key has no entry. The pointer is valid
// until the next Insert, or until the key is deleted.
func (t *Table[V]) At(key uintptr) *V {
	// This check detects the zero Table. No other index needs a check: a shifted hash is always
	// below the lengths of disp and heads, mask is the last slot, and the lists hold slots. A check
	// that panics, or a function call, would require a stack frame and make At a tenth slower.
	h := mix(key)
	b := h >> (t.shift & 63)
	if b >= uint64(len(t.disp)) {
		return nil
	}
	d := *at(t.disp, b)
	slot := t.slot(h, d)
	if *at(t.keys, slot) == key && key != 0 {
		return at(t.vals, slot)
	}
	if d == listed {
		for i := *at(t.heads, b); i != 0; {
			slot := uint64(i - 1)
			if *at(t.keys, slot) == key {
				return at(t.vals, slot)
			}
			i = *at(t.next, slot)
		}
	}
	return nil
}

// maxMoved limits the work of an Insert. With half of the slots free, one in 2^n displacements
// suits n entries, so a search for more entries would rarely succeed.
const maxMoved = 10

// makeRoom returns a free slot for a new key with hash h in bucket b. It finds a new displacement
// of the bucket or, failing that, turns the bucket into a list.
func (t *Table[V]) makeRoom(b, h uint64) uint64 {
	var slots, hashes [maxMoved]uint64
	n := 0
	for i := t.heads[b]; i != 0; i = t.next[i-1] {
		if n == maxMoved {
			return t.giveUp(b, h)
		}
		slots[n], hashes[n] = uint64(i-1), mix(t.keys[i-1])
		if t.anyHome(hashes[:n], hashes[n]) {
			return t.giveUp(b, h)
		}
		n++
	}
	if t.anyHome(hashes[:n], h) {
		return t.giveUp(b, h)
	}
	for base := uint64(0); base < listed; base += 64 {
		free := t.free(h + base)
		for _, hash := range hashes[:n] {
			free &= t.free(hash + base)
		}
		d := base + uint64(bits.TrailingZeros64(free))
		if free == 0 || d >= listed {
			continue
		}
		t.disp[b], t.heads[b] = uint8(d), 0
		for i, from := range slots[:n] {
			to := t.slot(hashes[i], uint8(d))
			key, v := t.freeSlot(from)
			t.putEntry(b, to, key, v)
		}
		return t.slot(h, uint8(d))
	}
	return t.giveUp(b, h)
}

// anyHome reports whether any of the hashes has the same home slot as h. Such hashes collide for
// every displacement.
func (t *Table[V]) anyHome(hashes []uint64, h uint64) bool {
	for _, other := range hashes {
		if (other^h)&t.mask == 0 {
			return true
		}
	}
	return false
}

// giveUp turns bucket b into a linked list. It returns the first free slot after the home slot of
// the new key.
func (t *Table[V]) giveUp(b, h uint64) uint64 {
	t.disp[b] = listed
	for ; ; h += 64 {
		if free := t.free(h); free != 0 {
			return (h + uint64(bits.TrailingZeros64(free))) & t.mask
		}
	}
}

// free returns a bit set of the free slots among 64 slots. The lowest bit is the slot of hash h.
func (t *Table[V]) free(h uint64) uint64 {
	h &= t.mask
	words := uint64(len(t.used) - 1)
	low, high := t.used[h/64&words], t.used[(h/64+1)&words]
	return ^(low>>(h%64) | high<<1<<(63-h%64))
}

func (t *Table[V]) putEntry(b, slot uint64, key uintptr, v V) {
	t.used[slot/64] |= 1 << (slot % 64)
	t.keys[slot], t.vals[slot] = key, v
	t.next[slot] = t.heads[b]
	t.heads[b] = uint32(slot) + 1
}

// freeSlot frees a slot that is not in a list, and returns its entry.
func (t *Table[V]) freeSlot(slot uint64) (key uintptr, v V) {
	t.used[slot/64] &^= 1 << (slot % 64)
	key, t.keys[slot] = t.keys[slot], 0
	v, t.vals[slot] = t.vals[slot], v
	return key, v
}
