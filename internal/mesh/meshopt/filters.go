package meshopt

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"
)

// Apply decodes filtered elements of stride bytes in place. The specification does not define the
// result for some elements, which no encoder produces. Apply turns them into zeros or the nearest
// possible values.
func (f Filter) Apply(ctx context.Context, data []byte, stride int) error {
	if f == None {
		return nil
	}
	for at := 0; at < len(data); at += stride {
		if at/stride%pace == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e := data[at:][:stride]
		switch f {
		case Octahedral:
			v := readComponents(e)
			x, y, z := decodeOctahedral(v[0], v[1], v[2])
			most := float64(int(1)<<(2*stride-1) - 1)
			putComponents(e, roundToInt16(x*most), roundToInt16(y*most), roundToInt16(z*most), v[3])
		case Quaternion:
			v := readComponents(e)
			q := decodeQuaternion(v)
			putComponents(e, q[0], q[1], q[2], q[3])
		case Exponential:
			for k := 0; k < len(e); k += 4 {
				binary.LittleEndian.PutUint32(e[k:], math.Float32bits(decodeExponential(binary.LittleEndian.Uint32(e[k:]))))
			}
		case Color:
			v := decodeColor(readComponents(e), 2*stride)
			putComponents(e, v[0], v[1], v[2], v[3])
		}
	}
	return nil
}

// readComponents returns the four signed integers of an element of 4 or 8 bytes.
func readComponents(e []byte) (v [4]int) {
	for k := range v {
		if len(e) == 4 {
			v[k] = int(int8(e[k]))
		} else {
			v[k] = int(int16(binary.LittleEndian.Uint16(e[2*k:])))
		}
	}
	return v
}

func putComponents(e []byte, v ...int) {
	for k, n := range v {
		if len(e) == 4 {
			e[k] = byte(n)
		} else {
			binary.LittleEndian.PutUint16(e[2*k:], uint16(n))
		}
	}
}

// roundToInt16 rounds a number and clamps it to signed 16 bits.
func roundToInt16(x float64) int {
	if x != x {
		return 0
	}
	return int(math.Round(min(max(x, math.MinInt16), math.MaxInt16)))
}

// decodeOctahedral returns the unit vector for the octahedral coordinates a/one and b/one
// (EXT_meshopt_compression, filter 1).
func decodeOctahedral(a, b, one int) (x, y, z float64) {
	if one <= 0 {
		return 0, 0, 0
	}
	x, y = float64(a)/float64(one), float64(b)/float64(one)
	z = 1 - math.Abs(x) - math.Abs(y)
	t := min(z, 0)
	x -= math.Copysign(t, x)
	y -= math.Copysign(t, y)
	length := math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z))
	return x / length, y / length, z / length
}

// decodeQuaternion returns the quaternion for three of its components and the index of the fourth
// (filter 2).
func decodeQuaternion(v [4]int) (q [4]int) {
	scale := 1 / (math.Sqrt2 * float64(v[3]|3))
	x, y, z := float64(v[0])*scale, float64(v[1])*scale, float64(v[2])*scale
	w := math.Sqrt(max(0, 1-float64(x*x)-float64(y*y)-float64(z*z)))
	for i, c := range [4]float64{w, x, y, z} {
		q[(v[3]&3+i)&3] = roundToInt16(c * math.MaxInt16)
	}
	return q
}

// decodeExponential returns the float for an 8-bit exponent and a 24-bit mantissa (filter 3).
func decodeExponential(v uint32) float32 {
	e := min(max(int(int32(v)>>24), -exponents), exponents)
	return float32(math.Ldexp(float64(int32(v<<8)>>8), e))
}

// exponents is the limit of exponents, which range from -100 to 100.
const exponents = 100

// decodeColor returns the color of width bits with the given luma, two chroma differences and alpha
// (filter 4 of KHR_meshopt_compression).
func decodeColor(v [4]int, width int) [4]int {
	mask := 1<<width - 1
	luma, alpha := v[0]&mask, v[3]&mask // unsigned components
	as := 1<<bits.Len(uint(alpha)) - 1
	if as == 0 {
		return [4]int{}
	}
	a := alpha & (as >> 1)
	a = a<<1 | a&1
	out := [4]int{luma + v[1] - v[2], luma + v[2], luma - v[1] - v[2], a}
	for i, c := range out {
		out[i] = int(math.Round(min(max(float64(c)/float64(as), 0), 1) * float64(mask)))
	}
	return out
}

// PutOctahedral encodes a vector as an element of 4 or 8 bytes for the filter Octahedral. The two
// coordinates have the given number of bits, from 2 to 8 or 16. w is stored unchanged. Of the four
// nearest grid points, PutOctahedral selects the one with the nearest direction. With 8 bits its
// error is at most 0.7 degrees.
func PutOctahedral(to []byte, v [3]float32, w, bits int) {
	one := 1<<(bits-1) - 1
	x, y, z := float64(v[0]), float64(v[1]), float64(v[2])
	sum := math.Abs(x) + math.Abs(y) + math.Abs(z)
	if !(sum > 0) {
		z, sum = 1, 1
	}
	u, t := x/sum, y/sum
	if z < 0 {
		u, t = math.Copysign(1-math.Abs(t), u), math.Copysign(1-math.Abs(u), t)
	}
	left, low := int(math.Floor(u*float64(one))), int(math.Floor(t*float64(one)))
	best, nearest := [2]int{}, math.Inf(-1)
	for i := range 4 {
		a, b := min(left+i&1, one), min(low+i>>1, one)
		p, q, r := decodeOctahedral(a, b, one)
		if near := float64(p*x) + float64(q*y) + float64(r*z); near > nearest {
			best, nearest = [2]int{a, b}, near
		}
	}
	putComponents(to, best[0], best[1], one, w)
}

// PutQuaternion encodes a unit quaternion as 8 bytes for the filter Quaternion. Its three
// components have the given number of bits, from 4 to 16. The filter may return the negated
// quaternion, which is the same rotation. The error is at most sqrt(6)/(2^(bits-1)-1) radians, in
// addition to the rounding in the filter.
func PutQuaternion(to []byte, q [4]float32, bits int) {
	v := threeSmallest(q, largestOf(q), bits)
	putComponents(to, v[0], v[1], v[2], v[3])
}

// largestOf returns the index of the component with the largest absolute value.
func largestOf(q [4]float32) int {
	largest := 0
	for k := range q {
		if math.Abs(float64(q[k])) > math.Abs(float64(q[largest])) {
			largest = k
		}
	}
	return largest
}

// threeSmallest returns the quantized components of a quaternion except the largest, and the index
// of the largest. It negates the quaternion if the largest component is negative.
func threeSmallest(q [4]float32, largest, bits int) (v [4]int) {
	one := 1<<(bits-1) - 1
	scale := math.Sqrt2 * float64(one)
	if q[largest] < 0 {
		scale = -scale
	}
	for k := range 3 {
		v[k] = roundToInt16(min(max(float64(q[(largest+1+k)&3])*scale, float64(-one)), float64(one)))
	}
	v[3] = one&^3 | largest
	return v
}

// PutExponential encodes a float as 4 bytes. The filter Exponential decodes them to the nearest
// multiple of 2^exponent, where exponent is from -100 to 100. If the mantissa needs more than 24
// bits, a larger exponent is used.
func PutExponential(to []byte, x float32, exponent int) {
	_, e := math.Frexp(float64(x)) // |x| is less than 2^e
	exponent = min(max(exponent, e-23), exponents)
	m := int(math.RoundToEven(math.Ldexp(float64(x), -exponent)))
	m = min(max(m, -1<<23), 1<<23-1)
	binary.LittleEndian.PutUint32(to, uint32(exponent)<<24|uint32(m)&0xffffff)
}

// Undo encodes elements for the filter in place. bits is the precision for PutOctahedral and
// PutQuaternion; Undo finds exponents itself. If decoding cannot restore an element exactly, Undo
// returns false and the elements are invalid.
func (f Filter) Undo(ctx context.Context, data []byte, stride, bits int) (done bool, err error) {
	exponent := 0
	if f == Exponential {
		exponent = lowestExponent(data)
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
				if decodeExponential(binary.LittleEndian.Uint32(e[k:])) != x {
					return false, nil
				}
			}
		default:
			return false, nil
		}
	}
	return true, nil
}

// lowestExponent returns the exponent of the largest power of 2 that divides all floats.
func lowestExponent(data []byte) int {
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

// undoOctahedral searches for coordinates that decode to the exact vector. It tries coordinates
// near the rounded ones.
func undoOctahedral(e, try []byte, bits int) bool {
	v := readComponents(e)
	most := float32(int(1)<<(2*len(e)-1) - 1)
	PutOctahedral(try, [3]float32{float32(v[0]) / most, float32(v[1]) / most, float32(v[2]) / most}, v[3], bits)
	near := readComponents(try)
	for i := range 25 {
		c := near
		// These offsets are 0, 1, -1, 2 and -2.
		c[0] += offsets[i%5]
		c[1] += offsets[i/5]
		if c[0] > near[2] || c[0] < -near[2] || c[1] > near[2] || c[1] < -near[2] {
			continue
		}
		x, y, z := decodeOctahedral(c[0], c[1], c[2])
		if roundToInt16(x*float64(most)) == v[0] && roundToInt16(y*float64(most)) == v[1] && roundToInt16(z*float64(most)) == v[2] {
			putComponents(e, c[0], c[1], c[2], c[3])
			return true
		}
	}
	return false
}

var offsets = [5]int{0, 1, -1, 2, -2}

// undoQuaternion searches for components that decode to the exact quaternion. It tries components
// near the rounded ones, for each component that may have been the largest.
func undoQuaternion(e []byte, bits int) bool {
	v := readComponents(e)
	var q [4]float32
	for k := range v {
		q[k] = float32(v[k]) / math.MaxInt16
	}
	first := largestOf(q)
	for turn := range 4 {
		largest := (first + turn) & 3
		near := threeSmallest(q, largest, bits)
		for i := range 27 {
			c := near
			c[0] += offsets[i%3]
			c[1] += offsets[i/3%3]
			c[2] += offsets[i/9]
			if decodeQuaternion(c) == v && !outOfRange(c) {
				putComponents(e, c[0], c[1], c[2], c[3])
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
