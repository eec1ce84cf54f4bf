package etc2

import (
	"encoding/binary"
	"math"
)

// encodeAlpha returns the best block found for the alpha of sixteen RGBA pixels.
func (e *encoder) encodeAlpha(pixels *[64]byte) uint64 {
	const alphas = 0xff00_0000_ff00_0000
	first := uint64(pixels[3])<<24 | uint64(pixels[3])<<56
	differ := uint64(0)
	for i := 0; i < 64; i += 8 {
		differ |= (binary.LittleEndian.Uint64(pixels[i:i+8]) ^ first) & alphas
	}
	if differ == 0 {
		return solidScalar(int32(pixels[3]), &kindAlpha)
	}
	var v [16]int32
	for i, at := range inColumns {
		v[i] = int32(pixels[4*at&60+3])
	}
	if e.effort.fast {
		return e.encodeAlphaFast(&v)
	}
	return e.encodeScalar(&v, &kindAlpha)
}

// alphaTables holds lookup tables for encoding alpha fast.
type alphaTables struct {
	// shape holds the error of each value with each modifier table, in lanes of 16 bits. Values are
	// in 64ths of the range between the outermost modifiers. The sum of sixteen errors does not
	// overflow a lane.
	shape [65][4]uint64
	// off holds the difference between a value and the nearest value that a block can store. It is
	// indexed by modifier table, multiplier, and value - base + 256.
	off [16][16][512]int16
	// index holds the index of the nearest modifier at each half step; see rank.near.
	index [16][64]uint8
}

func (a *alphaTables) fill() {
	for t := range a.off {
		near, m := &ranks[t].near, &AlphaModifiers[t]
		for q := range a.shape {
			at := m[3]*64 + int32(q)*ranks[t].span
			least := int32(math.MaxInt32)
			for _, v := range m {
				least = min(least, (at-64*v)*(at-64*v))
			}
			// The cost is the error relative to the squared span of the table.
			cost := uint64(min(int64(least)*24/int64(ranks[t].span*ranks[t].span), 1<<12-1))
			a.shape[q][t/4] |= cost << (t % 4 * 16)
		}
		for i := range a.index[t] {
			for j, v := range m {
				if v == int32(near[i]) {
					a.index[t][i] = uint8(j)
				}
			}
		}
		for step := int32(1); step < 16; step++ {
			for i := range a.off[t][step] {
				d := int32(i) - 256
				half := max(0, min(2*d+32*step, 64*step-1)) / step
				a.off[t][step][i] = int16(int32(near[half&63])*step - d)
			}
		}
	}
}

// narrowAlpha is the largest range of alpha that makes the encoder try all modifier tables. In such
// a range, the step size of a table matters more than its shape.
const narrowAlpha = 20

// encodeAlphaFast is the variant of encodeScalar that the quality Fast uses for alpha.
func (e *encoder) encodeAlphaFast(v *[16]int32) uint64 {
	tables := &e.sketch.tables.alpha
	low, high := v[0], v[0]
	for _, x := range v {
		low, high = min(low, x), max(high, x)
	}
	chosen := everyTable[:]
	var suited [2]uint8
	if high-low > narrowAlpha {
		suited = tables.suitTables(v, low, high)
		chosen = suited[:]
	}
	var found scalarCode
	least := int32(math.MaxInt32)
	for _, t := range chosen {
		span := ranks[t&15].span
		full := min((high-low+span-1)/span, 15)
		for m := max(1, full-1); m <= full && least > 0; m++ {
			// Modifiers extend one step further below the base than above it.
			c := scalarCode{min((low+high+m)>>1, 255), m, t}
			if sse := tables.alphaError(v, c, least); sse < least {
				found, least = c, sse
			}
		}
	}
	by := max(1, found.multiplier/4)
	for _, base := range [2]int32{max(0, found.base-by), min(255, found.base+by)} {
		c := scalarCode{base, found.multiplier, found.table}
		if sse := tables.alphaError(v, c, least); sse < least {
			found, least = c, sse
		}
	}
	out := uint64(found.base)<<56 | uint64(found.multiplier)<<52 | uint64(found.table)<<48
	step := found.multiplier
	reciprocal := int32(1<<20)/step + 1
	index := &tables.index[found.table&15]
	for i, x := range v {
		at := max(0, min(2*(x-found.base)+32*step, 64*step-1))
		out |= uint64(index[at*reciprocal>>20&63]&7) << (45 - 3*i)
	}
	return out
}

// everyTable lists all modifier tables of EAC.
var everyTable = [16]uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// suitTables returns the two modifier tables with the least error for values in [low, high].
func (a *alphaTables) suitTables(v *[16]int32, low, high int32) [2]uint8 {
	scale := 64 << 16 / (high - low)
	var sums [4]uint64
	for _, x := range v {
		row := &a.shape[min(uint32((x-low)*scale+1<<15)>>16, 64)]
		sums[0], sums[1], sums[2], sums[3] = sums[0]+row[0], sums[1]+row[1], sums[2]+row[2], sums[3]+row[3]
	}
	best, second := uint32(math.MaxUint32), uint32(math.MaxUint32)
	for i, word := range &sums {
		for j := range 4 {
			cost := uint32(word>>(16*j)&0xffff)<<4 | uint32(4*i+j)
			second = min(second, max(best, cost))
			best = min(best, cost)
		}
	}
	return [2]uint8{uint8(best & 15), uint8(second & 15)}
}

// alphaError returns the error of a block. It stops early with a partial sum if this sum reaches
// limit. If values are clamped, the result may exceed the error of the best indices.
func (a *alphaTables) alphaError(v *[16]int32, c scalarCode, limit int32) (sse int32) {
	row := &a.off[c.table&15][c.multiplier&15]
	for i := 0; i < 16; i += 4 {
		for _, x := range v[i : i+4] {
			d := max(-x, min(int32(row[(x-c.base+256)&511]), 255-x))
			sse += d * d
		}
		if sse >= limit {
			break
		}
	}
	return sse
}
