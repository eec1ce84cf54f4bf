package hashing

import (
	"encoding/binary"
	"fmt"
	"hash"
	"math/bits"

	"github.com/cespare/xxhash/v2"
	"github.com/zeebo/xxh3"
)

const xxhashSpec = "Yann Collet, xxHash specification, https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md"

// xxhashFuncs returns the four xxHash functions, named as in xxHash's tools.
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

// xxh128Hash and xxh3Hash add Clone to the library's hashes. Clones share the key that was derived
// from a seed.
type (
	xxh128Hash struct{ xxh3.Hasher128 }
	xxh3Hash   struct{ xxh3.Hasher }
)

func (h *xxh128Hash) Clone() (hash.Cloner, error) { return copyHash(h) }
func (h *xxh3Hash) Clone() (hash.Cloner, error)   { return copyHash(h) }

// copyHash returns a copy of a hash whose struct holds all its state.
func copyHash[T any, H interface {
	*T
	hash.Cloner
}](h H) (hash.Cloner, error) {
	c := *h
	return H(&c), nil
}

// An xxh64Hash keeps its seed across Reset and in its saved state, unlike the library's hash.
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

// A saved state is the library's state followed by the seed, with the most significant byte first.

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

// These are the constants of XXH32, from section "XXH32 Algorithm Description" of the
// specification.
const (
	xxh32Prime1 = 0x9e3779b1
	xxh32Prime2 = 0x85ebca77
	xxh32Prime3 = 0xc2b2ae3d
	xxh32Prime4 = 0x27d4eb2f
	xxh32Prime5 = 0x165667b1

	xxh32Block = 16
)

func xxh32Sum(b []byte, seed uint32) uint32 {
	lanes := xxh32Start(seed)
	whole := len(b) / xxh32Block * xxh32Block
	lanes = lanes.mixBlocks(b[:whole])
	return lanes.finishXXH32(uint64(len(b)), b[whole:], seed)
}

// xxh32Lanes are the four accumulators. The compiler would not keep an array in registers.
type xxh32Lanes struct{ a, b, c, d uint32 }

func xxh32Start(seed uint32) xxh32Lanes {
	p1, p2 := uint32(xxh32Prime1), uint32(xxh32Prime2) // variables instead of constants, because the sum overflows
	return xxh32Lanes{seed + p1 + p2, seed + p2, seed, seed - p1}
}

// mixBlocks mixes whole blocks into the lanes.
func (l xxh32Lanes) mixBlocks(p []byte) xxh32Lanes {
	a, b, c, d := l.a, l.b, l.c, l.d
	for len(p) >= xxh32Block {
		block := (*[xxh32Block]byte)(p)
		a = xxh32Round(a, binary.LittleEndian.Uint32(block[0:]))
		b = xxh32Round(b, binary.LittleEndian.Uint32(block[4:]))
		c = xxh32Round(c, binary.LittleEndian.Uint32(block[8:]))
		d = xxh32Round(d, binary.LittleEndian.Uint32(block[12:]))
		p = p[xxh32Block:]
	}
	return xxh32Lanes{a, b, c, d}
}

func xxh32Round(lane, word uint32) uint32 {
	return bits.RotateLeft32(lane+word*xxh32Prime2, 13) * xxh32Prime1
}

// finishXXH32 processes the tail, which is less than a block, and returns the checksum of all total
// bytes. Inputs shorter than a block do not use the lanes.
func (l xxh32Lanes) finishXXH32(total uint64, tail []byte, seed uint32) uint32 {
	h := seed + xxh32Prime5
	if total >= xxh32Block {
		h = bits.RotateLeft32(l.a, 1) + bits.RotateLeft32(l.b, 7) +
			bits.RotateLeft32(l.c, 12) + bits.RotateLeft32(l.d, 18)
	}
	h += uint32(total)
	for ; len(tail) >= 4; tail = tail[4:] {
		h = bits.RotateLeft32(h+binary.LittleEndian.Uint32(tail)*xxh32Prime3, 17) * xxh32Prime4
	}
	for _, c := range tail {
		h = bits.RotateLeft32(h+uint32(c)*xxh32Prime5, 11) * xxh32Prime1
	}
	h = (h ^ h>>15) * xxh32Prime2
	h = (h ^ h>>13) * xxh32Prime3
	return h ^ h>>16
}

// An xxh32Hash is the streaming form of XXH32.
type xxh32Hash struct {
	seed  uint32
	lanes xxh32Lanes
	in    pending
}

var _ hash.Hash32 = (*xxh32Hash)(nil)

func newXXH32(seed uint32) hash.Hash {
	h := &xxh32Hash{seed: seed}
	h.Reset()
	return h
}

func (h *xxh32Hash) Clone() (hash.Cloner, error) { return copyHash(h) }

func (h *xxh32Hash) Reset()         { h.lanes, h.in = xxh32Start(h.seed), pending{} }
func (h *xxh32Hash) Size() int      { return 4 }
func (h *xxh32Hash) BlockSize() int { return xxh32Block }

func (h *xxh32Hash) Write(p []byte) (int, error) {
	first, full, rest := h.in.cutBlocks(p, xxh32Block)
	if full {
		h.lanes = h.lanes.mixBlocks(first[:])
	}
	h.lanes = h.lanes.mixBlocks(rest)
	return len(p), nil
}

func (h *xxh32Hash) Sum32() uint32 {
	return h.lanes.finishXXH32(h.in.total, h.in.incompleteBlock(xxh32Block), h.seed)
}

func (h *xxh32Hash) Sum(b []byte) []byte { return binary.BigEndian.AppendUint32(b, h.Sum32()) }

const xxh32Magic = "x32\x01"

func (h *xxh32Hash) AppendBinary(b []byte) ([]byte, error) {
	l := h.lanes
	return h.in.appendState(b, xxh32Magic, xxh32Block,
		uint64(h.seed), uint64(l.a), uint64(l.b), uint64(l.c), uint64(l.d)), nil
}

func (h *xxh32Hash) MarshalBinary() ([]byte, error) { return h.AppendBinary(nil) }

func (h *xxh32Hash) UnmarshalBinary(b []byte) error {
	var w [5]uint64
	in := h.in
	if err := in.restoreState(b, xxh32Magic, xxh32Block, w[:]); err != nil {
		return err
	}
	if err := words32(w[:]); err != nil {
		return err
	}
	*h = xxh32Hash{uint32(w[0]), xxh32Lanes{uint32(w[1]), uint32(w[2]), uint32(w[3]), uint32(w[4])}, in}
	return nil
}
