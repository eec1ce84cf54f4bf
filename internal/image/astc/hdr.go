package astc

import (
	"encoding/binary"
	"math/bits"
)

// Halves holds the RGBA pixels of a block of any size as half-precision floats, row by row.
type Halves [4 * maxPixels]uint16

// DecodeHDR writes the pixels of a block of high or low dynamic range to dst. Invalid blocks become
// magenta. Source: Khronos Data Format Specification 1.4, chapter 23, "Weight Application".
func DecodeHDR(dst *Halves, block *[16]byte, size Size) {
	prepare()
	pixels := dst[:4*size.W*size.H]
	s := stream{binary.LittleEndian.Uint64(block[:]), binary.LittleEndian.Uint64(block[8:])}
	color := [4]uint16{halfOne, 0, halfOne, halfOne}
	if s.bitsAt(0, 9) == voidExtent {
		if s.isVoidExtent() {
			color = s.singleHalves()
		}
	} else if c, ok := unpack(&s, size); ok {
		c.writeHalves(pixels, size)
		return
	}
	for i := 0; i < len(pixels); i += 4 {
		copy(pixels[i:i+4], color[:])
	}
}

// halfOne is 1, and halfMax is the largest finite half-precision float.
const (
	halfOne = 0x3c00
	halfMax = 0x7bff
)

// singleHalves returns the color of a void-extent block of high or low dynamic range.
func (s *stream) singleHalves() (color [4]uint16) {
	for i := range color {
		v := s.bitsAt(64+16*i, 16)
		if s.bitsAt(9, 1) == 0 {
			color[i] = halfOfFraction(v)
		} else {
			color[i] = uint16(v)
		}
	}
	return color
}

// halfOfFraction converts a 16-bit value, where 65535 means 1, to a half-precision float.
func halfOfFraction(v int) uint16 {
	if v == 0xffff {
		return halfOne
	}
	exponent := bits.Len(uint(v)) - 1
	if exponent < 2 { // denormal
		return uint16(v << 8)
	}
	return uint16((exponent-1)<<10 | v<<10>>exponent&1023)
}

// halfOfLight converts an interpolated value of high dynamic range, which has 16 bits, to a
// half-precision float. The fraction is nearly a logarithm: three lines approximate the curve.
func halfOfLight(v int) uint16 {
	fraction := v & 0x7ff
	switch {
	case fraction < 512:
		fraction *= 3
	case fraction < 1536:
		fraction = 4*fraction - 512
	default:
		fraction = 5*fraction - 2048
	}
	return uint16(min(v>>11<<10+fraction>>3, halfMax))
}

// writeHalves decodes the pixels of the code to RGBA.
func (c *code) writeHalves(dst []uint16, size Size) {
	var ends [maxPartitions]pair
	at := 0
	for i, kind := range c.kinds[:c.parts] {
		v := c.endValues(at, kind)
		at += endNumbers(kind)
		p := &ends[i]
		if !isLight(kind) {
			*p, _ = endsOf(kind, &v)
			for k := range p {
				for channel := range p[k] {
					p[k][channel] *= 257
				}
			}
			continue
		}
		*p = lightEnds(kind, &v)
		for k := range p {
			for channel := range p[k] {
				p[k][channel] <<= 4
			}
		}
		if kind == kindLightAlpha {
			p[0][3], p[1][3] = v[6]*257, v[7]*257
		}
	}
	c.eachWeight(size, func(i, part int, weight [4]int32) {
		kind := c.kinds[part]
		for channel, w := range weight {
			v := int(ends[part][0][channel]*(64-w)+ends[part][1][channel]*w+32) >> 6
			if isLight(kind) && !(kind == kindLightAlpha && channel == 3) {
				dst[4*i+channel] = halfOfLight(v)
			} else {
				dst[4*i+channel] = halfOfFraction(v)
			}
		}
	})
}
