package ktx2

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// A Format is how texels are stored, by its VkFormat number.
type Format uint32

// The formats that this package knows.
const (
	RGBA8Unorm Format = 37 // VK_FORMAT_R8G8B8A8_UNORM
	RGBA8SRGB  Format = 43 // VK_FORMAT_R8G8B8A8_SRGB
)

func (f Format) String() string {
	if l, ok := f.layout(); ok {
		return l.name
	}
	return fmt.Sprintf("VkFormat(%d)", uint32(f))
}

// Block returns the size of a texel block in pixels and in bytes: 1, 1, 4 for
// RGBA8. All are 0 for a format that this package does not know.
func (f Format) Block() (width, height, bytes int) {
	l, _ := f.layout()
	return l.blockW, l.blockH, l.blockBytes
}

// A layout is what the data format descriptor says of a format.
type layout struct {
	name                       string
	blockW, blockH, blockBytes int
	model                      colorModel
	transfer                   transfer
	samples                    []sample
}

// A sample is one channel of a texel block.
type sample struct {
	bitOffset, bits int
	channel         channel
	upper           uint32 // the stored value that means 1.0
}

// The numbers below are those of the Khronos Data Format Specification.
type (
	colorModel byte
	transfer   byte
	channel    byte
)

const (
	modelRGBSDA colorModel = 1

	transferLinear transfer = 1
	transferSRGB   transfer = 2

	channelRed   channel = 0
	channelGreen channel = 1
	channelBlue  channel = 2
	channelAlpha channel = 15
	// alwaysLinear exempts a channel from the transfer function.
	alwaysLinear channel = 1 << 4

	primariesBT709    = 1
	descriptorVersion = 2
)

func (f Format) layout() (layout, bool) {
	switch f {
	case RGBA8Unorm:
		return rgba8("R8G8B8A8_UNORM", transferLinear, channelAlpha), true
	case RGBA8SRGB:
		return rgba8("R8G8B8A8_SRGB", transferSRGB, channelAlpha|alwaysLinear), true
	}
	return layout{}, false
}

func rgba8(name string, t transfer, alpha channel) layout {
	l := layout{name: name, blockW: 1, blockH: 1, blockBytes: 4, model: modelRGBSDA, transfer: t}
	for i, c := range []channel{channelRed, channelGreen, channelBlue, alpha} {
		l.samples = append(l.samples, sample{bitOffset: 8 * i, bits: 8, channel: c, upper: 255})
	}
	return l
}

// bytes returns how many bytes a level of w by h pixels takes, or false if
// that cannot be counted.
func (l layout) bytes(w, h int) (int64, bool) {
	across := (uint64(w) + uint64(l.blockW) - 1) / uint64(l.blockW)
	down := (uint64(h) + uint64(l.blockH) - 1) / uint64(l.blockH)
	high, blocks := bits.Mul64(across, down)
	high2, n := bits.Mul64(blocks, uint64(l.blockBytes))
	return int64(n), high == 0 && high2 == 0 && n < 1<<62
}

// alignment is what the offset of unpacked level data must be a multiple of:
// lcm(block bytes, 4), so that a loader can copy whole blocks and words.
func (l layout) alignment() int64 {
	a, b := l.blockBytes, 4
	for b != 0 {
		a, b = b, a%b
	}
	return int64(l.blockBytes * 4 / a)
}

const (
	descriptorHead  = 28 // with the total size in front
	descriptorBytes = 16 // each sample

	// bytesPlane0At is where the descriptor keeps the bytes of a texel block.
	bytesPlane0At = 20
)

// descriptor returns the data format descriptor: its total size and one basic
// block. Bytes a plane are those of the unpacked data for packed files too, as
// the specification has it since revision 4; before, they had to be 0.
func (l layout) descriptor() []byte {
	size := descriptorHead + descriptorBytes*len(l.samples)
	d := binary.LittleEndian.AppendUint32(make([]byte, 0, size), uint32(size))
	d = binary.LittleEndian.AppendUint32(d, 0) // vendor Khronos, type basic
	d = binary.LittleEndian.AppendUint16(d, descriptorVersion)
	d = binary.LittleEndian.AppendUint16(d, uint16(size-4))
	d = append(d, byte(l.model), primariesBT709, byte(l.transfer), 0) // straight alpha
	d = append(d, byte(l.blockW-1), byte(l.blockH-1), 0, 0)           // block size less one
	d = append(d, byte(l.blockBytes), 0, 0, 0, 0, 0, 0, 0)            // bytes in planes 0-7
	for _, s := range l.samples {
		d = binary.LittleEndian.AppendUint16(d, uint16(s.bitOffset))
		d = append(d, byte(s.bits-1), byte(s.channel))
		d = binary.LittleEndian.AppendUint32(d, 0) // position in the block
		d = binary.LittleEndian.AppendUint32(d, 0) // lower
		d = binary.LittleEndian.AppendUint32(d, s.upper)
	}
	return d
}
