package pixmap

import (
	"math"
	"sync"
)

// A light converts rows of a map to floats that can be averaged, and converts floats back to rows.
// For maps of 8 and 16 bits, the floats are from 0 to 65535. For maps of floats, they are the
// unchanged values.
type light struct {
	m     *Map
	color Color
	// normal is Sampling.Normal. flat is set if normal is set and blue is constant.
	normal, flat bool
}

// newLight returns the light that converts rows of m.
func newLight(m *Map, s Sampling) light {
	return light{m: m, color: s.Color, normal: s.Normal, flat: s.Normal && constantBlue(m)}
}

// alphaTop returns the float that represents an alpha of 1. colorTop returns the float of the
// brightest color.
func (l light) alphaTop() float64 {
	if l.m.Depth() == Float {
		return 1
	}
	return 65535
}

func (l light) colorTop() float64 {
	if l.m.Depth() == Float {
		return math.MaxFloat32
	}
	return 65535
}

// widenRow fills dst with row y of the map.
func (l light) widenRow(dst []float32, y int) {
	m := l.m
	switch m.Depth() {
	case Float:
		for i, v := range m.PixF[4*m.W*y : 4*m.W*(y+1)] {
			dst[i] = sane(v)
		}
	case Bits16:
		src := m.Pix16[4*m.W*y : 4*m.W*(y+1)]
		if l.color == SRGB {
			wide := srgb16()
			for i, v := range src {
				dst[i] = wide[v]
				if i%4 == 3 {
					dst[i] = float32(v)
				}
			}
			break
		}
		for i, v := range src {
			dst[i] = float32(v)
		}
	default:
		curve := l.curve()
		for i, v := range m.Pix8[4*m.W*y : 4*m.W*(y+1)] {
			dst[i] = float32(curve.wide[v])
			if i%4 == 3 {
				dst[i] = float32(257 * int(v))
			}
		}
	}
	if l.flat {
		l.raiseZ(dst)
	}
}

// narrowRow stores src as row y of the map made, which has the same depth as the map of l. It does
// not change src. spare is a buffer of the size of src that is used only for normals.
func (l light) narrowRow(made *Map, y int, src, spare []float32) {
	if l.normal {
		src = l.unitRow(spare[:len(src)], src)
	}
	from, to := 4*made.W*y, 4*made.W*(y+1)
	switch made.Depth() {
	case Float:
		copy(made.PixF[from:to], src)
	case Bits16:
		dst := made.Pix16[from:to]
		for i, v := range src {
			if l.color == SRGB && i%4 != 3 {
				dst[i] = nearest16(65535 * srgbOfLight(float64(v)/65535))
				continue
			}
			dst[i] = nearest16(float64(v))
		}
	default:
		curve, even := l.curve(), evenCurve()
		dst := made.Pix8[from:to]
		for i, v := range src {
			c := curve
			if i%4 == 3 {
				c = even
			}
			dst[i] = c.narrow[nearest16(float64(v))]
		}
	}
}

func (l light) curve() *curve {
	if l.color == SRGB {
		return srgbCurve()
	}
	return evenCurve()
}

// nearest16 rounds a value from 0 to 65535 to the nearest integer.
func nearest16(v float64) uint16 { return uint16(float64(v) + 0.5) }

// sane replaces floats that are not valid light. These are negative values, infinities and NaN,
// whose conversion to integers differs between processors.
func sane(v float32) float32 {
	if !(v > 0) {
		return 0
	}
	return min(v, math.MaxFloat32)
}

// srgb16 maps sRGB values of 16 bits to linear light from 0 to 65535.
var srgb16 = sync.OnceValue(func() *[1 << 16]float32 {
	t := new([1 << 16]float32)
	for i := range t {
		t[i] = float32(65535 * ToLinear(float64(i)/65535))
	}
	return t
})

// ToLinear converts an sRGB value to linear light. toSRGB converts it back. Both range from 0 to 1
// (IEC 61966-2-1), are within 1e-14 of the exact value, and are equal on every processor. They
// compute powers from roots, and roots from exactly rounded arithmetic.
func ToLinear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	x := (v + 0.055) / 1.055
	root := newtonFifthRoot(x)
	return x * x * root * root // the result is x^2.4
}

func srgbOfLight(v float64) float64 {
	if v <= 0.0031308 {
		return 12.92 * v
	}
	// v^(1/2.4) is the fifth power of the twelfth root.
	x := cubeRoot(math.Sqrt(math.Sqrt(v)))
	return float64(1.055*(x*x*x*x*x)) - 0.055
}

// newtonFifthRoot accepts x from 0.05 to 1, and cubeRoot accepts x from 0.2 to 1. Both use Newton's
// method, starting on a line close to the curve.
func newtonFifthRoot(x float64) float64 {
	r := 0.62 + float64(0.41*x)
	for range 6 {
		p := r * r * r * r
		r = (float64(4*r) + x/p) / 5
	}
	return r
}

func cubeRoot(x float64) float64 {
	r := 0.53 + float64(0.49*x)
	for range 5 {
		r = (float64(2*r) + x/(r*r)) / 3
	}
	return r
}

// A curve maps stored bytes to 16-bit linear values, and back.
type curve struct {
	wide   [256]uint16
	narrow [1 << 16]byte // nearest byte for each 16-bit value
}

// evenCurve is the linear curve of alpha and data, which maps 255 to 65535.
var evenCurve = sync.OnceValue(func() *curve {
	c := new(curve)
	for i := range c.wide {
		c.wide[i] = uint16(257 * i)
	}
	for i := range c.narrow {
		c.narrow[i] = byteOf16(uint32(i))
	}
	return c
})

// srgbCurve is the transfer function of IEC 61966-2-1 to linear light. The tables are rounded
// exactly on every processor.
var srgbCurve = sync.OnceValue(func() *curve {
	c := new(curve)
	for i := range c.wide {
		// To round the value to nearest, srgbCeil rounds twice the value up, and the result is
		// halved.
		c.wide[i] = uint16(srgbCeil(2*i, 2) / 2)
	}
	// Byte i represents sRGB values from (i-1/2)/255 to (i+1/2)/255.
	for i := 1; i < 256; i++ {
		from, to := srgbCeil(2*i-1, 1), 1<<16
		if i < 255 {
			to = srgbCeil(2*i+1, 1)
		}
		for x := from; x < to; x++ {
			c.narrow[x] = byte(i)
		}
	}
	return c
})

// srgbCeil converts the sRGB value half/2, on a scale from 0 to 255, to linear light from 0 to
// 65535. It returns scale times this light, rounded up.
func srgbCeil(half, scale int) int {
	if half <= 20 { // up to 0.04045, the curve is value / 12.92
		// The result is scale * 65535 * half/2/255 / 12.92 = scale * half * 257 * 100 / 2584.
		return (scale*half*25700 + 2583) / 2584
	}
	// Above 0.04045, the error of ToLinear does not change the rounded-up result. White is exactly
	// an integer, and all other values are at least 1e-5 away from an integer.
	if half == 510 {
		return scale * 65535
	}
	return int(math.Ceil(float64(scale*65535) * ToLinear(float64(half)/510)))
}

// byteOf16 rounds a 16-bit value to 8 bits. A step of 8 bits is 257 steps of 16 bits.
func byteOf16(v uint32) byte { return byte((v + 128) / 257) }

// The mean of unit vectors is shorter than 1, so it is normalized when it is stored. The next level
// is averaged from the means before normalization, so that each pixel has a weight proportional to
// the area that it covers.

// unitVector normalizes the vector stored as x, y and z, from 0 to 1, and returns it in the same
// encoding. A vector of length 0 becomes a vector that points out of the surface.
func unitVector(x, y, z float64) (ux, uy, uz float64) {
	x, y, z = float64(2*x)-1, float64(2*y)-1, float64(2*z)-1
	long := math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z))
	if long < 1e-4 {
		return 0.5, 0.5, 1
	}
	return (x/long + 1) / 2, (y/long + 1) / 2, (z/long + 1) / 2
}

// narrowNormals normalizes a row of texels and stores them as bytes.
func narrowNormals(dst []byte, src []texel) {
	for i, t := range src {
		x, y, z := unitVector(float64(t&0xffff)/65535, float64(t>>16&0xffff)/65535, float64(t>>32&0xffff)/65535)
		d := dst[4*i : 4*i+4 : 4*i+4]
		d[0], d[1], d[2], d[3] = nearestByte(x), nearestByte(y), nearestByte(z), byteOf16(uint32(t>>48))
	}
}

func nearestByte(v float64) byte { return byte(float64(255*v) + 0.5) }

// unitRow fills dst with the normalized vectors of src, and returns dst.
func (l light) unitRow(dst, src []float32) []float32 {
	top := l.vectorTop()
	for i := 0; i+4 <= len(src); i += 4 {
		x, y, z := unitVector(float64(src[i])/top, float64(src[i+1])/top, float64(src[i+2])/top)
		if l.flat {
			z = l.constantBlueLight() / top
		}
		dst[i], dst[i+1], dst[i+2], dst[i+3] = float32(x*top), float32(y*top), float32(z*top), src[i+3]
	}
	return dst
}

// raiseZ computes z from x and y if blue is constant.
func (l light) raiseZ(row []float32) {
	top := l.vectorTop()
	for i := 0; i+4 <= len(row); i += 4 {
		x, y := float64(2*float64(row[i])/top)-1, float64(2*float64(row[i+1])/top)-1
		z := math.Sqrt(max(0, 1-float64(x*x)-float64(y*y)))
		row[i+2] = float32((z + 1) / 2 * top)
	}
}

// vectorTop is the value that represents a component of 1.
func (l light) vectorTop() float64 { return l.alphaTop() }

// constantBlueLight returns the blue of a two-channel map, which is the same for all pixels, as light.
func (l light) constantBlueLight() float64 {
	switch l.m.Depth() {
	case Float:
		return float64(sane(l.m.PixF[2]))
	case Bits16:
		return float64(l.m.Pix16[2])
	}
	return 257 * float64(l.m.Pix8[2])
}

// constantBlue reports whether blue is the same in all pixels.
func constantBlue(m *Map) bool {
	switch m.Depth() {
	case Float:
		return constant(m.PixF, 2)
	case Bits16:
		return constant(m.Pix16, 2)
	}
	return constant(m.Pix8, 2)
}

// constant reports whether channel c is the same in all pixels.
func constant[T uint8 | uint16 | float32](pix []T, c int) bool {
	for i := c; i < len(pix); i += 4 {
		if pix[i] != pix[c] {
			return false
		}
	}
	return true
}
