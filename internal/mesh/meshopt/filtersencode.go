package meshopt

import (
	"encoding/binary"
	"math"
)

// PutOctahedral writes a vector as an element of 4 or 8 bytes that the filter Octahedral
// turns into it, in bits from 2 to 8 or 16 for each of two coordinates. w is kept as it
// is. Of the four points around the vector's the one whose direction is nearest is taken,
// which with 8 bits is off by 0.7 degrees at most.
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
		p, q, r := direction(a, b, one)
		if near := float64(p*x) + float64(q*y) + float64(r*z); near > nearest {
			best, nearest = [2]int{a, b}, near
		}
	}
	put(to, best[0], best[1], one, w)
}

// PutQuaternion writes a rotation of length 1 as 8 bytes that the filter Quaternion turns
// into it or its negative, which is the same rotation, in bits from 4 to 16 for each of
// three numbers. It is off by sqrt(6)/(2^(bits-1)-1) radians at most, and what Quaternion
// rounds.
func PutQuaternion(to []byte, q [4]float32, bits int) {
	v := shortened(q, largestOf(q), bits)
	put(to, v[0], v[1], v[2], v[3])
}

// largestOf returns which number of a rotation is the furthest from 0.
func largestOf(q [4]float32) int {
	largest := 0
	for k := range q {
		if math.Abs(float64(q[k])) > math.Abs(float64(q[largest])) {
			largest = k
		}
	}
	return largest
}

// shortened returns the three numbers of a rotation besides the largest, which becomes
// positive, and which one that is.
func shortened(q [4]float32, largest, bits int) (v [4]int) {
	one := 1<<(bits-1) - 1
	scale := math.Sqrt2 * float64(one)
	if q[largest] < 0 {
		scale = -scale
	}
	for k := range 3 {
		v[k] = whole(min(max(float64(q[(largest+1+k)&3])*scale, float64(-one)), float64(one)))
	}
	v[3] = one&^3 | largest
	return v
}

// PutExponential writes a float as 4 bytes that the filter Exponential turns into the
// nearest multiple of 2^exponent, or of a larger power of 2 if the float is so large that
// there is no such number in 24 bits. exponent is from -100 to 100.
func PutExponential(to []byte, x float32, exponent int) {
	_, e := math.Frexp(float64(x)) // |x| < 2^e
	exponent = min(max(exponent, e-23), exponents)
	m := int(math.RoundToEven(math.Ldexp(float64(x), -exponent)))
	m = min(max(m, -1<<23), 1<<23-1)
	binary.LittleEndian.PutUint32(to, uint32(exponent)<<24|uint32(m)&0xffffff)
}
