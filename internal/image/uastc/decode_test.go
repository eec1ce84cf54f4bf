package uastc

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"testing"
)

// randomBlocks calls the function do n times with a block of random bytes.
func randomBlocks(n int, do func(block *[16]byte)) {
	random := rand.New(rand.NewPCG(1, 2))
	for range n {
		var block [16]byte
		for i := range block {
			block[i] = byte(random.Uint32())
		}
		do(&block)
	}
}

// TestDecodeGolden compares a checksum with basis_universal's decoder (2.50) for the same
// blocks, which use all modes.
func TestDecodeGolden(t *testing.T) {
	sum := sha256.New()
	var seen [20]int
	randomBlocks(20000, func(block *[16]byte) {
		var pixels [64]byte
		DecodeBlock(&pixels, block)
		sum.Write(pixels[:])
		seen[modeOf[block[0]&127]]++
	})
	if got, want := hex.EncodeToString(sum.Sum(nil)[:8]), "a77a7b2ab75f5403"; got != want {
		t.Errorf("pixels %s, want %s", got, want)
	}
	for mode, n := range seen {
		if n == 0 {
			t.Errorf("no block of mode %d", mode)
		}
	}
}

// TestPackUnpack checks that packing an unpacked block gives the same bytes. Only invalid blocks
// change: a group of digits may be out of range, and the bits after the last field have no meaning.
func TestPackUnpack(t *testing.T) {
	same := 0
	randomBlocks(20000, func(block *[16]byte) {
		c, h, ok := unpack(block)
		if !ok {
			return
		}
		back := c.pack(&h)
		again, hints, ok := unpack(&back)
		if !ok || again != c || hints != h {
			t.Fatalf("mode %d: %x became %x", c.mode, *block, back)
		}
		if back == *block {
			same++
		}
	})
	if same < 5000 {
		t.Errorf("%d blocks of 20000 stayed the same", same)
	}
}

// TestPackTurns checks that no pixel changes when pack inverts indices to clear an anchor's top
// bit.
func TestPackTurns(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		c := code{mode: uint8(random.UintN(19))}
		if c.mode == modeSolid {
			continue
		}
		l := &layouts[c.mode]
		if l.subsets > 1 {
			c.pattern = uint8(random.IntN(len(l.patterns)))
		}
		if l.planes == 2 {
			c.plane = 3
			if l.channels != 2 {
				c.plane = uint8(random.IntN(4))
			}
		}
		for s := range l.subsets {
			for e := range 2 {
				for _, channel := range l.channelOrder() {
					c.ends[s][e][channel] = uint8(random.IntN(l.ends.storableLevels()))
				}
			}
		}
		for i := range 16 {
			for plane := range l.planes {
				c.index[plane][i] = uint8(random.UintN(1 << l.weight))
			}
		}
		var want, got [64]byte
		c.paintPoints(&want)
		block := c.pack(&hints{eac: 16})
		DecodeBlock(&got, &block)
		if got != want {
			t.Fatalf("mode %d: %x\n got %v\nwant %v", c.mode, block, got, want)
		}
	}
}

// TestScales checks that every scale can store 0 and 255, and that its tables give the same values
// as a search.
func TestScales(t *testing.T) {
	for _, s := range []*scale{scale12, scale16, scale32, scale40, scale48, scale160, scale192, scale256} {
		for v := range 256 {
			least := 256
			for stored := range s.storableLevels() {
				d := int(s.value[stored]) - v
				least = min(least, max(d, -d))
			}
			off := int(s.value[s.nearest[v]]) - v
			below, above := int(s.value[s.below[v]]), int(s.value[s.above[v]])
			if max(off, -off) != least || below > v || above < v {
				t.Errorf("%d levels: %d is stored as %d, is between %d and %d", s.storableLevels(), v, v+off, below, above)
			}
		}
		if s.value[s.nearest[0]] != 0 || s.value[s.nearest[255]] != 255 {
			t.Errorf("%d levels lack an end", s.storableLevels())
		}
	}
}

// Some tests use the tables without calling Encode or DecodeBlock, which compute them.
func init() { prepare() }
