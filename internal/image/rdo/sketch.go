package rdo

import (
	"math"
	"math/bits"
)

// A sketch is a summary of a block, for finding similar blocks quickly.
type sketch struct {
	pixels  int64
	r, g, b int64     // sums of the pixels' colors
	spread  int64     // 4 times the deviation of the colors from their mean
	bright  [3]uint64 // one bit for each pixel that is brighter than the mean
}

// sketchOf returns the sketch of RGBA pixels, at most 192.
func sketchOf(pixels []byte) (k sketch) {
	n := int64(len(pixels) / 4)
	var sum, squares int64
	for i := 0; i < len(pixels); i += 4 {
		p := pixels[i : i+4 : i+4]
		r, g, b := int64(p[0]), int64(p[1]), int64(p[2])
		k.r, k.g, k.b = k.r+r, k.g+g, k.b+b
		squares += r*r + g*g + b*b
		sum += brightness(p)
	}
	for i := range n {
		if n*brightness(pixels[4*i:4*i+4]) > sum {
			k.bright[i>>6] |= 1 << (i & 63)
		}
	}
	k.pixels = n
	k.spread = int64(math.Sqrt(float64(n*squares-k.r*k.r-k.g*k.g-k.b*k.b)) * 4 / float64(n))
	return k
}

// brightness returns a sum of channels. Green has twice the weight.
func brightness(p []byte) int64 { return int64(p[0]) + 2*int64(p[1]) + int64(p[2]) + int64(p[3]) }

// leastApart returns a lower bound for the squared error between two blocks, computed from their
// sums of colors.
func (k *sketch) leastApart(o *sketch) int64 {
	r, g, b := k.r-o.r, k.g-o.g, k.b-o.b
	return (r*r + g*g + b*b) / k.pixels
}

// wider returns the squared difference between the color deviations of two blocks, times their
// number of pixels. The result has the same scale as leastApart.
func (k *sketch) wider(o *sketch) int64 {
	d := k.spread - o.spread
	return d * d * k.pixels / 16
}

// otherwise returns the number of pixels that are bright in only one of the blocks, or the number
// of other pixels if it is smaller, because indices may count from either endpoint.
func (k *sketch) otherwise(o *sketch) int64 {
	n := int64(0)
	for i, v := range &k.bright {
		n += int64(bits.OnesCount64(v ^ o.bright[i]))
	}
	return min(n, k.pixels-n)
}

// nearby holds the slots of the most similar blocks, nearest first. Among equally similar blocks,
// the oldest is first. An element is 2^16 times the distance of a block, plus the slot of this
// block.
type nearby [maxAsked]int64

const maxAsked = 64

// nearbyOf returns an empty list with room for n slots.
func nearbyOf(n int) (near nearby) {
	for i := range near[:n] {
		near[i] = math.MaxInt64
	}
	return near
}

// keepNearest inserts a slot if it is among the nearest.
func (near *nearby) keepNearest(far int64, slot, room int) {
	last := (room - 1) & (maxAsked - 1)
	if far >= near[last]>>16 {
		return
	}
	i := last
	for ; i > 0 && far < near[(i-1)&(maxAsked-1)]>>16; i-- {
		near[i&(maxAsked-1)] = near[(i-1)&(maxAsked-1)]
	}
	near[i&(maxAsked-1)] = far<<16 | int64(slot)
}
