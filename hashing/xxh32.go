package hashing

import (
	"encoding/binary"
	"hash"
	"math/bits"
)

// The constants of XXH32, from section "XXH32 Algorithm Description" of the
// specification.
const (
	xxh32Prime1 = 0x9e3779b1
	xxh32Prime2 = 0x85ebca77
	xxh32Prime3 = 0xc2b2ae3d
	xxh32Prime4 = 0x27d4eb2f
	xxh32Prime5 = 0x165667b1

	xxh32Block = 16
)

// xxh32Sum is XXH32 of b in one shot.
func xxh32Sum(b []byte, seed uint32) uint32 {
	lanes := xxh32Start(seed)
	whole := len(b) / xxh32Block * xxh32Block
	lanes = lanes.blocks(b[:whole])
	return lanes.finish(uint64(len(b)), b[whole:], seed)
}

// xxh32Lanes are the four accumulators; the compiler would not keep an array in registers.
type xxh32Lanes struct{ a, b, c, d uint32 }

func xxh32Start(seed uint32) xxh32Lanes {
	p1, p2 := uint32(xxh32Prime1), uint32(xxh32Prime2) // their sum wraps around
	return xxh32Lanes{seed + p1 + p2, seed + p2, seed, seed - p1}
}

// blocks mixes in whole blocks.
func (l xxh32Lanes) blocks(p []byte) xxh32Lanes {
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

// finish mixes in the tail, less than a block, and returns the sum of the whole input of total
// bytes. Inputs shorter than a block do not use the lanes.
func (l xxh32Lanes) finish(total uint64, tail []byte, seed uint32) uint32 {
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

// xxh32Hash is the streaming form.
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

func (h *xxh32Hash) Clone() (hash.Cloner, error) { return clone(h) }

func (h *xxh32Hash) Reset()         { h.lanes, h.in = xxh32Start(h.seed), pending{} }
func (h *xxh32Hash) Size() int      { return 4 }
func (h *xxh32Hash) BlockSize() int { return xxh32Block }

func (h *xxh32Hash) Write(p []byte) (int, error) {
	first, full, rest := h.in.cut(p, xxh32Block)
	if full {
		h.lanes = h.lanes.blocks(first[:])
	}
	h.lanes = h.lanes.blocks(rest)
	return len(p), nil
}

func (h *xxh32Hash) Sum32() uint32 {
	return h.lanes.finish(h.in.total, h.in.tail(xxh32Block), h.seed)
}

func (h *xxh32Hash) Sum(b []byte) []byte { return binary.BigEndian.AppendUint32(b, h.Sum32()) }

const xxh32Magic = "x32\x01"

func (h *xxh32Hash) AppendBinary(b []byte) ([]byte, error) {
	l := h.lanes
	return h.in.save(b, xxh32Magic, xxh32Block,
		uint64(h.seed), uint64(l.a), uint64(l.b), uint64(l.c), uint64(l.d)), nil
}

func (h *xxh32Hash) MarshalBinary() ([]byte, error) { return h.AppendBinary(nil) }

func (h *xxh32Hash) UnmarshalBinary(b []byte) error {
	var w [5]uint64
	in := h.in
	if err := in.restore(b, xxh32Magic, xxh32Block, w[:]); err != nil {
		return err
	}
	if err := words32(w[:]); err != nil {
		return err
	}
	*h = xxh32Hash{uint32(w[0]), xxh32Lanes{uint32(w[1]), uint32(w[2]), uint32(w[3]), uint32(w[4])}, in}
	return nil
}
