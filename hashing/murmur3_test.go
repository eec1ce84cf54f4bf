package hashing

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/spaolacci/murmur3"
)

// plainMurmur3 is MurmurHash3_x64_128 written down from its description, byte
// by byte and with a seed: the oracle.
func plainMurmur3(b []byte, seed uint64) (h1, h2 uint64) {
	const c1, c2 = 0x87c37b91114253d5, 0x4cf5ad432745937f
	h1, h2 = seed, seed
	mix1 := func(k uint64) uint64 { return bits.RotateLeft64(k*c1, 31) * c2 }
	mix2 := func(k uint64) uint64 { return bits.RotateLeft64(k*c2, 33) * c1 }
	final := func(k uint64) uint64 {
		k = (k ^ k>>33) * 0xff51afd7ed558ccd
		k = (k ^ k>>33) * 0xc4ceb9fe1a85ec53
		return k ^ k>>33
	}
	size := uint64(len(b))
	for ; len(b) >= 16; b = b[16:] {
		h1 ^= mix1(binary.LittleEndian.Uint64(b))
		h1 = (bits.RotateLeft64(h1, 27)+h2)*5 + 0x52dce729
		h2 ^= mix2(binary.LittleEndian.Uint64(b[8:]))
		h2 = (bits.RotateLeft64(h2, 31)+h1)*5 + 0x38495ab5
	}
	var tail [16]byte
	copy(tail[:], b)
	h1 ^= mix1(binary.LittleEndian.Uint64(tail[:])) // mixing zero gives zero
	h2 ^= mix2(binary.LittleEndian.Uint64(tail[8:]))
	h1 ^= size
	h2 ^= size
	h1 += h2
	h2 += h1
	h1, h2 = final(h1), final(h2)
	h1 += h2
	h2 += h1
	return h1, h2
}

// TestPlainMurmur3 certifies the oracle with SMHasher's verification value,
// which covers every length to 255 and every seed to 256.
func TestPlainMurmur3(t *testing.T) {
	var key [256]byte
	var all []byte
	for i := range key {
		key[i] = byte(i)
		h1, h2 := plainMurmur3(key[:i], uint64(256-i))
		all = binary.LittleEndian.AppendUint64(all, h1)
		all = binary.LittleEndian.AppendUint64(all, h2)
	}
	h1, _ := plainMurmur3(all, 0)
	if got := uint32(h1); got != 0x6384ba69 {
		t.Fatalf("verification value %08x, want 6384ba69", got)
	}
}

// TestMurmur3Alignment sums slices that begin at each offset in a word, in one
// piece and in two.
func TestMurmur3Alignment(t *testing.T) {
	f, _ := Lookup("murmur3")
	backing := make([]byte, 3*4096+64)
	fill(backing, rand.NewPCG(1, 2))
	for offset := range 17 {
		for _, size := range []int{0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 100, 4095, 4096, 4097, 4112, 8192, 3 * 4096} {
			b := backing[offset : offset+size]
			h1, h2 := plainMurmur3(b, 0)
			want := Sum128{h1, h2}
			if got := f.Sum(b); got != want {
				t.Fatalf("offset %d, size %d: %v, want %v", offset, size, got, want)
			}
			for _, cut := range []int{1, 3, 8, 15, 16, 17, 4096} {
				if cut > size {
					break
				}
				h := f.New()
				h.Write(b[:cut])
				h.Write(b[cut:])
				if got := h.Sum128(); got != want {
					t.Fatalf("offset %d, size %d, cut %d: %v, want %v", offset, size, cut, got, want)
				}
			}
		}
	}
}

// spy checks what the library is given: nothing that makes it read words out of
// the middle of a word. Today's checkptr lets integers be read unaligned, so that
// the race detector alone would not notice.
type spy struct {
	murmur3.Hash128
	t     *testing.T
	total int
}

func (s *spy) Write(p []byte) (int, error) {
	switch held := s.total % murmurBlock; {
	case held > 0 && held+len(p) > murmurBlock:
		s.t.Fatalf("%d bytes on top of %d that are held back", len(p), held)
	case held == 0 && len(p) >= murmurBlock && uintptr(unsafe.Pointer(&p[0]))%unsafe.Alignof(uint64(0)) != 0:
		s.t.Fatalf("%d bytes that are not aligned", len(p))
	}
	s.total += len(p)
	return s.Hash128.Write(p)
}

func (s *spy) Reset() { s.Hash128.Reset(); s.total = 0 }

func TestMurmur3FeedsAlignedBlocks(t *testing.T) {
	backing := make([]byte, 16384)
	m := newMurmur3()
	m.h = &spy{Hash128: m.h, t: t}
	for offset := range 9 {
		for _, sizes := range [][]int{{0}, {1}, {16}, {5000}, {1, 15, 16}, {3, 100}, {15, 2, 4096}, {17, 31, 5000, 1, 5000}, {8, 8, 8, 4096}} {
			m.Reset()
			b := backing[offset:]
			for _, n := range sizes {
				m.Write(b[:n])
				b = b[n:]
			}
		}
	}
}

func fill(b []byte, src *rand.PCG) {
	for i := range b {
		b[i] = byte(src.Uint64() >> 24)
	}
}
