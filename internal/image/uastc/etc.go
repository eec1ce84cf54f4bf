package uastc

import (
	"math"
	"sync"
)

// intensities holds the modifier tables of ETC1 in ascending order. Modifiers are offsets that are
// added to a color.
//
// Source: Khronos Data Format Specification, "ETC1 Compressed Texture Image Formats".
var intensities = [8][4]int32{
	{-8, -2, 2, 8}, {-17, -5, 5, 17}, {-29, -9, 9, 29}, {-42, -13, 13, 42},
	{-60, -18, 18, 60}, {-80, -24, 24, 80}, {-106, -33, 33, 106}, {-183, -47, 47, 183},
}

// halves lists the pixels of the two halves, first for halves side by side, then for halves one
// above the other.
var halves = [2][2][8]uint8{
	{{0, 1, 4, 5, 8, 9, 12, 13}, {2, 3, 6, 7, 10, 11, 14, 15}},
	{{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}},
}

// etc1 sets the ETC1 hints of a block with the given decoded pixels. A transcoder rounds the mean
// of each half to 5 or 4 bits, and adds the bias if the mode has one. Then it gives each pixel the
// modifier nearest to the pixel's brightness. etc1 tries the bias that changes the means least. If
// biases is not zero, etc1 also tries all biases, either for the best halves or for all halves.
func (h *hints) etc1(px *[16]point, l *layout, biases biasSearch) {
	least := int32(math.MaxInt32)
	var best halving
	for flip := range uint8(2) {
		for diff := range uint8(2) {
			way := newHalving(px, flip, diff)
			bias := uint8(0)
			if l.bias {
				bias = gentleBias(&way.means, way.limit)
			}
			if h.tryHalving(px, l, &way, bias, &least) {
				best = way
			}
			if l.bias && biases == everyBias {
				h.tryAll(px, l, &way, &least)
			}
		}
	}
	if l.bias && biases == someBiases {
		h.tryAll(px, l, &best, &least)
	}
}

// A biasSearch selects the halves that try all biases.
type biasSearch uint8

const (
	oneBias biasSearch = iota
	someBiases
	everyBias
)

// A halving is a way to divide a block into halves, with their rounded means.
type halving struct {
	flip, diff uint8
	limit      int32
	means      [2][3]int32
}

func newHalving(px *[16]point, flip, diff uint8) halving {
	w := halving{flip: flip, diff: diff, limit: 15 + 16*int32(diff)}
	for s := range 2 {
		var sum [3]int32
		for _, i := range halves[flip][s] {
			for c := range 3 {
				sum[c] += px[i][c]
			}
		}
		for c := range 3 {
			w.means[s][c] = (sum[c]*w.limit + 1020) / (8 * 255)
		}
	}
	return w
}

func (h *hints) tryAll(px *[16]point, l *layout, w *halving, least *int32) {
	for bias := range uint8(32) {
		h.tryHalving(px, l, w, bias, least)
	}
}

// tryHalving sets the hints to a halving and a bias if they have the smallest error so far.
func (h *hints) tryHalving(px *[16]point, l *layout, w *halving, bias uint8, least *int32) bool {
	colors := w.colors(l, bias)
	var sse int32
	var tables [2]uint8
	for s := range 2 {
		var e int32
		tables[s], e = tableFor(px, &halves[w.flip][s], &colors[s], w.limit, 0, uint8(len(intensities)-1))
		if sse += e; sse >= *least {
			return false
		}
	}
	*least = sse
	h.flip, h.diff, h.tables, h.bias = w.flip == 1, w.diff == 1, tables, bias
	return true
}

// colors returns the colors of the halves after adding a bias.
func (w *halving) colors(l *layout, bias uint8) [2][3]int32 {
	colors := w.means
	if l.bias {
		biased(&colors, bias, w.limit)
	}
	if w.diff == 1 {
		limitDifference(&colors)
	}
	return colors
}

// errorETC1 returns the squared error of a block with the given decoded pixels, after transcoding it
// with these hints.
func (h *hints) errorETC1(px *[16]point, l *layout) (sse int32) {
	var flip, diff uint8
	if h.flip {
		flip = 1
	}
	if h.diff {
		diff = 1
	}
	w := newHalving(px, flip, diff)
	colors := w.colors(l, h.bias)
	for s := range 2 {
		_, e := tableFor(px, &halves[flip][s], &colors[s], w.limit, h.tables[s], h.tables[s])
		sse += e
	}
	return sse
}

// limitDifference limits the second color so that its difference from the first is from -4 to 3.
func limitDifference(colors *[2][3]int32) {
	for c := range 3 {
		colors[1][c] = colors[0][c] + max(-4, min(colors[1][c]-colors[0][c], 3))
	}
}

// widenStored expands a quantized color channel to a byte.
func widenStored(v, limit int32) int32 {
	if limit == 15 {
		return v * 17
	}
	return v<<3 | v>>2
}

// tableFor returns the best modifier table, from first to last, for eight pixels, and its squared
// error. It ignores that decoders limit channels to bytes.
func tableFor(px *[16]point, list *[8]uint8, stored *[3]int32, limit int32, first, last uint8) (table uint8, least int32) {
	r, g, b := widenStored(stored[0], limit), widenStored(stored[1], limit), widenStored(stored[2], limit)
	// The error of a modifier is smallest at the mean of the channels' differences. The remaining
	// error is the same for all tables.
	var off [8]int32 // three times the absolute difference of each pixel from the color
	var fixed int32  // three times the part of the error that is the same for all tables
	for i, at := range list {
		p := &px[at&15]
		dr, dg, db := p[0]-r, p[1]-g, p[2]-b
		t := dr + dg + db
		fixed += 3*(dr*dr+dg*dg+db*db) - t*t
		off[i] = max(t, -t)
	}
	least = math.MaxInt32
	for t := first; t <= last; t++ {
		small, large := 3*intensities[t&7][2], 3*intensities[t&7][3]
		var sse int32
		for _, d := range &off {
			a, b := d-small, d-large
			sse += min(a*a, b*b)
		}
		if sse < least {
			least, table = sse, t
		}
	}
	return table, (least + fixed) / 3
}

// deltas holds the numbers that each bias adds to the channels of the two halves. A bias has a
// base-3 digit for each channel, which is the number to add to this channel plus 1. Both halves
// have the same numbers. Some biases are irregular, including all from 27 on.
//
// Source: "UASTC LDR 4x4 Texture Specification", ETC1 bias.
var deltas = func() (t [32][2][3]int8) {
	for bias := range int8(27) {
		for s := range 2 {
			t[bias][s] = [3]int8{bias%3 - 1, bias/3%3 - 1, bias/9%3 - 1}
		}
	}
	one := func(bias, half, channel int, d int8) {
		t[bias] = [2][3]int8{}
		t[bias][half][channel] = d
	}
	for i, bias := range [12]int{2, 5, 6, 7, 11, 15, 18, 19, 20, 21, 24, 8} {
		d := int8(-1)
		if i/3%2 == 1 {
			d = 1
		}
		one(bias, i/6, i%3, d)
	}
	t[10] = [2][3]int8{{-2, -2, -2}, {-2, -2, -2}}
	t[27] = [2][3]int8{{-1, -1, -1}, {}}
	t[28] = [2][3]int8{{1, 1, 1}, {-1, -1, -1}}
	t[29] = [2][3]int8{{}, {1, 1, 1}}
	t[30] = [2][3]int8{{}, {-1, -1, -1}}
	t[31] = [2][3]int8{{1, 1, 1}, {}}
	return t
}()

// biased adds the bias to the colors as a transcoder does. Channels at a limit of their range
// change inward instead.
func biased(colors *[2][3]int32, bias uint8, limit int32) {
	for s := range colors {
		for c := range colors[s] {
			v, d := colors[s][c], int32(deltas[bias&31][s][c])
			switch {
			case v == 0 && d == -2:
				v = 3
			case v == 0:
				v = d + 1
			case v == limit:
				v += d - 1
			case v+d < 0 || v+d > limit:
				v -= d
			default:
				v += d
			}
			colors[s][c] = v
		}
	}
}

// gentleBias returns the bias that changes colors least. It depends only on which channels are at a
// limit of their range.
func gentleBias(means *[2][3]int32, limit int32) uint8 {
	class := 0
	for s := range means {
		for _, v := range means[s] {
			class *= 3
			if v == limit {
				class += 2
			} else if v > 0 {
				class++
			}
		}
	}
	return gentleBiases()[class]
}

// gentleBiases holds the bias for six digits of base 3, one for each channel of two colors. A digit
// is 0 at the lower limit, 2 at the upper limit, and otherwise 1.
var gentleBiases = sync.OnceValue(func() *[729]uint8 {
	t := new([729]uint8)
	for class := range t {
		var means [2][3]int32
		rest := class
		for at := 5; at >= 0; at-- {
			means[at/3][at%3] = [3]int32{0, 15, 31}[rest%3]
			rest /= 3
		}
		least := int32(math.MaxInt32)
		for bias := range uint8(32) {
			colors := means
			biased(&colors, bias, 31)
			var far int32
			for s := range colors {
				for c := range colors[s] {
					off := colors[s][c] - means[s][c]
					far += off * off
				}
			}
			if far < least {
				least, t[class] = far, bias
			}
		}
	}
	return t
})

// hintSolid sets the hints of a block of one color. They only concern ETC1: the nearest color,
// table and modifier.
func (h *hints) hintSolid(rgb [3]int32) {
	least := int32(math.MaxInt32)
	for diff := range 2 {
		limit := int32(15 + 16*diff)
		for t := range intensities {
			for place, m := range intensities[t] {
				var color [3]uint8
				var sse int32
				for c, v := range rgb {
					want := max(0, min(v-m, 255))
					stored := (want*limit + 127) / 255
					off := v - max(0, min(widenStored(stored, limit)+m, 255))
					color[c], sse = uint8(stored), sse+off*off
				}
				if sse < least {
					least = sse
					h.diff, h.tables[0], h.place, h.color = diff == 1, uint8(t), uint8(place), color
				}
			}
		}
	}
}
