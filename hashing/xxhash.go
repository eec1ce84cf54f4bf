package hashing

import (
	"encoding/binary"
	"fmt"
	"hash"

	"github.com/cespare/xxhash/v2"
	"github.com/zeebo/xxh3"
)

const xxhashSpec = "Yann Collet, xxHash specification, https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md"

// xxhashFuncs are the four functions of xxHash, with the names of its own tools.
func xxhashFuncs() []Func {
	return []Func{
		{
			Name:   "xxh128",
			Size:   16,
			Source: xxhashSpec + ", XXH3 with 128 bits, seed 0",
			Check:  "33119477ede5dcd5e9716427681d5860",
			narrow: xxh128Sum,
			stream: func() hash.Hash { return &xxh128Hash{*xxh3.New128()} },
			seeded: func(seed uint64) (hash.Hash, error) { return &xxh128Hash{*xxh3.NewSeed128(seed)}, nil },
		},
		{
			Name:   "xxh3",
			Size:   8,
			Source: xxhashSpec + ", XXH3 with 64 bits, seed 0",
			Check:  "72dcb18b67a17dff",
			narrow: func(b []byte) Sum128 { return Sum128{Lo: xxh3Sum(b)} },
			word:   xxh3Sum,
			stream: func() hash.Hash { return &xxh3Hash{*xxh3.New()} },
			seeded: func(seed uint64) (hash.Hash, error) { return &xxh3Hash{*xxh3.NewSeed(seed)}, nil },
		},
		{
			Name:   "xxh64",
			Size:   8,
			Source: xxhashSpec + ", XXH64, seed 0",
			Check:  "8cb841db40e6ae83",
			narrow: func(b []byte) Sum128 { return Sum128{Lo: xxh64Sum(b)} },
			word:   xxh64Sum,
			stream: func() hash.Hash { return newXXH64(0) },
			seeded: func(seed uint64) (hash.Hash, error) { return newXXH64(seed), nil },
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

// xxh128Hash and xxh3Hash add Clone to the library's hashes. Clones share the key derived from a
// seed, which never changes.
type (
	xxh128Hash struct{ xxh3.Hasher128 }
	xxh3Hash   struct{ xxh3.Hasher }
)

func (h *xxh128Hash) Clone() (hash.Cloner, error) { return clone(h) }
func (h *xxh3Hash) Clone() (hash.Cloner, error)   { return clone(h) }

// clone returns a copy of a hash whose struct holds all its state.
func clone[T any, H interface {
	*T
	hash.Cloner
}](h H) (hash.Cloner, error) {
	c := *h
	return H(&c), nil
}

// xxh64Hash keeps its seed over Reset, unlike the library's, and in its saved state.
type xxh64Hash struct {
	*xxhash.Digest
	seed uint64
}

func newXXH64(seed uint64) *xxh64Hash { return &xxh64Hash{xxhash.NewWithSeed(seed), seed} }

func (h *xxh64Hash) Clone() (hash.Cloner, error) {
	d := *h.Digest
	return &xxh64Hash{&d, h.seed}, nil
}

func (h *xxh64Hash) Reset() { h.Digest.ResetWithSeed(h.seed) }

// A saved state is the library's state followed by the seed, most significant byte first.

func (h *xxh64Hash) MarshalBinary() ([]byte, error) {
	state, err := h.Digest.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return binary.BigEndian.AppendUint64(state, h.seed), nil
}

func (h *xxh64Hash) UnmarshalBinary(b []byte) error {
	n := len(b) - 8
	if n < 0 {
		return fmt.Errorf("restore hash: saved state of %d bytes is too short", len(b))
	}
	if err := h.Digest.UnmarshalBinary(b[:n]); err != nil {
		return err
	}
	h.seed = binary.BigEndian.Uint64(b[n:])
	return nil
}
