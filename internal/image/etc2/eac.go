package etc2

import "math"

// A scalarKind describes the values of an EAC block, which are 8-bit alpha or an 11-bit channel.
type scalarKind struct {
	unit   int32 // size of a quantization step of bases and multipliers
	offset int32 // number added to a base
	top    int32 // largest value
	least  int32 // smallest multiplier that is used
}

var (
	kindAlpha = scalarKind{unit: 1, top: 255, least: 1}
	kind11    = scalarKind{unit: 8, offset: 4, top: 2047}
)

// base returns the value of a quantized base.
func (k *scalarKind) base(stored int32) int32 { return stored*k.unit + k.offset }

// modifierStep returns the value of a modifier of 1. A multiplier of 0 means 1/8 for 11-bit
// channels.
func (k *scalarKind) modifierStep(multiplier int32) int32 {
	if multiplier == 0 && k.unit > 1 {
		return 1
	}
	return multiplier * k.unit
}

// nearestBase returns the quantized base nearest to v.
func (k *scalarKind) nearestBase(v int32) int32 {
	return max(0, min((v-k.offset+k.unit/2)>>(k.unit>>2+k.unit>>3), 255))
}

// A scalarCode holds the fields of an EAC block except for the indices.
type scalarCode struct {
	base, multiplier int32
	table            uint8
}

// A rank holds a modifier table in ascending order, and the nearest modifier at each half step.
type rank struct {
	span int32 // difference between the largest and the smallest modifier
	near [64]int8
}

// ranks holds the rank of each modifier table.
var ranks = func() (all [16]rank) {
	for t := range all {
		m := &AlphaModifiers[t]
		all[t].span = m[7] - m[3]
		for i := range all[t].near {
			// Index i represents values just above (i-32)/2.
			at, least := int32(2*i-64+1), int32(math.MaxInt32)
			for _, v := range m {
				if d := max(4*v-at, at-4*v); d < least {
					least, all[t].near[i] = d, int8(v)
				}
			}
		}
	}
	return all
}()

// encodeScalar returns the best EAC block found for sixteen values, given column by column.
func (e *encoder) encodeScalar(v *[16]int32, k *scalarKind) uint64 {
	low, high := v[0], v[0]
	for _, x := range v[1:] {
		low, high = min(low, x), max(high, x)
	}
	if low == high {
		return solidScalar(low, k)
	}
	var best scalarCode
	least := int32(math.MaxInt32)
	try := func(c scalarCode) {
		if sse := k.scalarError(v, c, least); sse < least {
			best, least = c, sse
		}
	}
	wide := e.effort.scalar
	// If only few values are extreme, a smaller multiplier that does not reach them may be better.
	below := max(1, wide)
	for t := range uint8(16) {
		span := ranks[t].span * k.unit
		full := (high - low + span - 1) / span
		for m := max(k.least, full-below); m <= min(15, full+wide/2); m++ {
			step := k.modifierStep(m)
			// Modifiers extend one step further below the base than above it.
			middle := k.nearestBase((low + high + step) >> 1)
			try(scalarCode{middle, m, t})
			if wide == 0 || least == 0 {
				continue
			}
			reach := wide * max(1, step/k.unit/2)
			for b := max(0, middle-reach); b <= min(255, middle+reach); b++ {
				if b != middle {
					try(scalarCode{b, m, t})
				}
			}
		}
	}
	if wide == 0 {
		found := best
		by := max(1, k.modifierStep(found.multiplier)/k.unit/4)
		try(scalarCode{max(0, found.base-by), found.multiplier, found.table})
		try(scalarCode{min(255, found.base+by), found.multiplier, found.table})
	}
	return k.packScalar(v, best)
}

// scalarError returns the error of a block. It stops early with a partial sum if this sum reaches
// limit. If values are clamped, the result may exceed the error of the best indices.
func (k *scalarKind) scalarError(v *[16]int32, c scalarCode, limit int32) (sse int32) {
	base, step := k.base(c.base), k.modifierStep(c.multiplier)
	near := &ranks[c.table&15].near
	reciprocal := int32(1<<20)/step + 1
	for _, x := range v {
		// at/step is the position of the value in half steps, where the base is at 32.
		at := max(0, min(2*(x-base)+32*step, 64*step-1))
		i := at * reciprocal >> 20
		d := max(0, min(base+int32(near[i&63])*step, k.top)) - x
		if sse += d * d; sse >= limit {
			return sse
		}
	}
	return sse
}

// packScalar chooses indices and returns the block.
func (k *scalarKind) packScalar(v *[16]int32, c scalarCode) uint64 {
	base, step := k.base(c.base), k.modifierStep(c.multiplier)
	m := &AlphaModifiers[c.table]
	out := uint64(c.base)<<56 | uint64(c.multiplier)<<52 | uint64(c.table)<<48
	for i, x := range v {
		best := int32(math.MaxInt32)
		for j, m := range m {
			d := max(0, min(base+m*step, k.top)) - x
			best = min(best, d*d<<3|int32(j))
		}
		out |= uint64(best&7) << (45 - 3*i)
	}
	return out
}

// solidScalar returns a block of the single value v. One modifier for all pixels compensates for
// the rounding of the base.
func solidScalar(v int32, k *scalarKind) uint64 {
	base := v / k.unit
	return uint64(base)<<56 | uint64(k.least)<<52 | solidModifiers[(v-k.base(base)+4)&7]
}

// solidModifiers holds, for each modifier m from -4 to 3, a block whose pixels all have m. The
// block has only a table and indices.
var solidModifiers = func() (all [8]uint64) {
	for t := range AlphaModifiers {
		for j, m := range AlphaModifiers[t] {
			if m >= -4 && m <= 3 {
				all[m+4] = uint64(t)<<48 | uint64(j)*0o1111111111111111
			}
		}
	}
	return all
}()
