package intern

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"slices"
	"strings"
)

// Frozen is the names of a Table for reading only. It is one flat block that
// can be stored and opened elsewhere; block.go has its layout. A lookup
// compares one string at most. All methods may be called concurrently.
//
// Names are found by a nearly perfect hash with displacements, as in PTHash
// (Pibiri and Trani, SIGIR 2021): the hash of a name chooses a bucket, the
// bucket's pilot byte and the hash choose the one position where the place of
// the name's record stands. Buckets that no pilot suits, those with names of
// equal hash above all, are spilled into a sorted list.
type Frozen struct {
	block  []byte // the whole of it; what follows are parts of it
	places []byte // 4 bytes for each symbol: its record's place
	slots  []byte // 4 bytes for each position: a record's place, or 0
	spills []byte // 8 bytes for each spilled name: hash and place, sorted by hash, then name
	pilots []byte // a byte for each bucket
	arena  []byte // records as in a Table
	hash   Hash
}

const (
	spilled  = 255 // the pilot of a spilled bucket
	perName  = 3   // names for each bucket; more make pilots harder to find
	slack    = 8   // one position in so many stays free; fewer make pilots harder to find
	spillLen = 8
)

// bucketOf returns the bucket of a hash, one of n.
func bucketOf(hash uint32, n int) int { return int(uint64(hash) * uint64(n) >> 32) }

// positionOf returns the position of a hash in a bucket with that pilot, one of
// n. Different pilots must scatter a bucket's names anew, although their hashes
// agree in the upper bits; so both multipliers (odd, from the golden ratio and
// from SplitMix64) have to reach every bit.
func positionOf(hash uint32, pilot byte, n int) int {
	x := (uint64(hash)<<8 | uint64(pilot)) * 0x9e3779b97f4a7c15
	x = (x ^ x>>32) * 0xbf58476d1ce4e5b9
	high, _ := bits.Mul64(x, uint64(n))
	return int(high)
}

// u32 returns the i-th 32-bit number of b.
func u32(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }

// Lookup returns the symbol of name and whether the table has it.
func (f *Frozen) Lookup(name string) (Symbol, bool) {
	if name == "" {
		return 0, true
	}
	hash := f.hash.Sum32(name)
	pilot := f.pilots[bucketOf(hash, len(f.pilots))]
	if pilot == spilled {
		return f.lookupSpilled(name, hash)
	}
	// A free position leads to the empty name, which name is not.
	return match(f.arena, u32(f.slots, positionOf(hash, pilot, len(f.slots)/4)), name)
}

// LookupBytes is Lookup for a name in a byte slice.
func (f *Frozen) LookupBytes(name []byte) (Symbol, bool) { return f.Lookup(view(name)) }

// lookupSpilled searches the list by bisection, so that not even names of one
// and the same hash make it slow.
func (f *Frozen) lookupSpilled(name string, hash uint32) (Symbol, bool) {
	low, high := 0, len(f.spills)/spillLen
	for low < high {
		mid := int(uint(low+high) >> 1)
		order := 0
		switch h := u32(f.spills, 2*mid); {
		case h < hash:
			order = -1
		case h > hash:
			order = 1
		default:
			at := u32(f.spills, 2*mid+1)
			if sym, ok := match(f.arena, at, name); ok {
				return sym, true
			}
			order = strings.Compare(text(f.arena, at), name)
		}
		if order < 0 {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return 0, false
}

// String returns the name of sym, or "" if there is no such symbol. It does not
// copy: the string lies in the block.
func (f *Frozen) String(sym Symbol) string {
	if uint64(sym) >= uint64(f.Len()) {
		return ""
	}
	return text(f.arena, u32(f.places, int(sym)))
}

// Len returns the number of symbols, the empty name's among them: they are 0 to
// Len()-1.
func (f *Frozen) Len() int { return len(f.places) / 4 }

// Hash returns the hash of the table that was frozen.
func (f *Frozen) Hash() Hash { return f.hash }

// Footprint returns the bytes of memory of the block.
func (f *Frozen) Footprint() int { return len(f.block) }

// All yields the symbols in order with their names.
func (f *Frozen) All() iter.Seq2[Symbol, string] { return all(f) }

// Sorted yields what All does in the byte-wise order of the names.
func (f *Frozen) Sorted() iter.Seq2[Symbol, string] { return sorted(f) }

// AppendBinary appends the block that Open takes. The error is always nil.
func (f *Frozen) AppendBinary(b []byte) ([]byte, error) { return append(b, f.block...), nil }

// MarshalBinary returns a copy of the block that Open takes. The error is
// always nil.
func (f *Frozen) MarshalBinary() ([]byte, error) { return slices.Clone(f.block), nil }
