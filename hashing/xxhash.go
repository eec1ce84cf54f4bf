package hashing

import (
	"github.com/cespare/xxhash/v2"
	"github.com/zeebo/xxh3"
)

const xxhashSpec = "Yann Collet, xxHash specification, https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md"

func xxhashFuncs() []Func {
	return []Func{
		{
			Name:   "xxh3",
			Size:   16,
			Source: xxhashSpec + ", XXH3 128 bits, seed 0",
			Check:  Sum128{0x33119477ede5dcd5, 0xe9716427681d5860},
			New:    func() Hash { return new(xxh3Hash) },
			Sum:    func(b []byte) Sum128 { return Sum128(xxh3.Hash128(b)) },
		},
		{
			Name:   "xxh64",
			Size:   8,
			Source: xxhashSpec + ", XXH64, seed 0",
			Check:  Sum128{Lo: 0x8cb841db40e6ae83},
			New:    func() Hash { return xxh64Hash{xxhash.New()} },
			Sum:    func(b []byte) Sum128 { return Sum128{Lo: xxhash.Sum64(b)} },
		},
	}
}

// xxh3Hash narrows xxh3.Hasher to Hash; embedding would leave a second Sum64
// of the same state in reach of a type assertion.
type xxh3Hash struct{ h xxh3.Hasher }

func (h *xxh3Hash) Write(p []byte) (int, error) { return h.h.Write(p) }
func (h *xxh3Hash) Sum128() Sum128              { return Sum128(h.h.Sum128()) }
func (h *xxh3Hash) Reset()                      { h.h.Reset() }

type xxh64Hash struct{ d *xxhash.Digest }

func (h xxh64Hash) Write(p []byte) (int, error) { return h.d.Write(p) }
func (h xxh64Hash) Sum128() Sum128              { return Sum128{Lo: h.d.Sum64()} }
func (h xxh64Hash) Reset()                      { h.d.Reset() }
