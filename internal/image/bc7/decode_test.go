package bc7

import (
	"math/rand/v2"
	"testing"
)

func TestDecodeBlockIndependent(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for mode := range 9 { // mode 8 is reserved
		for range 2000 {
			var block [16]byte
			for i := range block {
				block[i] = byte(random.Uint32())
			}
			block[0] = byte(int(block[0])<<(mode+1) | 1<<mode)
			readAlike(t, &block)
		}
	}
}

func TestPackUnpack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		var block [16]byte
		for i := range block {
			block[i] = byte(random.Uint32())
		}
		c, ok := unpack(&block)
		if !ok {
			continue
		}
		if back := c.pack(); back != block {
			t.Fatalf("mode %d: %x became %x", c.mode, block, back)
		}
	}
}

// TestPackTurns checks that no pixel changes when pack inverts indices to clear an anchor's top
// bit.
func TestPackTurns(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		c := code{mode: uint8(random.UintN(8))}
		l := &layouts[c.mode]
		below := func(bits uint8) uint8 { return uint8(random.UintN(1 << bits)) }
		c.partition, c.rotation, c.selector = below(l.partition), below(l.rotation), below(l.selector)
		for s := range l.subsets {
			for e := range 2 {
				for channel := range 3 {
					c.ends[s][e][channel] = below(l.color)
				}
				c.ends[s][e][3] = below(l.alpha)
				c.p[s][e] = below(l.own)
			}
			if l.shared != 0 {
				c.p[s][0] = below(1)
				c.p[s][1] = c.p[s][0]
			}
		}
		color, alpha := c.indexWidths(l)
		for i := range 16 {
			c.index[i] = below(color)
			if l.scalar != 0 {
				c.scalar[i] = below(alpha)
			}
		}
		var want, got [64]byte
		c.paintPixels(&want)
		block := c.pack()
		DecodeBlock(&got, &block)
		if got != want {
			t.Fatalf("mode %d: %x\n got %v\nwant %v", c.mode, block, got, want)
		}
	}
}
