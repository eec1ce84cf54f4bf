package hashing

import (
	"encoding/binary"
	"fmt"
	"hash"
	"slices"
)

// Func is one function of the registry. Get it from [Lookup] and copy it freely. The zero Func
// computes nothing. All methods are safe for concurrent use.
type Func struct {
	Name   string // name for Lookup
	Size   int    // bytes of a checksum: 4, 8, 16, 20, 32 or 64
	Source string // the paper or specification that defines the function
	Check  string // hex checksum of "123456789"; "" if it varies by process

	// Identity is set if no collisions are known, and no method to find them, so that a checksum
	// may name content. Other functions only detect accidental changes. They miss a change with a
	// probability of about 2^-bits. An attacker can find collisions, mostly in milliseconds, for
	// any seed.
	Identity bool

	sum    func([]byte) Sum    // computes a checksum in one call
	narrow func([]byte) Sum128 // computes a checksum as a number; panics if it has more than 16 bytes
	word   func([]byte) uint64 // computes the low 64 bits of the checksum
	stream func() hash.Hash
	seeded func(seed uint64) (hash.Hash, error) // nil if the function has no seeds
	joints *joints                              // nil if the input must be read in order
}

// New returns a streaming hash. Its Sum appends Size bytes, with the most significant byte first,
// and does not change the state. Its Write never fails and never keeps its argument. Only one
// goroutine at a time may use it. All but xxh3, xxh128, blake3, maphash and slice8 implement
// encoding.BinaryMarshaler and BinaryUnmarshaler.
func (f Func) New() hash.Hash { return f.stream() }

// Sum returns the checksum of b without allocating. For millions of short inputs, use [Func.Sum64]
// or [Func.Sum128]: a Sum has room for 64 bytes, and returning it takes longer than hashing 16
// bytes.
func (f Func) Sum(b []byte) Sum {
	if f.sum == nil {
		return f.narrow(b).sum(f.Size)
	}
	return f.sum(b)
}

// Sum64 returns the low 64 bits of the checksum of b, which are its last 8 bytes. It returns
// shorter checksums completely. It is the fastest way to compute a checksum of at most 8 bytes for
// short inputs.
func (f *Func) Sum64(b []byte) uint64 { return f.word(b) }

// Sum128 returns the checksum of b as a number. It panics if the function's checksums have more
// than 16 bytes.
func (f *Func) Sum128(b []byte) Sum128 { return f.narrow(b) }

// NewSeeded is like New with a seed, which selects a different function. Seed 0 selects the
// function of New. NewSeeded fails if the function has no seeds or only shorter seeds. A seed does
// not make a function safe against an attacker.
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

// Parallel reports whether several cores can share one large input. CRCs and Adler-32 allow this,
// because the checksums of two parts determine the checksum of the whole. BLAKE3 allows it, because
// it hashes a tree of blocks.
func (f Func) Parallel() bool { return f.joints != nil }

func seeded32(stream func(seed uint32) hash.Hash) func(uint64) (hash.Hash, error) {
	return func(seed uint64) (hash.Hash, error) {
		if seed>>32 != 0 {
			return nil, fmt.Errorf("%#x does not fit the 32 bits of its seed", seed)
		}
		return stream(uint32(seed)), nil
	}
}

// Default is the name of the function to use unless there is a reason for another one.
const Default = "xxh128"

// registry has every function in the order of Names, with the default first. It never changes.
var registry = deriveNumbers(slices.Concat(xxhashFuncs(), crc32Funcs(), crc64Funcs(), []Func{adlerFunc()}, fnvFuncs(),
	murmurFuncs(), []Func{rapidhashFunc(), lookup2Func()}, identityFuncs(), brokenFuncs(), []Func{maphashFunc()}))

// deriveNumbers fills in the missing functions of each Func. A Func provides narrow if its
// checksums have at most 16 bytes, and otherwise sum.
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

// Lookup returns the function with the given name.
func Lookup(name string) (Func, bool) {
	for i := range registry {
		if registry[i].Name == name {
			return registry[i], true
		}
	}
	return Func{}, false
}

// Names returns the names of all functions, with the default first.
func Names() []string {
	names := make([]string, len(registry))
	for i := range registry {
		names[i] = registry[i].Name
	}
	return names
}
