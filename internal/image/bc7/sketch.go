package bc7

import (
	"math"
	"math/bits"
)

// A sketch is a summary of a block, compared before anything is tried with it.
type sketch struct {
	r, g, b int32  // sums of the colors
	spread  int32  // 4 times the deviation of the colors from their mean
	bright  uint16 // the pixels brighter than the mean
}

func (b *block) sketch() (k sketch) {
	var m moments
	var light [16]uint64
	var sum uint64
	for i, v := range &b.rgb {
		m.add(v)
		// Green counts twice.
		light[i] = dot(v, lanesOf(1, 2, 1)) + b.a[i]
		sum += light[i]
	}
	for i, v := range &light {
		k.bright |= uint16((sum-16*v)>>63) << i
	}
	t := m.scatter(false)
	k.spread = int32(math.Sqrt(t.rr+t.gg+t.bb) / 4)
	k.r, k.g, k.b = int32(red(m.sum)), int32(green(m.sum)), int32(blue(m.sum))
	return k
}

// apart is the least squared error of two blocks whose colors have these sums.
func (k *sketch) apart(o *sketch) int64 {
	r, g, b := k.r-o.r, k.g-o.g, k.b-o.b
	return int64(r*r+g*g+b*b) >> 4
}

// wider is 16 times the squared difference of the deviations: on the scale of apart.
func (k *sketch) wider(o *sketch) int64 {
	d := k.spread - o.spread
	return int64(d * d)
}

// otherwise is how many pixels are bright in one and dark in the other, where indices may
// go from either end.
func (k *sketch) otherwise(o *sketch) int64 {
	n := int64(bits.OnesCount16(k.bright ^ o.bright))
	return min(n, 16-n)
}

// nearby are the slots of the most similar blocks, the nearest first, and of equals the
// older first. A key is the distance of a block, times 2^16, and its slot.
type nearby [maxAsked]int64

const maxAsked = 64

// nearbyOf has room for up to maxAsked slots.
func nearbyOf(n int) (near nearby) {
	for i := range near[:n] {
		near[i] = math.MaxInt64
	}
	return near
}

// keepNearest keeps the nearest, as many as there is room for.
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
