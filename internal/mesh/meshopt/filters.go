package meshopt

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"
)

// Apply decodes filtered elements of stride bytes in place. Elements that no encoder
// writes, which the specification leaves open, become zeros or the nearest possible number.
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
			v := components(e)
			x, y, z := direction(v[0], v[1], v[2])
			most := float64(int(1)<<(2*stride-1) - 1)
			put(e, whole(x*most), whole(y*most), whole(z*most), v[3])
		case Quaternion:
			v := components(e)
			q := rotation(v)
			put(e, q[0], q[1], q[2], q[3])
		case Exponential:
			for k := 0; k < len(e); k += 4 {
				binary.LittleEndian.PutUint32(e[k:], math.Float32bits(scaled(binary.LittleEndian.Uint32(e[k:]))))
			}
		case Color:
			v := color(components(e), 2*stride)
			put(e, v[0], v[1], v[2], v[3])
		}
	}
	return nil
}

// components returns the four numbers of an element of 4 or 8 bytes, with their signs.
func components(e []byte) (v [4]int) {
	for k := range v {
		if len(e) == 4 {
			v[k] = int(int8(e[k]))
		} else {
			v[k] = int(int16(binary.LittleEndian.Uint16(e[2*k:])))
		}
	}
	return v
}

func put(e []byte, v ...int) {
	for k, n := range v {
		if len(e) == 4 {
			e[k] = byte(n)
		} else {
			binary.LittleEndian.PutUint16(e[2*k:], uint16(n))
		}
	}
}

// whole rounds a number that fits into 16 bits with a sign, or makes it do so.
func whole(x float64) int {
	if x != x {
		return 0
	}
	return int(math.Round(min(max(x, math.MinInt16), math.MaxInt16)))
}

// direction returns the vector of length 1 that two numbers stand for in octahedral
// coordinates where one stands for 1 (EXT_meshopt_compression, filter 1).
func direction(a, b, one int) (x, y, z float64) {
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

// rotation returns the quaternion that three of its numbers, and which is the fourth,
// stand for (filter 2).
func rotation(v [4]int) (q [4]int) {
	scale := 1 / (math.Sqrt2 * float64(v[3]|3))
	x, y, z := float64(v[0])*scale, float64(v[1])*scale, float64(v[2])*scale
	w := math.Sqrt(max(0, 1-float64(x*x)-float64(y*y)-float64(z*z)))
	for i, c := range [4]float64{w, x, y, z} {
		q[(v[3]&3+i)&3] = whole(c * math.MaxInt16)
	}
	return q
}

// scaled returns the float that an exponent of 8 bits and a number of 24 stand for
// (filter 3).
func scaled(v uint32) float32 {
	e := min(max(int(int32(v)>>24), -exponents), exponents)
	return float32(math.Ldexp(float64(int32(v<<8)>>8), e))
}

// exponents are from -100 to 100.
const exponents = 100

// color returns the color of width bits with the given luma, two differences and alpha
// (filter 4 of KHR_meshopt_compression).
func color(v [4]int, width int) [4]int {
	mask := 1<<width - 1
	luma, alpha := v[0]&mask, v[3]&mask // have no sign
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
