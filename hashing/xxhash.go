package hashing

import (
	"hash"

	"github.com/cespare/xxhash/v2"
	"github.com/zeebo/xxh3"
)

const xxhashSpec = "Yann Collet, xxHash specification, https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md"

// xxhashFuncs are the four functions of xxHash by the names of its own tools.
func xxhashFuncs() []Func {
	return []Func{
		{
			Name:   "xxh128",
			Size:   16,
			Source: xxhashSpec + ", XXH3 with 128 bits, seed 0",
			Check:  "33119477ede5dcd5e9716427681d5860",
			narrow: func(b []byte) Sum128 { return Sum128(xxh3.Hash128(b)) },
			stream: func() hash.Hash { return xxh3.New128() },
			seeded: func(seed uint64) (hash.Hash, error) { return xxh3.NewSeed128(seed), nil },
		},
		{
			Name:   "xxh3",
			Size:   8,
			Source: xxhashSpec + ", XXH3 with 64 bits, seed 0",
			Check:  "72dcb18b67a17dff",
			narrow: func(b []byte) Sum128 { return Sum128{Lo: xxh3.Hash(b)} },
			stream: func() hash.Hash { return xxh3.New() },
			seeded: func(seed uint64) (hash.Hash, error) { return xxh3.NewSeed(seed), nil },
		},
		{
			Name:   "xxh64",
			Size:   8,
			Source: xxhashSpec + ", XXH64, seed 0",
			Check:  "8cb841db40e6ae83",
			narrow: func(b []byte) Sum128 { return Sum128{Lo: xxhash.Sum64(b)} },
			stream: func() hash.Hash { return xxhash.New() },
			seeded: func(seed uint64) (hash.Hash, error) { return seededXXH64{xxhash.NewWithSeed(seed), seed}, nil },
		},
		{
			Name:   "xxh32",
			Size:   4,
			Source: xxhashSpec + ", XXH32, seed 0",
			Check:  "937bad67",
			narrow: func(b []byte) Sum128 { return Sum128{Lo: uint64(xxh32Sum(b, 0))} },
			stream: func() hash.Hash { return newXXH32(0) },
			seeded: seeded32(newXXH32),
		},
	}
}

// seededXXH64 keeps its seed over Reset; the library's goes back to seed 0.
type seededXXH64 struct {
	*xxhash.Digest
	seed uint64
}

func (h seededXXH64) Reset() { h.Digest.ResetWithSeed(h.seed) }
