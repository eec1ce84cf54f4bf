package uastc

import (
	"testing"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/blocktest"
)

func TestRDO(t *testing.T) {
	blocktest.Shrinks(t, func(rdo float64) blocktest.Encoder { return with(Options{RDO: rdo}) })
}

// TestHintsLoseLittle checks that RDO does not increase the errors of ETC1 and EAC much: an image
// loses at most 1 dB in these formats.
func TestHintsLoseLittle(t *testing.T) {
	for name, pix := range blocktest.Samples() {
		var sums [2]int64
		for i, rdo := range []float64{0, 0.5} {
			blocks := encoded(t, pix, side, side, Options{Quality: blockfit.Normal, RDO: rdo})
			for ; len(blocks) > 0; blocks = blocks[16:] {
				c, h, _ := unpack((*[16]byte)(blocks))
				if c.mode == modeSolid {
					continue
				}
				px := c.decodedPoints()
				e := h.errorsOf(&px, &layouts[c.mode])
				sums[i] += int64(e.etc1) + int64(e.eac)
			}
		}
		if float64(sums[1]) > float64(sums[0])*1.26+1000 {
			t.Errorf("%s: error %d, before %d", name, sums[1], sums[0])
		}
	}
}

// TestHintErrors checks that no other table of ETC1 has a smaller error than the tables in the hints.
func TestHintErrors(t *testing.T) {
	for name, pix := range blocktest.Samples() {
		for _, q := range qualities {
			e := newEncoder(q.q)
			g := blockfit.Grid{W: side, H: side, Side: 4}
			for at := range g.Blocks() {
				var pixels [64]byte
				blockfit.Gather(g, pixels[:], pix, 4, at)
				block := e.encode(&pixels)
				c, h, _ := unpack(&block)
				if c.mode == modeSolid {
					continue
				}
				px, l := c.decodedPoints(), &layouts[c.mode]
				best := h.errorsOf(&px, l)
				for table := range uint8(8) {
					other := h
					other.tables[table&1] = table
					if e := other.errorsOf(&px, l); e.etc1 < best.etc1 {
						t.Fatalf("%s, block %d: error %d with table %d, %d with the hints", name, at, e.etc1, table, best.etc1)
					}
				}
			}
		}
	}
}
