package hashing

import (
	"fmt"
	"hash"
)

// Class says what a function may be trusted with.
type Class int

const (
	// Accident: the function finds accidental changes, each missed with a
	// probability of about 2^-bits. Who wants to can make two contents with one
	// sum, mostly in milliseconds, whatever the seed.
	Accident Class = iota
	// Identity: no two contents with one sum are known and nobody knows how to
	// make them, so that the sum may name content.
	Identity
)

// String returns "accident" or "identity".
func (c Class) String() string {
	switch c {
	case Accident:
		return "accident"
	case Identity:
		return "identity"
	}
	return fmt.Sprintf("Class(%d)", int(c))
}

// Func is one function of the registry. Get it from [Lookup] and copy it freely;
// the zero Func computes nothing. All methods are safe for concurrent use.
type Func struct {
	Name   string // as Lookup takes it
	Size   int    // bytes of a sum: 4, 8, 16, 20, 32 or 64
	Class  Class
	Source string // the paper or specification that defines it
	Check  string // lower-case hex of the sum of "123456789"; "" if it differs from process to process

	sum    func([]byte) Sum    // one shot
	narrow func([]byte) Sum128 // one shot as a number; panics for functions of more than 16 bytes
	word   func([]byte) uint64 // the low 64 bits
	stream func() hash.Hash
	seeded func(seed uint64) (hash.Hash, error) // nil: takes no seed
	joints *joints                              // nil: has to see the input in order
}

// New returns a streaming hash. Its Sum appends Size bytes, most significant
// first, and leaves the state as it is; its Write never fails and never keeps its
// argument. It belongs to one goroutine at a time. All but xxh3, xxh128, blake3,
// maphash and slice8 implement encoding.BinaryMarshaler and BinaryUnmarshaler.
func (f Func) New() hash.Hash { return f.stream() }

// Sum returns the sum of b and allocates nothing. Where short inputs are summed by
// the million, use [Func.Sum64] or [Func.Sum128]: a Sum has room for 64 bytes, and
// returning it takes longer than hashing 16 bytes.
func (f Func) Sum(b []byte) Sum {
	if f.sum == nil {
		return f.narrow(b).sum(f.Size)
	}
	return f.sum(b)
}

// Sum64 returns the low 64 bits of the sum of b, its last 8 bytes. Shorter sums are
// returned whole. On short inputs it is the fastest way to call a function of at most
// 8 bytes.
func (f *Func) Sum64(b []byte) uint64 { return f.word(b) }

// Sum128 returns Sum as a number, for functions of at most 16 bytes; it panics for
// others.
func (f *Func) Sum128(b []byte) Sum128 { return f.narrow(b) }

// Seeded reports whether NewSeeded works.
func (f Func) Seeded() bool { return f.seeded != nil }

// NewSeeded is New with a seed, which gives a function of its own; the seed 0
// gives that of New. It fails if the function takes no seed or only a shorter
// one. No seed makes a function of class Accident safe against an attacker.
func (f Func) NewSeeded(seed uint64) (hash.Hash, error) {
	if f.seeded == nil {
		return nil, fmt.Errorf("seed %s: the function takes no seed", f.Name)
	}
	h, err := f.seeded(seed)
	if err != nil {
		return nil, fmt.Errorf("seed %s: %w", f.Name, err)
	}
	return h, nil
}

// Parallel reports whether several cores can sum one large input: for CRCs and
// Adler-32 because the sums of two parts give that of the whole, for BLAKE3
// because it is a tree.
func (f Func) Parallel() bool { return f.joints != nil }

// seeded32 refuses the seeds that a function of 32-bit seeds cannot take.
func seeded32(stream func(seed uint32) hash.Hash) func(uint64) (hash.Hash, error) {
	return func(seed uint64) (hash.Hash, error) {
		if seed>>32 != 0 {
			return nil, fmt.Errorf("%#x does not fit the 32 bits of its seed", seed)
		}
		return stream(uint32(seed)), nil
	}
}
