package astc

import "encoding/binary"

// magenta is what blocks that mean nothing decode to.
var magenta = [4]byte{255, 0, 255, 255}

// DecodeBlock writes the pixels of a block to dst row by row, RGBA. The block has side by
// side pixels, and side is one that Encode takes. srgb says how a reader takes the colors: sRGB has eight bits, plain
// numbers have the precision of half floats and are rounded here. Blocks that are reserved,
// or of high dynamic range, become magenta.
// Source: Khronos Data Format Specification 1.4, chapter 23, "Weight Application".
func DecodeBlock(dst *[256]byte, block *[16]byte, side int, srgb bool) {
	prepare()
	pixels := dst[:4*side*side]
	s := stream{binary.LittleEndian.Uint64(block[:]), binary.LittleEndian.Uint64(block[8:])}
	if s.at(0, 9) == voidExtent {
		fill(pixels, single(&s, srgb))
		return
	}
	c, ok := unpack(&s, side)
	if !ok {
		fill(pixels, magenta)
		return
	}
	c.pixels(pixels, side, srgb)
}

func fill(pixels []byte, color [4]byte) {
	for i := 0; i < len(pixels); i += 4 {
		copy(pixels[i:i+4], color[:])
	}
}

// single returns the color of a block that has but one.
func single(s *stream, srgb bool) (color [4]byte) {
	minS, maxS, minT, maxT := s.at(12, 13), s.at(25, 13), s.at(38, 13), s.at(51, 13)
	everywhere := minS&maxS&minT&maxT == 1<<13-1
	if s.at(9, 3) != 0b110 || !everywhere && (minS >= maxS || minT >= maxT) {
		return magenta
	}
	for i := range color {
		color[i] = round16(s.at(64+16*i, 16), srgb)
	}
	return color
}

// round16 rounds an interpolated value of 16 bits to eight.
func round16(v int, srgb bool) byte {
	if srgb {
		return byte(v >> 8)
	}
	if v == 0xffff {
		return 255
	}
	for below := 1 << 15; below >= 1<<11; below >>= 1 { // bits that half floats drop
		if v >= below {
			v &^= below>>10 - 1
			break
		}
	}
	return byte((v*255 + 1<<15) >> 16)
}

// pixels writes the pixels that c means.
func (c *code) pixels(dst []byte, side int, srgb bool) {
	var ends [maxPartitions]pair
	var known [maxPartitions]bool
	at := 0
	for i, kind := range c.kinds[:c.parts] {
		var v [8]int32
		n := numbersOf(kind)
		for k := range n {
			v[k] = int32(colors[c.colorSpan].value[c.color[at+k]])
		}
		at += n
		ends[i], known[i] = endsOf(kind, &v)
	}
	planes := 1
	if c.dual {
		planes = 2
	}
	var grids [2][64]uint8
	for i := range c.weights() {
		grids[i%planes][i/planes] = weights[c.span].value[c.weight[i]]
	}
	f := formats[side]().grid(c.across, c.down).infill
	for i := range side * side {
		part := 0
		if c.parts > 1 {
			part = Partition(int(c.seed), i%side, i/side, int(c.parts), side*side < 31)
		}
		if !known[part] {
			copy(dst[4*i:], magenta[:])
			continue
		}
		for channel := range 4 {
			w := f.pixel(i, &grids[0])
			if c.dual && channel == int(c.component) {
				w = f.pixel(i, &grids[1])
			}
			dst[4*i+channel] = round16(mix(ends[part][0][channel], ends[part][1][channel], w, srgb), srgb)
		}
	}
}

// mix returns what lies between two values of eight bits, as 16 bits.
func mix(from, to, weight int32, srgb bool) int {
	if srgb {
		from, to = from<<8|0x80, to<<8|0x80
	} else {
		from, to = from*257, to*257
	}
	return int(from*(64-weight)+to*weight+32) >> 6
}
