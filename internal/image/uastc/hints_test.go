package uastc

import (
	"testing"

	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/blocktest"
	"github.com/assetcook/assetcook/internal/image/etc2"
)

// pointsOf returns the decoded pixels of a block.
func pointsOf(block *[16]byte) (px [16]point) {
	var pixels [64]byte
	DecodeBlock(&pixels, block)
	for i, v := range pixels {
		px[i/4][i%4] = int32(v)
	}
	return px
}

// errorETC1 returns the squared error of red, green and blue after transcoding with the hints.
func errorETC1(px *[16]point, h *hints, l *layout) (sse int64) {
	flip, diff := uint8(0), uint8(0)
	if h.flip {
		flip = 1
	}
	if h.diff {
		diff = 1
	}
	w := newHalving(px, flip, diff)
	if l.bias {
		biased(&w.means, h.bias, w.limit)
	}
	if h.diff {
		limitDifference(&w.means)
	}
	for s, list := range halves[flip] {
		for _, i := range list {
			least := int32(1 << 30)
			for _, m := range intensities[h.tables[s]] {
				var e int32
				for c := range 3 {
					off := px[i][c] - max(0, min(widenStored(w.means[s][c], w.limit)+m, 255))
					e += off * off
				}
				least = min(least, e)
			}
			sse += int64(least)
		}
	}
	return sse
}

// errorEAC returns the squared error of alpha after transcoding with the hint.
func errorEAC(px *[16]point, hint uint8) (sse int64) {
	lo, hi := px[0][3], px[0][3]
	for i := range px {
		lo, hi = min(lo, px[i][3]), max(hi, px[i][3])
	}
	t := &etc2.AlphaModifiers[hint&15]
	middle := lo + (2*(hi-lo)*-t[3]+t[7]-t[3])/(2*(t[7]-t[3]))
	for i := range px {
		least := int32(1 << 30)
		for _, d := range t {
			off := px[i][3] - max(0, min(middle+d*int32(hint>>4), 255))
			least = min(least, off*off)
		}
		sse += int64(least)
	}
	return sse
}

// TestHintsHelp checks that transcoding with hints has a smaller error than with constant hints. It
// also checks that no block has an alpha multiplier of 0, which is invalid.
func TestHintsHelp(t *testing.T) {
	var color, alpha, plainColor, plainAlpha [3]int64
	for _, pix := range blocktest.Samples() {
		for i, q := range qualities {
			blocks := encoded(t, pix, side, side, Options{Quality: q.q})
			for ; len(blocks) > 0; blocks = blocks[16:] {
				c, h, ok := unpack((*[16]byte)(blocks))
				if !ok || c.mode == modeSolid {
					continue
				}
				l := &layouts[c.mode]
				px := pointsOf((*[16]byte)(blocks))
				color[i] += errorETC1(&px, &h, l)
				if l.hasAlphaEnds() && h.eac>>4 == 0 {
					t.Fatalf("a multiplier of 0 in %x", blocks[:16])
				}
				plainColor[i] += errorETC1(&px, &hints{diff: true, bias: 13}, l)
				if l.hasAlphaEnds() {
					alpha[i] += errorEAC(&px, h.eac)
					plainAlpha[i] += errorEAC(&px, 16)
				}
			}
		}
	}
	for i := range qualities {
		if color[i] > plainColor[i]*3/4 || alpha[i] > plainAlpha[i]/4 {
			t.Errorf("errors of color %d, without hints %d; of alpha %d, without %d", color, plainColor, alpha, plainAlpha)
		}
	}
}

// TestHintsOfSolid checks that the color of a block of one color differs in ETC1 by at most a few
// quantization steps.
func TestHintsOfSolid(t *testing.T) {
	for v := range int32(256) {
		rgb := [3]int32{v, 255 - v, v * 7 % 256}
		var h hints
		h.hintSolid(rgb)
		limit := int32(15)
		if h.diff {
			limit = 31
		}
		for c, want := range rgb {
			got := max(0, min(widenStored(int32(h.color[c]), limit)+intensities[h.tables[0]][h.place], 255))
			if d := got - want; max(d, -d) > 4 {
				t.Errorf("%d became %d", rgb, got)
			}
		}
	}
}

func TestBiasedInRange(t *testing.T) {
	for _, limit := range []int32{15, 31} {
		for v := range limit + 1 {
			for bias := range uint8(32) {
				colors := [2][3]int32{{v, v, v}, {v, v, v}}
				biased(&colors, bias, limit)
				for _, c := range colors {
					if min(c[0], c[1], c[2]) < 0 || max(c[0], c[1], c[2]) > limit {
						t.Errorf("bias %d of %d: %d, up to %d", bias, v, colors, limit)
					}
				}
			}
		}
	}
}

// TestHintsForBC1 checks that each hint for BC1 is set in some blocks of the samples.
func TestHintsForBC1(t *testing.T) {
	set := [2]int{}
	pictures := blocktest.Samples()
	for i, v := range pictures["gray"] { // turns the gray image into black and white
		if i%4 != 3 {
			pictures["gray"][i] = -(v & 1)
		}
	}
	for _, pix := range pictures {
		blocks := encoded(t, pix, side, side, Options{Quality: blockfit.Normal})
		for ; len(blocks) > 0; blocks = blocks[16:] {
			_, h, _ := unpack((*[16]byte)(blocks))
			for i, on := range h.bc1 {
				if on {
					set[i]++
				}
			}
		}
	}
	if set[0] == 0 || set[1] == 0 {
		t.Errorf("hints for BC1: %d", set)
	}
}
