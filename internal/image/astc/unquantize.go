package astc

import "slices"

// A scale has the values of a span's stored numbers, from the least to the greatest: trits
// and quints are in another order than values.
type scale struct {
	value  []uint8 // by stored number
	sorted []uint8 // stored numbers by rank
	rank   []uint8 // by stored number
	ranked []uint8 // values by rank
}

// colors are the scales of colors, 0 to 255, and weights the scales of weights, 0 to 64.
// Source: Khronos Data Format Specification 1.4, chapter 23, "Endpoint Unquantization" and
// "Weight Unquantization".
var (
	colors  [len(spans)]scale
	weights [weightSpans]scale
)

// A spread spreads the bits of a number with a trit or a quint over a value: the share of
// each bit above the lowest, and of the trit or quint.
type spread struct {
	bits [5]int // of bits b, c, d, e, f
	c    int
}

// colorSpreads and weightSpreads are by the number of levels.
var (
	colorSpreads = map[int]spread{
		6: {c: 204}, 10: {c: 113},
		12: {[5]int{0b100010110}, 93}, 20: {[5]int{0b100001100}, 54},
		24: {[5]int{0b010000101, 0b100001010}, 44}, 40: {[5]int{0b010000010, 0b100000101}, 26},
		48:  {[5]int{0b001000001, 0b010000010, 0b100000100}, 22},
		80:  {[5]int{0b001000000, 0b010000001, 0b100000010}, 13},
		96:  {[5]int{0b000100000, 0b001000000, 0b010000001, 0b100000010}, 11},
		160: {[5]int{0b000100000, 0b001000000, 0b010000000, 0b100000001}, 6},
		192: {[5]int{0b000010000, 0b000100000, 0b001000000, 0b010000000, 0b100000001}, 5},
	}
	weightSpreads = map[int]spread{
		6: {c: 50}, 10: {c: 28},
		12: {[5]int{0b1000101}, 23}, 20: {[5]int{0b1000010}, 13},
		24: {[5]int{0b0100001, 0b1000010}, 11},
	}
)

// apply returns the value of a stored number in a range whose top bit is sign.
func (p *spread) apply(v int, s *span, sign int) int {
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

// replicate repeats the bits of a number until there are as many as wanted.
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
				values[v] = uint8(p.apply(v, s, 0x80))
			} else {
				values[v] = uint8(replicate(v, s.bits, 8))
			}
		}
		all[i] = newScale(values)
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
				u = p.apply(v, s, 0x20)
			default:
				u = replicate(v, s.bits, 6)
			}
			if u > 32 {
				u++
			}
			values[v] = uint8(u)
		}
		all[i] = newScale(values)
	}
	return all
}

func newScale(values []uint8) scale {
	n := len(values)
	s := scale{value: values, sorted: make([]uint8, n), rank: make([]uint8, n), ranked: slices.Sorted(slices.Values(values))}
	for stored, v := range values {
		r, _ := slices.BinarySearch(s.ranked, v)
		s.sorted[r], s.rank[stored] = uint8(stored), uint8(r)
	}
	return s
}
