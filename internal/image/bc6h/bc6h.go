// Package bc6h encodes and decodes the unsigned blocks of BC6H (DXGI_FORMAT_BC6H_UF16,
// VK_FORMAT_BC6H_UFLOAT_BLOCK):
//
//	bc6h.go       the fields of a block, its colors, and the bits of the modes
//	encode.go     error metric, least squares, and blocks with one line
//	pair.go       blocks with two lines
//	transcode.go  blocks with the lines of another format
//
// A block of 4 by 4 pixels has 16 bytes. It stores one or two lines between colors, and the
// position of each pixel on a line. Channels are half-precision floats whose bits are read as
// integers. Most modes store the first endpoint exactly, and the other endpoints as offsets from
// the first.
//
// Source: Khronos Data Format Specification 1.4, section 20.2, "BPTC float".
package bc6h

import (
	"math/bits"
	"strings"
	"sync"

	"github.com/assetcook/assetcook/internal/image/bc7"
	"github.com/assetcook/assetcook/internal/image/blockfit"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// Partitions is the number of ways to split a block into two regions. BC7 has the same partitions,
// and more.
const Partitions = 32

// A Mode is a block's storage format for its endpoints.
type Mode struct {
	Number   uint8    // mode number, stored in 2 bits if it is 0 or 1, otherwise in 5
	Regions  uint8    // number of regions; each has its own line
	Bits     uint8    // bits per channel of the first endpoint
	Distance [3]uint8 // bits per channel of the other endpoints' offsets; 0 if all endpoints are stored directly
	fields   []field
}

// A Block holds the fields of a block.
type Block struct {
	Mode      *Mode
	Partition uint8
	Ends      [4][3]int32 // two endpoints per region; each channel has Mode.Bits bits
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

// Fits reports whether the mode can store the endpoints.
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

// Anchor reports whether the pixel's index is stored without its top bit, which is 0.
func (b *Block) Anchor(pixel int) bool {
	if pixel == 0 || b.Mode.Regions == 1 {
		return pixel == 0
	}
	_, anchor := bc7.Pair(b.Partition)
	return pixel == int(anchor)
}

// Weight returns the weight of the second endpoint for an index, in 64ths.
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

// Wide converts a channel of an endpoint to 16 bits.
func (m *Mode) Wide(v int32) int32 {
	switch {
	case m.Bits >= 15 || v == 0:
		return v
	case v == 1<<m.Bits-1:
		return 0xffff
	}
	return (v<<16 + 1<<15) >> m.Bits
}

// Halves returns the half-precision floats of the pixels.
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

// DecodeBlock decodes a block to RGBA pixels. Blocks of reserved modes decode to black.
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

// Modes returns all modes: first the modes with two regions, then with one.
var Modes = sync.OnceValue(func() *[14]Mode {
	return &[14]Mode{
		twoEnds(0, 10, 5, 5, 5, "g2.4 b2.4 b3.4 r0.0-9 g0.0-9 b0.0-9 r1.0-4 g3.4 g2.0-3 g1.0-4 b3.0 g3.0-3 b1.0-4 b3.1 b2.0-3 r2.0-4 b3.2 r3.0-4 b3.3"),
		twoEnds(1, 7, 6, 6, 6, "g2.5 g3.4 g3.5 r0.0-6 b3.0 b3.1 b2.4 g0.0-6 b2.5 b3.2 g2.4 b0.0-6 b3.3 b3.5 b3.4 r1.0-5 g2.0-3 g1.0-5 g3.0-3 b1.0-5 b2.0-3 r2.0-5 r3.0-5"),
		twoEnds(2, 11, 5, 4, 4, "r0.0-9 g0.0-9 b0.0-9 r1.0-4 r0.10 g2.0-3 g1.0-3 g0.10 b3.0 g3.0-3 b1.0-3 b0.10 b3.1 b2.0-3 r2.0-4 b3.2 r3.0-4 b3.3"),
		twoEnds(6, 11, 4, 5, 4, "r0.0-9 g0.0-9 b0.0-9 r1.0-3 r0.10 g3.4 g2.0-3 g1.0-4 g0.10 g3.0-3 b1.0-3 b0.10 b3.1 b2.0-3 r2.0-3 b3.0 b3.2 r3.0-3 g2.4 b3.3"),
		twoEnds(10, 11, 4, 4, 5, "r0.0-9 g0.0-9 b0.0-9 r1.0-3 r0.10 b2.4 g2.0-3 g1.0-3 g0.10 b3.0 g3.0-3 b1.0-4 b0.10 b2.0-3 r2.0-3 b3.1 b3.2 r3.0-3 b3.4 b3.3"),
		twoEnds(14, 9, 5, 5, 5, "r0.0-8 b2.4 g0.0-8 g2.4 b0.0-8 b3.4 r1.0-4 g3.4 g2.0-3 g1.0-4 b3.0 g3.0-3 b1.0-4 b3.1 b2.0-3 r2.0-4 b3.2 r3.0-4 b3.3"),
		twoEnds(18, 8, 6, 5, 5, "r0.0-7 g3.4 b2.4 g0.0-7 b3.2 g2.4 b0.0-7 b3.3 b3.4 r1.0-5 g2.0-3 g1.0-4 b3.0 g3.0-3 b1.0-4 b3.1 b2.0-3 r2.0-5 r3.0-5"),
		twoEnds(22, 8, 5, 6, 5, "r0.0-7 b3.0 b2.4 g0.0-7 g2.5 g2.4 b0.0-7 g3.5 b3.4 r1.0-4 g3.4 g2.0-3 g1.0-5 g3.0-3 b1.0-4 b3.1 b2.0-3 r2.0-4 b3.2 r3.0-4 b3.3"),
		twoEnds(26, 8, 5, 5, 6, "r0.0-7 b3.1 b2.4 g0.0-7 b2.5 g2.4 b0.0-7 b3.5 b3.4 r1.0-4 g3.4 g2.0-3 g1.0-4 b3.0 g3.0-3 b1.0-5 b2.0-3 r2.0-4 b3.2 r3.0-4 b3.3"),
		twoEnds(30, 6, 0, 0, 0, "r0.0-5 g3.4 b3.0 b3.1 b2.4 g0.0-5 g2.5 b2.5 b3.2 g2.4 b0.0-5 g3.5 b3.3 b3.5 b3.4 r1.0-5 g2.0-3 g1.0-5 g3.0-3 b1.0-5 b2.0-3 r2.0-5 r3.0-5"),
		oneBit(3, 10, 0, "r0.0-9 g0.0-9 b0.0-9 r1.0-9 g1.0-9 b1.0-9"),
		oneBit(7, 11, 9, "r0.0-9 g0.0-9 b0.0-9 r1.0-8 r0.10 g1.0-8 g0.10 b1.0-8 b0.10"),
		oneBit(11, 12, 8, "r0.0-9 g0.0-9 b0.0-9 r1.0-7 r0.11-10 g1.0-7 g0.11-10 b1.0-7 b0.11-10"),
		oneBit(15, 16, 4, "r0.0-9 g0.0-9 b0.0-9 r1.0-3 r0.15-10 g1.0-3 g0.15-10 b1.0-3 b0.15-10"),
	}
})

// A field is a range of bits of one channel of an endpoint, in storage order.
type field struct{ end, channel, from, to uint8 }

func twoEnds(number, size, r, g, b uint8, fields string) Mode {
	return Mode{Number: number, Regions: 2, Bits: size, Distance: [3]uint8{r, g, b}, fields: fieldsOf(fields)}
}

func oneBit(number, size, distance uint8, fields string) Mode {
	return Mode{Number: number, Regions: 1, Bits: size, Distance: [3]uint8{distance, distance, distance}, fields: fieldsOf(fields)}
}

// fieldsOf parses fields such as "g2.0-3", the green bits 0 to 3 of endpoint 2.
func fieldsOf(text string) (fields []field) {
	for word := range strings.FieldsSeq(text) {
		name, span, _ := strings.Cut(word, ".")
		from, to, ranged := strings.Cut(span, "-")
		if !ranged {
			to = from
		}
		fields = append(fields, field{name[1] - '0', uint8(strings.IndexByte("rgb", name[0])), parseDecimal(from), parseDecimal(to)})
	}
	return fields
}

func parseDecimal(s string) (n uint8) {
	for i := range len(s) {
		n = 10*n + s[i] - '0'
	}
	return n
}

// eachBit calls the function do for each bit of a field, in storage order.
func (f *field) eachBit(do func(bit uint8)) {
	step := uint8(1)
	if f.to < f.from {
		step = 255 // adding 255 subtracts 1, modulo 256
	}
	for bit := f.from; ; bit += step {
		if do(bit); bit == f.to {
			return
		}
	}
}

// modeNumber returns how many bits the mode's number takes.
func (m *Mode) modeNumber() uint8 {
	if m.Number < 2 {
		return 2
	}
	return 5
}

// Pack returns the bytes of a block. Its endpoints must fit, and the indices of its anchors must
// have a top bit of 0.
func (b *Block) Pack() [16]byte {
	var w blockfit.Bits
	w.Put(uint64(b.Mode.Number), b.Mode.modeNumber())
	stored := b.Ends
	for end := 1; end < 2*int(b.Mode.Regions); end++ {
		for c := range 3 {
			if b.Mode.Distance[c] > 0 {
				stored[end][c] -= b.Ends[0][c]
			}
		}
	}
	for _, f := range b.Mode.fields {
		f.eachBit(func(bit uint8) { w.Put(uint64(stored[f.end][f.channel])>>bit&1, 1) })
	}
	if b.Mode.Regions == 2 {
		w.Put(uint64(b.Partition), 5)
	}
	for i, index := range b.Index {
		w.Put(uint64(index), b.indexWidth(i))
	}
	return w.Block()
}

// indexWidth returns the number of bits of a pixel's index.
func (b *Block) indexWidth(pixel int) uint8 {
	width := uint8(bits.Len(uint(b.Mode.Levels() - 1)))
	if b.Anchor(pixel) {
		width--
	}
	return width
}

// Unpack returns the fields of a block. It reports false for the reserved modes, which
// decode to black.
func Unpack(block *[16]byte) (b Block, ok bool) {
	r := blockfit.BitsOf(block)
	number := block[0] & 31
	if number&2 == 0 {
		number &= 3
	}
	modes := Modes()
	for i := range modes {
		if modes[i].Number == number {
			b.Mode = &modes[i]
		}
	}
	if b.Mode == nil {
		return b, false
	}
	r.Take(b.Mode.modeNumber())
	for _, f := range b.Mode.fields {
		v := &b.Ends[f.end][f.channel]
		f.eachBit(func(bit uint8) { *v |= int32(r.Take(1)) << bit })
	}
	for end := 1; end < 2*int(b.Mode.Regions); end++ {
		for c, size := range b.Mode.Distance {
			if size > 0 {
				d := b.Ends[end][c] << (32 - size) >> (32 - size)
				b.Ends[end][c] = (b.Ends[0][c] + d) & (1<<b.Mode.Bits - 1)
			}
		}
	}
	if b.Mode.Regions == 2 {
		b.Partition = uint8(r.Take(5))
	}
	for i := range b.Index {
		b.Index[i] = uint8(r.Take(b.indexWidth(i)))
	}
	return b, true
}
