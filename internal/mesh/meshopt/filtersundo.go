package meshopt

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"
)

// Undo encodes elements for the filter in place. It reports false, and leaves the elements
// unusable, if the filter cannot make one of them. bits are those given to PutOctahedral
// and PutQuaternion; exponents are found.
func (f Filter) Undo(ctx context.Context, data []byte, stride, bits int) (done bool, err error) {
	exponent := 0
	if f == Exponential {
		exponent = lowest(data)
	}
	var try [8]byte
	for at := 0; at < len(data); at += stride {
		if at/stride%pace == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		e := data[at:][:stride]
		switch f {
		case Octahedral:
			if !undoOctahedral(e, try[:stride], bits) {
				return false, nil
			}
		case Quaternion:
			if !undoQuaternion(e, bits) {
				return false, nil
			}
		case Exponential:
			for k := 0; k < len(e); k += 4 {
				x := math.Float32frombits(binary.LittleEndian.Uint32(e[k:]))
				PutExponential(e[k:], x, exponent)
				if scaled(binary.LittleEndian.Uint32(e[k:])) != x {
					return false, nil
				}
			}
		default:
			return false, nil
		}
	}
	return true, nil
}

// lowest returns the largest exponent of 2 that divides all floats.
func lowest(data []byte) int {
	low := exponents
	for ; len(data) >= 4; data = data[4:] {
		b := binary.LittleEndian.Uint32(data)
		fraction, e := b&(1<<23-1), int(b>>23&255)
		switch {
		case fraction == 0 && e == 0:
			continue
		case e > 0:
			fraction |= 1 << 23
		default:
			e = 1
		}
		low = min(low, e-127-23+bits.TrailingZeros32(fraction))
	}
	return max(low, -exponents)
}

// undoOctahedral searches for the coordinates of a vector around the nearest ones.
func undoOctahedral(e, try []byte, bits int) bool {
	v := components(e)
	most := float32(int(1)<<(2*len(e)-1) - 1)
	PutOctahedral(try, [3]float32{float32(v[0]) / most, float32(v[1]) / most, float32(v[2]) / most}, v[3], bits)
	near := components(try)
	for i := range 25 {
		c := near
		// 0, 1, -1, 2, -2
		c[0] += offsets[i%5]
		c[1] += offsets[i/5]
		if c[0] > near[2] || c[0] < -near[2] || c[1] > near[2] || c[1] < -near[2] {
			continue
		}
		x, y, z := direction(c[0], c[1], c[2])
		if whole(x*float64(most)) == v[0] && whole(y*float64(most)) == v[1] && whole(z*float64(most)) == v[2] {
			put(e, c[0], c[1], c[2], c[3])
			return true
		}
	}
	return false
}

var offsets = [5]int{0, 1, -1, 2, -2}

// undoQuaternion searches for the numbers of a rotation around the nearest ones, for each
// component that may have been the largest.
func undoQuaternion(e []byte, bits int) bool {
	v := components(e)
	var q [4]float32
	for k := range v {
		q[k] = float32(v[k]) / math.MaxInt16
	}
	first := largestOf(q)
	for turn := range 4 {
		largest := (first + turn) & 3
		near := shortened(q, largest, bits)
		for i := range 27 {
			c := near
			c[0] += offsets[i%3]
			c[1] += offsets[i/3%3]
			c[2] += offsets[i/9]
			if rotation(c) == v && !outOfRange(c) {
				put(e, c[0], c[1], c[2], c[3])
				return true
			}
		}
	}
	return false
}

func outOfRange(c [4]int) bool {
	for _, x := range c[:3] {
		if x > c[3]|3 || x < -(c[3]|3) {
			return true
		}
	}
	return false
}
