package pixmap

import "math"

// The mean of two unit vectors is shorter than 1. Stored vectors are made unit vectors, but the
// next level is averaged from the means, so that each of its pixels counts as much as the area that
// it covers.

// unitVector returns the vector of stored x, y and z, from 0 to 1, at length 1 and stored again. A
// vector without a direction becomes one that points out of the surface.
func unitVector(x, y, z float64) (ux, uy, uz float64) {
	x, y, z = float64(2*x)-1, float64(2*y)-1, float64(2*z)-1
	long := math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z))
	if long < 1e-4 {
		return 0.5, 0.5, 1
	}
	return (x/long + 1) / 2, (y/long + 1) / 2, (z/long + 1) / 2
}

// narrowNormals stores a row of texels as vectors of length 1.
func narrowNormals(dst []byte, src []texel) {
	for i, t := range src {
		x, y, z := unitVector(float64(t&0xffff)/65535, float64(t>>16&0xffff)/65535, float64(t>>32&0xffff)/65535)
		d := dst[4*i : 4*i+4 : 4*i+4]
		d[0], d[1], d[2], d[3] = nearestByte(x), nearestByte(y), nearestByte(z), round16(uint32(t>>48))
	}
}

func nearestByte(v float64) byte { return byte(float64(255*v) + 0.5) }

// unit fills dst with the vectors of src at length 1, and returns it.
func (l light) unit(dst, src []float32) []float32 {
	top := l.vectorTop()
	for i := 0; i+4 <= len(src); i += 4 {
		x, y, z := unitVector(float64(src[i])/top, float64(src[i+1])/top, float64(src[i+2])/top)
		if l.flat {
			z = l.blue() / top
		}
		dst[i], dst[i+1], dst[i+2], dst[i+3] = float32(x*top), float32(y*top), float32(z*top), src[i+3]
	}
	return dst
}

// raise computes z from x and y, if blue is constant.
func (l light) raise(row []float32) {
	top := l.vectorTop()
	for i := 0; i+4 <= len(row); i += 4 {
		x, y := float64(2*float64(row[i])/top)-1, float64(2*float64(row[i+1])/top)-1
		z := math.Sqrt(max(0, 1-float64(x*x)-float64(y*y)))
		row[i+2] = float32((z + 1) / 2 * top)
	}
}

// vectorTop is the stored number of 1.
func (l light) vectorTop() float64 { return l.alphaTop() }

// blue returns the constant blue of a two-channel map, as light.
func (l light) blue() float64 {
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
