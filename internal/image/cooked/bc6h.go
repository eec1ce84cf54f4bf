package cooked

import (
	"errors"
	"math"
)

// errRegions is returned for BC6H blocks that this module does not write.
var errRegions = errors.New("bc6h blocks of two regions are not decoded")

// bc6h decodes an unsigned BC6H block of one line of colors: two ends and sixteen indices
// of four bits. Source: Khronos Data Format Specification 1.4, section 20.2.
func bc6h(block *[16]byte) (pix [64]float32, err error) {
	r := bits{block: block}
	number := r.take(2)
	if number >= 2 {
		number |= r.take(3) << 2
	}
	width, distance := 0, 0
	switch number {
	case 3:
		width = 10
	case 7:
		width, distance = 11, 9
	case 11:
		width, distance = 12, 8
	case 15:
		width, distance = 16, 4
	case 19, 23, 27, 31: // reserved: black
		for i := range 16 {
			pix[4*i+3] = 1
		}
		return pix, nil
	default:
		return pix, errRegions
	}
	var from, to [3]int
	for k := range from {
		from[k] = r.take(10)
	}
	for k := range to {
		if distance == 0 {
			to[k] = r.take(10)
			continue
		}
		d := r.take(distance)
		if d >= 1<<(distance-1) {
			d -= 1 << distance
		}
		for i := width - 1; i >= 10; i-- { // the rest of the first end, highest bit first
			from[k] |= r.take(1) << i
		}
		to[k] = (from[k] + d) & (1<<width - 1)
	}
	weights := [16]int{0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64}
	for i := range 16 {
		w := weights[r.take(4-btoi(i == 0))] // the high bit of the first index is not stored
		for k := range 3 {
			mixed := (widen(from[k], width)*(64-w) + widen(to[k], width)*w + 32) >> 6
			pix[4*i+k] = halfValue(uint16(mixed * 31 >> 6))
		}
		pix[4*i+3] = 1
	}
	return pix, nil
}

// widen brings an end to 16 bits.
func widen(v, width int) int {
	switch {
	case width >= 15 || v == 0:
		return v
	case v == 1<<width-1:
		return math.MaxUint16
	}
	return (v<<16 + 1<<15) >> width
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// bits reads a block from its lowest bit up.
type bits struct {
	block *[16]byte
	at    int
}

func (r *bits) take(n int) (v int) {
	for i := range n {
		v |= int(r.block[r.at>>3]>>(r.at&7)&1) << i
		r.at++
	}
	return v
}
