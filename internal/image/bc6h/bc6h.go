// Package bc6h encodes and decodes the unsigned blocks of BC6H (DXGI_FORMAT_BC6H_UF16,
// VK_FORMAT_BC6H_UFLOAT_BLOCK):
//
//	bc6h.go    the fields of a block, and its colors
//	bits.go    the modes, and the bits of their fields
//	encode.go  the judge of errors, and least squares
//	line.go    blocks of one line
//	pair.go    blocks of two lines
//
// A block of 4 by 4 pixels is 16 bytes: one or two lines of colors, and the pixels' places
// on them. Channels are half floats taken for whole numbers. Most modes store the other
// ends as their distance from the first, which leaves more bits to that.
//
// Source: Khronos Data Format Specification 1.4, section 20.2, "BPTC float".
package bc6h

import (
	"github.com/assetcook/assetcook/internal/image/bc7"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// Partitions is the number of ways to split a block in two: the first of BC7's.
const Partitions = 32

// A Mode is how a block stores its ends.
type Mode struct {
	Number   uint8    // first bits of the block: 2 if below 2, else 5
	Regions  uint8    // lines
	Bits     uint8    // a channel of the first end
	Distance [3]uint8 // bits of the distances in each channel; 0 if ends are stored themselves
	fields   []field
}

// A Block is the fields of a block.
type Block struct {
	Mode      *Mode
	Partition uint8
	Ends      [4][3]int32 // two for each region, of Mode.Bits bits
	Index     [16]uint8
}

// Region returns the region of a pixel.
func (b *Block) Region(pixel int) int {
	if b.Mode.Regions == 1 {
		return 0
	}
	mask, _ := bc7.Pair(b.Partition)
	return int(mask >> pixel & 1)
}

// Levels returns the number of colors on a line.
func (m *Mode) Levels() int {
	if m.Regions == 1 {
		return 16
	}
	return 8
}

// Fits reports whether the mode can store the ends.
func (b *Block) Fits() bool {
	for c := range 3 {
		for _, end := range b.Ends[:2*b.Mode.Regions] {
			if end[c] < 0 || end[c] >= 1<<b.Mode.Bits {
				return false
			}
			if bits := b.Mode.Distance[c]; bits > 0 {
				if d := end[c] - b.Ends[0][c]; d < -1<<(bits-1) || d >= 1<<(bits-1) {
					return false
				}
			}
		}
	}
	return true
}

// Anchor reports whether the index of a pixel is stored without its top bit, which is 0.
func (b *Block) Anchor(pixel int) bool {
	if pixel == 0 || b.Mode.Regions == 1 {
		return pixel == 0
	}
	_, anchor := bc7.Pair(b.Partition)
	return pixel == int(anchor)
}

// Weight returns how far an index lies from the first end, in 64ths.
func (m *Mode) Weight(index uint8) int32 {
	if m.Regions == 1 {
		return weights4[index&15]
	}
	return weights3[index&7]
}

var (
	weights3 = [8]int32{0, 9, 18, 27, 37, 46, 55, 64}
	weights4 = [16]int32{0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64}
)

// Wide brings a channel of an end to 16 bits.
func (m *Mode) Wide(v int32) int32 {
	switch {
	case m.Bits >= 15 || v == 0:
		return v
	case v == 1<<m.Bits-1:
		return 0xffff
	}
	return (v<<16 + 1<<15) >> m.Bits
}

// Halves returns the half floats of the pixels.
func (b *Block) Halves() (out [16][3]uint16) {
	var wide [4][3]int32
	for end := range 2 * int(b.Mode.Regions) {
		for c, v := range b.Ends[end] {
			wide[end][c] = b.Mode.Wide(v)
		}
	}
	for i, index := range b.Index {
		from, to := &wide[2*b.Region(i)], &wide[2*b.Region(i)+1]
		w := b.Mode.Weight(index)
		for c := range 3 {
			mixed := (from[c]*(64-w) + to[c]*w + 32) >> 6
			out[i][c] = uint16(mixed * 31 >> 6)
		}
	}
	return out
}

// DecodeBlock decodes a block to RGBA pixels. The reserved modes are black.
func DecodeBlock(pix *[64]float32, block *[16]byte) {
	*pix = [64]float32{}
	for i := range 16 {
		pix[4*i+3] = 1
	}
	b, ok := Unpack(block)
	if !ok {
		return
	}
	for i, p := range b.Halves() {
		for c, h := range p {
			pix[4*i+c] = pixmap.HalfValue(h)
		}
	}
}
