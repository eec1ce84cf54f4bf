package bc7

import (
	"math"
)

// Colors are kept as three lanes of 22 bits in one word: red in the lowest, then green,
// then blue. The lanes hold the sum of sixteen products of two bytes without overflow, so
// that one operation does the work of three. One multiplication gives a scalar product: the
// product of two words is a convolution of their lanes. If one word has its lanes in
// reverse, the third lane of the product is the sum of the products of the same channels.
const (
	lane      = 22
	laneMask  = 1<<lane - 1
	lanesOfFF = 255 | 255<<lane | 255<<(2*lane)
	lanesOf32 = 32 | 32<<lane | 32<<(2*lane)
)

// lanesOf puts three values into lanes.
func lanesOf(r, g, b uint64) uint64 { return r | g<<lane | b<<(2*lane) }

// red, green and blue take a lane out.
func red(v uint64) int64   { return int64(v & laneMask) }
func green(v uint64) int64 { return int64(v >> lane & laneMask) }
func blue(v uint64) int64  { return int64(v >> (2 * lane)) }

// reverse swaps red and blue.
func reverse(v uint64) uint64 {
	return v>>(2*lane)&laneMask | v&(laneMask<<lane) | v<<(2*lane)
}

// dot is the scalar product of two colors, the second reversed.
func dot(v, reversed uint64) uint64 { return v * reversed >> (2 * lane) }

// A block has the pixels of a block: red, green and blue in lanes, alpha apart.
type block struct {
	rgb [16]uint64
	a   [16]uint64
}

// rotated returns a block with the stored colors under a rotation of 0 to 3, and the
// channel stored in place of alpha.
func (b *block) rotated(rotation uint8) (px block, scalar [16]uint64) {
	if rotation == 0 {
		return *b, b.a
	}
	shift := lane * (rotation - 1) & 63
	for i, v := range &b.rgb {
		scalar[i] = v >> shift & 255
		px.rgb[i] = v&^(255<<shift) | b.a[i]<<shift
	}
	return px, scalar
}

// An axis is a direction in the space of colors, to project pixels on. Where a
// channel falls along it, the pixel's 255-v is taken instead of v, so that all
// components are positive: flip has 255 there.
type axis struct {
	flip, reversed uint64 // red, green, blue in lanes; the components are below 1024
	flipA, a       uint64
}

// at projects a color.
func (d *axis) at(rgb uint64) uint64 { return (rgb ^ d.flip) * d.reversed >> (2 * lane) }

// at4 projects a color with alpha.
func (d *axis) at4(rgb, a uint64) uint64 {
	return (rgb^d.flip)*d.reversed>>(2*lane) + (a^d.flipA)*d.a
}

// axis scales a direction to whole numbers.
func (v *vector) axis() (d axis) {
	most := max(size(v[0]), size(v[1]), size(v[2]), size(v[3]))
	if most == 0 {
		return d
	}
	scale := 1023 / math.Float64frombits(most)
	r, fr := component(v[0] * scale)
	g, fg := component(v[1] * scale)
	b, fb := component(v[2] * scale)
	d.a, d.flipA = component(v[3] * scale)
	d.reversed, d.flip = lanesOf(b, g, r), lanesOf(fr, fg, fb)
	return d
}

// size returns the bits of |v|, which come in the order of the numbers: whole numbers are
// compared without a thought for NaN.
func size(v float64) uint64 { return math.Float64bits(v) &^ (1 << 63) }

// component returns the whole number below |v|, and 255 where v is negative.
func component(v float64) (size, flip uint64) {
	n := int64(v)
	sign := uint64(n >> 63)
	return (uint64(n) ^ sign) - sign, sign & 255
}

// sides returns the pixels that are beyond the mean along a direction, or those before
// it: never the first pixel, so that bit 0 is left out.
func (b *block) sides(d *axis) uint16 {
	var at [16]uint64
	var sum uint64
	for i, v := range &b.rgb {
		at[i] = d.at4(v, b.a[i])
		sum += at[i]
	}
	var beyond uint64
	for i, t := range &at {
		beyond |= (sum - 16*t) >> 63 << (i & 15)
	}
	return uint16(beyond^-(beyond&1)) >> 1
}
