package ktx2

import (
	"encoding/binary"
	"math"

	"github.com/assetcook/assetcook/internal/image/texture"
)

// Enumeration values of the Khronos Data Format Specification.
type (
	colorModel byte
	channel    byte
)

const (
	modelRGBSDA colorModel = 1
	modelBC1A   colorModel = 128
	modelBC3    colorModel = 130
	modelBC4    colorModel = 131
	modelBC5    colorModel = 132
	modelBC6H   colorModel = 133
	modelBC7    colorModel = 134
	modelETC2   colorModel = 161
	modelASTC   colorModel = 162
	modelUASTC  colorModel = 166
	modelHDR    colorModel = 167 // UASTC HDR

	primariesUnspecified = 0
	primariesBT709       = 1
	transferLinear       = 1
	transferSRGB         = 2
	premultiplied        = 1 // descriptor flag: colors are multiplied by alpha
	descriptorVersion    = 2

	channelRed   channel = 0
	channelGreen channel = 1
	channelBlue  channel = 2
	channelAlpha channel = 15
	// A compressed block has one sample. Its channel is named color, data or red; all these have
	// the number 0. Only BC1 blocks that may be transparent have another number.
	channelColor        channel = 0
	channelColorOrClear channel = 1
	// ETC2 and UASTC have other channel numbers.
	channelETC2Color channel = 2
	channelUASTC     channel = 0 // channel number for RGB
	channelUASTCA    channel = 3 // channel number for RGBA

	// Flags that are combined with a channel: linear, signed, and floating point.
	isLinear channel = 1 << 4
	isSigned channel = 1 << 6
	isFloat  channel = 1 << 7

	// Bits of the float32 values -1, 0 and 1, which are the limits of floating-point channels.
	floatMinusOne = 0xbf800000
	floatOne      = 0x3f800000
)

// A sample describes one channel of a texel, or one part of a compressed block.
type sample struct {
	bitOffset, bits int
	channel         channel
	lower, upper    uint32 // stored values that mean the minimum (-1 if signed, otherwise 0) and 1
}

func modelOf(f texture.Format) colorModel {
	switch f {
	case texture.UASTCHDR:
		return modelHDR
	case texture.BC1, texture.BC1A:
		return modelBC1A
	case texture.BC3:
		return modelBC3
	case texture.BC4:
		return modelBC4
	case texture.BC5:
		return modelBC5
	case texture.BC6H:
		return modelBC6H
	case texture.BC7:
		return modelBC7
	case texture.ETC2RGB, texture.ETC2RGBA, texture.EACR11, texture.EACRG11:
		return modelETC2
	case texture.UASTC:
		return modelUASTC
	}
	if f.IsASTC() || f.IsASTCHDR() {
		return modelASTC
	}
	return modelRGBSDA
}

func samplesOf(t *texture.Texture) []sample {
	alpha := channelAlpha
	if t.SRGB {
		alpha |= isLinear
	}
	block := func(offset, bits int, c channel) sample {
		return sample{bitOffset: offset, bits: bits, channel: c, upper: math.MaxUint32}
	}
	switch {
	case t.Format == texture.UASTCHDR:
		return []sample{{bits: 128, channel: channelUASTC | isFloat, upper: floatOne}}
	case t.Format.IsASTC():
		return []sample{block(0, 128, channelColor)}
	case t.Format.IsASTCHDR():
		return []sample{{bits: 128, channel: channelColor | isFloat | isSigned, lower: floatMinusOne, upper: floatOne}}
	}
	switch t.Format {
	case texture.BC1:
		return []sample{block(0, 64, channelColor)}
	case texture.BC1A:
		return []sample{block(0, 64, channelColorOrClear)}
	case texture.BC3:
		return []sample{block(0, 64, alpha), block(64, 64, channelColor)}
	case texture.BC4:
		return []sample{block(0, 64, channelRed)}
	case texture.BC5:
		return []sample{block(0, 64, channelRed), block(64, 64, channelGreen)}
	case texture.BC6H:
		return []sample{{bits: 128, channel: channelColor | isFloat, upper: floatOne}}
	case texture.BC7:
		return []sample{block(0, 128, channelColor)}
	case texture.ETC2RGB:
		return []sample{block(0, 64, channelETC2Color)}
	case texture.ETC2RGBA:
		return []sample{block(0, 64, alpha), block(64, 64, channelETC2Color)}
	case texture.EACR11:
		return []sample{block(0, 64, channelRed)}
	case texture.EACRG11:
		return []sample{block(0, 64, channelRed), block(64, 64, channelGreen)}
	case texture.UASTC:
		if t.Opaque {
			return []sample{block(0, 128, channelUASTC)}
		}
		return []sample{block(0, 128, channelUASTCA)}
	case texture.R8:
		return unpackedSamples(alpha, 8)
	case texture.RG8:
		return unpackedSamples(alpha, 8, 8)
	case texture.RGBA8:
		return unpackedSamples(alpha, 8, 8, 8, 8)
	case texture.RGB10A2:
		return unpackedSamples(alpha, 10, 10, 10, 2)
	case texture.R16:
		return unpackedSamples(alpha, 16)
	case texture.RG16:
		return unpackedSamples(alpha, 16, 16)
	case texture.RGBA16:
		return unpackedSamples(alpha, 16, 16, 16, 16)
	case texture.R16F:
		return floatSamples(alpha, 16)
	case texture.R32F:
		return floatSamples(alpha, 32)
	case texture.RGBA16F:
		return floatSamples(alpha, 16, 16, 16, 16)
	}
	return nil
}

// floatSamples is like unpackedSamples, for floating-point channels.
func floatSamples(alpha channel, bits ...int) []sample {
	samples := unpackedSamples(alpha, bits...)
	for i := range samples {
		s := &samples[i]
		s.channel |= isFloat | isSigned
		s.lower, s.upper = floatMinusOne, floatOne
	}
	return samples
}

// unpackedSamples returns the samples for red, green, blue and alpha, in this order, with the given
// bit counts. Fewer counts give fewer samples.
func unpackedSamples(alpha channel, bits ...int) []sample {
	channels := [4]channel{channelRed, channelGreen, channelBlue, alpha}
	samples, offset := make([]sample, 0, len(bits)), 0
	for i, n := range bits {
		samples = append(samples, sample{bitOffset: offset, bits: n, channel: channels[i], upper: 1<<n - 1})
		offset += n
	}
	return samples
}

const (
	descriptorHead  = 28 // size in bytes of all fields before the samples
	descriptorBytes = 16 // size of each sample

	// Offsets in the descriptor of the color model, the transfer function, the alpha flag, the size
	// of a texel block, and the channel of the first sample.
	modelAt       = 12
	transferAt    = 14
	flagsAt       = 15
	bytesPlane0At = 20
	channelAt     = descriptorHead + 3
)

// descriptor returns the data format descriptor, which is its total size and one basic block. Since
// revision 4 of the specification, bytesPlane is the size of an uncompressed texel block even in
// files with supercompression. In earlier revisions it had to be 0.
func descriptor(t *texture.Texture) []byte {
	wide, high, blockBytes := t.Format.Block()
	samples := samplesOf(t)
	primaries, transfer, flags := byte(primariesBT709), byte(transferLinear), byte(0)
	if t.SRGB {
		transfer = transferSRGB
	} else if t.Format == texture.UASTC {
		primaries = primariesUnspecified // KHR_texture_basisu requires this value for UASTC data without sRGB
	}
	if t.Premultiplied {
		flags = premultiplied
	}

	size := descriptorHead + descriptorBytes*len(samples)
	d := binary.LittleEndian.AppendUint32(make([]byte, 0, size), uint32(size))
	d = binary.LittleEndian.AppendUint32(d, 0) // the vendor ID of Khronos, and the type of basic descriptors
	d = binary.LittleEndian.AppendUint16(d, descriptorVersion)
	d = binary.LittleEndian.AppendUint16(d, uint16(size-4))
	d = append(d, byte(modelOf(t.Format)), primaries, transfer, flags)
	d = append(d, byte(wide-1), byte(high-1), 0, 0)      // block size minus one
	d = append(d, byte(blockBytes), 0, 0, 0, 0, 0, 0, 0) // bytesPlane 0 to 7
	for _, s := range samples {
		d = binary.LittleEndian.AppendUint16(d, uint16(s.bitOffset))
		d = append(d, byte(s.bits-1), byte(s.channel))
		d = binary.LittleEndian.AppendUint32(d, 0) // position of the sample in the block
		d = binary.LittleEndian.AppendUint32(d, s.lower)
		d = binary.LittleEndian.AppendUint32(d, s.upper)
	}
	return d
}

// vulkanNumber returns the VkFormat of t. It is 0 for UASTC, which no GPU reads; readers find UASTC
// in the descriptor.
func vulkanNumber(t *texture.Texture) uint32 { return t.Format.Vulkan().Of(t.SRGB) }

// formatOfVulkan is the inverse of vulkanNumber.
func formatOfVulkan(number uint32) (f texture.Format, srgb, ok bool) {
	if number == 0 {
		return texture.UASTC, false, true
	}
	return texture.Numbered(number, texture.Formats(), texture.Format.Vulkan)
}

// typeSize returns the size of the units whose bytes a big-endian machine has to swap.
func typeSize(f texture.Format) int {
	switch f {
	case texture.RGB10A2, texture.R32F:
		return 4
	case texture.R16, texture.RG16, texture.RGBA16, texture.R16F, texture.RGBA16F:
		return 2
	}
	return 1
}

// levelAlignment returns the alignment of level data without supercompression. It is lcm(block
// size, 4), so that a loader can copy whole blocks and words.
func levelAlignment(f texture.Format) int64 {
	_, _, bytes := f.Block()
	a, b := bytes, 4
	for b != 0 {
		a, b = b, a%b
	}
	return int64(bytes * 4 / a)
}
