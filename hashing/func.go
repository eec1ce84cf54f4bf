package hashing

import (
	"encoding/binary"
	"fmt"
	"hash"
	"slices"
)

// Func is one function of the registry. Get it from [Lookup] and copy it freely;
// the zero Func computes nothing. All methods are safe for concurrent use.
type Func struct {
	Name   string // name in Lookup
	Size   int    // bytes of a sum: 4, 8, 16, 20, 32 or 64
	Source string // the defining paper or specification
	Check  string // hex sum of "123456789"; "" if it varies by process

	// Identity is set if no two contents with the same sum are known, and no method to find them, so
	// that a sum may name content. Every other function only detects accidental changes. It misses
	// a change with a probability of about 2^-bits. An attacker can make two contents with the same
	// sum, mostly in milliseconds, whatever the seed.
	Identity bool

	sum    func([]byte) Sum    // one shot
	narrow func([]byte) Sum128 // one shot as a number; panics beyond 16 bytes
	word   func([]byte) uint64 // low 64 bits of the sum
	stream func() hash.Hash
	seeded func(seed uint64) (hash.Hash, error) // nil without seeds
	joints *joints                              // nil if the input must be read in order
}

// New returns a streaming hash. Its Sum appends Size bytes, most significant first, and does not
// change the state; its Write never fails and never keeps its argument. One goroutine at a time
// may use it. All but xxh3, xxh128, blake3, maphash and slice8 implement encoding.BinaryMarshaler
// and BinaryUnmarshaler.
func (f Func) New() hash.Hash { return f.stream() }

// Sum returns the sum of b without allocating. For millions of short inputs use [Func.Sum64] or
// [Func.Sum128]: a Sum has room for 64 bytes, and returning it takes longer than hashing 16
// bytes.
func (f Func) Sum(b []byte) Sum {
	if f.sum == nil {
		return f.narrow(b).sum(f.Size)
	}
	return f.sum(b)
}

// Sum64 returns the low 64 bits of the sum of b, its last 8 bytes. Shorter sums are returned
// whole. For short inputs it is the fastest way to compute a sum of at most 8 bytes.
func (f *Func) Sum64(b []byte) uint64 { return f.word(b) }

// Sum128 returns Sum as a number, for functions of at most 16 bytes; it panics for
// others.
func (f *Func) Sum128(b []byte) Sum128 { return f.narrow(b) }

// NewSeeded is New with a seed, which selects a different function; seed 0 selects the function
// of New. It fails if the function takes no seed or only shorter seeds. A seed does not make a
// function safe against an attacker.
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

// Parallel reports whether several cores can sum one large input: CRCs and Adler-32 because the
// sums of two parts determine the sum of the whole, BLAKE3 because it is a tree.
func (f Func) Parallel() bool { return f.joints != nil }

// seeded32 refuses seeds of more than 32 bits.
func seeded32(stream func(seed uint32) hash.Hash) func(uint64) (hash.Hash, error) {
	return func(seed uint64) (hash.Hash, error) {
		if seed>>32 != 0 {
			return nil, fmt.Errorf("%#x does not fit the 32 bits of its seed", seed)
		}
		return stream(uint32(seed)), nil
	}
}

// Default is the name of the function to use if there is no reason for another function.
const Default = "xxh128"

// registry holds every function in the order of Names, the default first. It never changes.
var registry = deriveNumbers(slices.Concat(xxhashFuncs(), crc32Funcs(), crc64Funcs(), []Func{adlerFunc()}, fnvFuncs(),
	murmurFuncs(), []Func{rapidhashFunc(), lookup2Func()}, identityFuncs(), brokenFuncs(), []Func{maphashFunc()}))

// deriveNumbers derives the missing ways to get a sum as a number. A function provides narrow if
// its sums have at most 16 bytes, and otherwise sum.
func deriveNumbers(all []Func) []Func {
	for i := range all {
		f := &all[i]
		sum, narrow, name, size := f.sum, f.narrow, f.Name, f.Size
		if narrow == nil {
			f.narrow = func([]byte) Sum128 {
				panic("hashing: Sum128 of " + name + ", whose sums have more than 16 bytes")
			}
			f.word = func(b []byte) uint64 {
				var buf [maxSize]byte
				return binary.BigEndian.Uint64(sum(b).Append(buf[:0])[size-8:])
			}
			continue
		}
		if f.word == nil {
			f.word = func(b []byte) uint64 { return narrow(b).Lo }
		}
	}
	return all
}

// Lookup returns the function of that name.
func Lookup(name string) (Func, bool) {
	for i := range registry {
		if registry[i].Name == name {
			return registry[i], true
		}
	}
	return Func{}, false
}

// Names returns the names of all functions, the default first.
func Names() []string {
	names := make([]string, len(registry))
	for i := range registry {
		names[i] = registry[i].Name
	}
	return names
}
