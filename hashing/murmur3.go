package hashing

import (
	"sync"

	"github.com/spaolacci/murmur3"
)

func murmurFuncs() []Func {
	pool := &sync.Pool{New: func() any { return newMurmur3() }}
	return []Func{{
		Name:   "murmur3",
		Size:   16,
		Source: "Austin Appleby, MurmurHash3_x64_128, seed 0, https://github.com/aappleby/smhasher/wiki/MurmurHash3",
		Check:  Sum128{0x3c84645edb66cca4, 0x99f8fac73a1ea105},
		New:    func() Hash { return newMurmur3() },
		Sum: func(b []byte) Sum128 {
			h := pool.Get().(*murmur3Hash)
			h.Reset()
			h.Write(b)
			s := h.Sum128()
			pool.Put(h)
			return s
		},
	}}
}

// murmurBlock is the unit of MurmurHash3_x64_128 in bytes.
const murmurBlock = 16

// murmur3Hash feeds spaolacci/murmur3, which reads its input as 64-bit words
// through an unsafe cast wherever the slice happens to begin. So whole blocks go
// through an aligned buffer, and what does not fill a block goes in pieces that
// the library copies into its own aligned buffer first.
type murmur3Hash struct {
	pending int        // bytes that the library holds back, below murmurBlock
	_       [0]uint64  // aligns buf
	buf     [4096]byte // a whole number of blocks
	h       murmur3.Hash128
}

func newMurmur3() *murmur3Hash { return &murmur3Hash{h: murmur3.New128()} }

func (m *murmur3Hash) Write(p []byte) (int, error) {
	n := len(p)
	if m.pending > 0 {
		k := min(len(p), murmurBlock-m.pending)
		m.h.Write(p[:k])
		m.pending = (m.pending + k) % murmurBlock
		p = p[k:]
	}
	for len(p) >= murmurBlock {
		k := copy(m.buf[:], p[:len(p)/murmurBlock*murmurBlock])
		m.h.Write(m.buf[:k])
		p = p[k:]
	}
	if len(p) > 0 {
		m.h.Write(p) // shorter than a block: no word is read before it is copied
		m.pending = len(p)
	}
	return n, nil
}

func (m *murmur3Hash) Sum128() Sum128 {
	h1, h2 := m.h.Sum128()
	return Sum128{h1, h2}
}

func (m *murmur3Hash) Reset() {
	m.h.Reset()
	m.pending = 0
}
