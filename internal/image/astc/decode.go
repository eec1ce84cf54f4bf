package astc

import (
	"encoding/binary"
	"slices"
)

// magenta is the color of invalid blocks.
var magenta = [4]byte{255, 0, 255, 255}

// DecodeBlock writes the pixels of a block to dst as RGBA, row by row. size must be a block size
// of the format. With srgb, colors are decoded to eight bits; otherwise
// values have the precision of half-precision floats and are rounded to eight bits. Reserved
// blocks, and blocks of high dynamic range, become magenta. Source: Khronos Data Format
// Specification 1.4, chapter 23, "Weight Application".
func DecodeBlock(dst *Pixels, block *[16]byte, size Size, srgb bool) {
	prepare()
	pixels := dst[:4*size.W*size.H]
	s := stream{binary.LittleEndian.Uint64(block[:]), binary.LittleEndian.Uint64(block[8:])}
	if s.bitsAt(0, 9) == voidExtent {
		fill(pixels, singleColor(&s, srgb))
		return
	}
	c, ok := unpack(&s, size)
	if !ok {
		fill(pixels, magenta)
		return
	}
	c.writePixels(pixels, size, srgb)
}

func fill(pixels []byte, color [4]byte) {
	for i := 0; i < len(pixels); i += 4 {
		copy(pixels[i:i+4], color[:])
	}
}

// singleColor returns the color of a void-extent block.
func singleColor(s *stream, srgb bool) (color [4]byte) {
	if !s.isVoidExtent() || s.bitsAt(9, 1) != 0 {
		return magenta
	}
	for i := range color {
		color[i] = roundTo8(s.bitsAt(64+16*i, 16), srgb)
	}
	return color
}

// isVoidExtent reports whether a void-extent block is valid.
func (s *stream) isVoidExtent() bool {
	minS, maxS, minT, maxT := s.bitsAt(12, 13), s.bitsAt(25, 13), s.bitsAt(38, 13), s.bitsAt(51, 13)
	everywhere := minS&maxS&minT&maxT == 1<<13-1
	return s.bitsAt(10, 2) == 0b11 && (everywhere || minS < maxS && minT < maxT)
}

// roundTo8 rounds an interpolated 16-bit value to eight bits.
func roundTo8(v int, srgb bool) byte {
	if srgb {
		return byte(v >> 8)
	}
	if v == 0xffff {
		return 255
	}
	for below := 1 << 15; below >= 1<<11; below >>= 1 { // the lowest bits, which half-precision floats drop
		if v >= below {
			v &^= below>>10 - 1
			break
		}
	}
	return byte((v*255 + 1<<15) >> 16)
}

// writePixels decodes the pixels of the code to RGBA.
func (c *code) writePixels(dst []byte, size Size, srgb bool) {
	var ends [maxPartitions]pair
	var known [maxPartitions]bool
	at := 0
	for i, kind := range c.kinds[:c.parts] {
		v := c.endValues(at, kind)
		at += endNumbers(kind)
		ends[i], known[i] = endsOf(kind, &v)
	}
	c.eachWeight(size, func(i, part int, weight [4]int32) {
		if !known[part] {
			copy(dst[4*i:], magenta[:])
			return
		}
		for channel, w := range weight {
			dst[4*i+channel] = roundTo8(interpolate16(ends[part][0][channel], ends[part][1][channel], w, srgb), srgb)
		}
	})
}

// endValues decodes the endpoint values of an endpoint mode. The parameter at is the index of its
// first code.
func (c *code) endValues(at int, kind uint8) (v [8]int32) {
	for k := range endNumbers(kind) {
		v[k] = int32(colors[c.colorSpan].value[c.color[at+k]])
	}
	return v
}

// eachWeight calls do for each pixel, with its part and with the weights of its channels.
func (c *code) eachWeight(size Size, do func(i, part int, weight [4]int32)) {
	planes := 1
	if c.dual {
		planes = 2
	}
	var grids [2][64]uint8
	for i := range c.weights() {
		grids[i%planes][i/planes] = weights[c.span].value[c.weight[i]]
	}
	f := formatOf(size).grid(c.across, c.down).infill
	for i := range size.W * size.H {
		part := 0
		if c.parts > 1 {
			part = Partition(int(c.seed), i%size.W, i/size.W, int(c.parts), size.isSmall())
		}
		w := f.pixelWeight(i, &grids[0])
		weight := [4]int32{w, w, w, w}
		if c.dual {
			weight[c.component] = f.pixelWeight(i, &grids[1])
		}
		do(i, part, weight)
	}
}

// interpolate16 interpolates between two 8-bit values and returns 16 bits.
func interpolate16(from, to, weight int32, srgb bool) int {
	if srgb {
		from, to = from<<8|0x80, to<<8|0x80
	} else {
		from, to = from*257, to*257
	}
	return int(from*(64-weight)+to*weight+32) >> 6
}

// A scale holds the decoded values of a quantization's codes. A code's rank is its position when
// codes are sorted by value; codes with a trit or a quint are not in this order.
type scale struct {
	value  []uint8 // decoded value of each code
	sorted []uint8 // code of each rank
	rank   []uint8 // rank of each code
	ranked []uint8 // decoded value of each rank
}

// colors holds the scales of endpoint values, 0 to 255, and weights the scales of weights, 0 to 64.
// Source: Khronos Data Format Specification 1.4, chapter 23, "Endpoint Unquantization" and "Weight
// Unquantization".
var (
	colors  [len(spans)]scale
	weights [weightSpans]scale
)

// nearestRank holds, for each weight in 1024ths, the rank of the nearest quantized weight.
var nearestRank [weightSpans][1025]uint8

func findNearestRanks() {
	for span := range nearestRank {
		ranked := weights[span].ranked
		rank := 0
		for at := range nearestRank[span] {
			// The condition compares twice the position with twice the midpoint of two weights.
			for rank+1 < len(ranked) && 2*at > 16*(int(ranked[rank])+int(ranked[rank+1])) {
				rank++
			}
			nearestRank[span][at] = uint8(rank)
		}
	}
}

// rankOf returns the rank of the quantized weight nearest to v, which is from 0 to 1.
func rankOf(span int, v float32) uint8 { return nearestRank[span][int32(float32(v*1024)+0.5)] }

// A spread holds the factors that dequantize a code with a trit or a quint: one for each bit above
// the lowest, and one for the trit or quint.
type spread struct {
	bits [5]int // factors of the bits above the lowest; the specification calls the bits b, c, d, e, f
	c    int
}

// colorSpreads and weightSpreads hold the spreads by number of levels.
var (
	colorSpreads = [257]spread{
		6: {c: 204}, 10: {c: 113},
		12: {[5]int{0b100010110}, 93}, 20: {[5]int{0b100001100}, 54},
		24: {[5]int{0b010000101, 0b100001010}, 44}, 40: {[5]int{0b010000010, 0b100000101}, 26},
		48:  {[5]int{0b001000001, 0b010000010, 0b100000100}, 22},
		80:  {[5]int{0b001000000, 0b010000001, 0b100000010}, 13},
		96:  {[5]int{0b000100000, 0b001000000, 0b010000001, 0b100000010}, 11},
		160: {[5]int{0b000100000, 0b001000000, 0b010000000, 0b100000001}, 6},
		192: {[5]int{0b000010000, 0b000100000, 0b001000000, 0b010000000, 0b100000001}, 5},
	}
	weightSpreads = [33]spread{
		6: {c: 50}, 10: {c: 28},
		12: {[5]int{0b1000101}, 23}, 20: {[5]int{0b1000010}, 13},
		24: {[5]int{0b0100001, 0b1000010}, 11},
	}
)

// applySpread dequantizes a code. sign has only the top bit of the result's range set.
func (p *spread) applySpread(v int, s *span, sign int) int {
	b := 0
	for i := 1; i < int(s.bits); i++ {
		b += v >> i & 1 * p.bits[i-1]
	}
	u := v>>s.bits*p.c + b
	if v&1 == 0 {
		return u >> 2
	}
	return sign | (u^(sign*4-1))>>2
}

// replicate repeats the bits of v to fill the wanted number of bits.
func replicate(v int, bits, wanted uint8) int {
	have := bits
	out := v
	for have < wanted {
		out, have = out<<bits|v, have+bits
	}
	return out >> (have - wanted)
}

func colorScales() (all [len(spans)]scale) {
	for i := colorSpan; i < len(spans); i++ {
		s := &spans[i]
		p := colorSpreads[s.levels]
		values := make([]uint8, s.levels)
		for v := range values {
			if s.trits || s.quints {
				values[v] = uint8(p.applySpread(v, s, 0x80))
			} else {
				values[v] = uint8(replicate(v, s.bits, 8))
			}
		}
		all[i] = newSpanScale(values)
	}
	return all
}

func weightScales() (all [weightSpans]scale) {
	for i := range all {
		s := &spans[i]
		p := weightSpreads[s.levels]
		values := make([]uint8, s.levels)
		for v := range values {
			var u int
			switch {
			case s.levels == 3:
				u = [3]int{0, 32, 63}[v]
			case s.levels == 5:
				u = [5]int{0, 16, 32, 47, 63}[v]
			case s.trits || s.quints:
				u = p.applySpread(v, s, 0x20)
			default:
				u = replicate(v, s.bits, 6)
			}
			if u > 32 {
				u++
			}
			values[v] = uint8(u)
		}
		all[i] = newSpanScale(values)
	}
	return all
}

func newSpanScale(values []uint8) scale {
	n := len(values)
	s := scale{value: values, sorted: make([]uint8, n), rank: make([]uint8, n), ranked: slices.Sorted(slices.Values(values))}
	for stored, v := range values {
		r, _ := slices.BinarySearch(s.ranked, v)
		s.sorted[r], s.rank[stored] = uint8(stored), uint8(r)
	}
	return s
}
