// Package dds writes and reads DDS files with the DX10 header: two-dimensional
// textures, cubes and arrays of both, with one or more mip levels.
//
// The layout follows Microsoft's "Programming Guide for DDS". A file is
//
//	"DDS "                     4 bytes
//	DDS_HEADER               124 bytes
//	DDS_HEADER_DXT10          20 bytes
//	pictures                  each with its levels, largest first
//
// All numbers are little endian. Where KTX2 has a level of all pictures
// together, DDS has a picture with all its levels together.
//
// A DDS file cannot say where a shader should find its channels, so that a
// texture's Swizzle is lost, nor tell an array of one from no array. Whether
// colours are premultiplied is kept for formats that have alpha.
package dds

import (
	"errors"
	"math"

	"github.com/assetcook/assetcook/cook/recipe/image/texture"
)

const (
	magic       = "DDS "
	headerBytes = 124
	pixelBytes  = 32 // of DDS_PIXELFORMAT, inside the header
	dx10Bytes   = 20
	dataAt      = len(magic) + headerBytes + dx10Bytes
)

// What flags say is in the header.
const (
	flagCaps       = 0x1
	flagHeight     = 0x2
	flagWidth      = 0x4
	flagPitch      = 0x8
	flagPixels     = 0x1000
	flagLevels     = 0x20000
	flagLinearSize = 0x80000

	pixelsFourCC = 0x4

	capsComplex = 0x8 // more than one picture or level
	capsTexture = 0x1000
	capsLevels  = 0x400000

	caps2Cube = 0x200 | 0xfc00 // with all six faces

	dimension2D = 3
	miscCube    = 0x4
)

// How alpha is meant, in the last word of the DX10 header.
const (
	alphaStraight      = 1
	alphaPremultiplied = 2
	alphaOpaque        = 3
)

// A dxgiFormat is a number of DirectX's enumeration DXGI_FORMAT.
type dxgiFormat uint32

// directX returns DirectX's number of a format without and with the sRGB curve;
// srgb is 0 where there is none. BC1 and BC1A share theirs: alpha is then told by
// how it is meant.
func directX(f texture.Format) (plain, srgb dxgiFormat) {
	switch f {
	case texture.BC1, texture.BC1A:
		return 71, 72
	case texture.BC3:
		return 77, 78
	case texture.BC4:
		return 80, 0
	case texture.BC5:
		return 83, 0
	case texture.BC6H:
		return 95, 0 // DXGI_FORMAT_BC6H_UF16
	case texture.BC7:
		return 98, 99
	case texture.R8:
		return 61, 0
	case texture.RG8:
		return 49, 0
	case texture.RGBA8:
		return 28, 29
	case texture.RGB10A2:
		return 24, 0 // DXGI_FORMAT_R10G10B10A2_UNORM
	case texture.RGBA16F:
		return 10, 0 // DXGI_FORMAT_R16G16B16A16_FLOAT
	}
	return 0, 0
}

func numberOf(t *texture.Texture) dxgiFormat {
	plain, srgb := directX(t.Format)
	if t.SRGB {
		return srgb
	}
	return plain
}

// formatOf returns the format of a number, by how alpha is meant where two share it.
func formatOf(number dxgiFormat, alpha uint32) (f texture.Format, srgb, ok bool) {
	for _, f := range texture.Formats() {
		if hasAlpha(f) == (alpha == alphaOpaque) {
			continue
		}
		switch plain, srgb := directX(f); number {
		case 0:
		case plain:
			return f, false, true
		case srgb:
			return f, true, true
		}
	}
	return 0, false, false
}

func hasAlpha(f texture.Format) bool { return f.Channels() == "rgba" }

func alphaMode(t *texture.Texture) uint32 {
	switch {
	case !hasAlpha(t.Format):
		return alphaOpaque
	case t.Premultiplied:
		return alphaPremultiplied
	}
	return alphaStraight
}

// header returns everything before the pictures of t, which fits 32 bits.
func header(t *texture.Texture) []byte {
	side, blockBytes := t.Format.Block()
	flags, size := uint32(flagCaps|flagHeight|flagWidth|flagPixels|flagLevels), int64(blockBytes)*int64(t.W)
	if flags |= flagPitch; side > 1 {
		flags, size = flags&^flagPitch|flagLinearSize, t.Format.Bytes(t.W, t.H)
	}
	caps, caps2, misc := uint32(capsTexture), uint32(0), uint32(0)
	if len(t.Levels) > 1 {
		caps |= capsComplex | capsLevels
	}
	if t.Pictures() > 1 {
		caps |= capsComplex
	}
	if t.Cube {
		caps2, misc = caps2Cube, miscCube
	}
	h := append(make([]byte, 0, dataAt), magic...)
	h = words(h, headerBytes, flags, uint32(t.H), uint32(t.W), uint32(size), 0, uint32(len(t.Levels)))
	h = append(h, make([]byte, 4*11)...) // reserved
	h = words(h, pixelBytes, pixelsFourCC)
	h = append(h, "DX10"...)
	h = append(h, make([]byte, 4*5)...) // bits and masks, which DX10 leaves out
	h = words(h, caps, caps2, 0, 0, 0)
	return words(h, uint32(numberOf(t)), dimension2D, misc, uint32(max(1, t.Layers)), alphaMode(t))
}

// fits says what of t the header has no room for.
func fits(t *texture.Texture) error {
	if t.Format.Bytes(t.W, t.H) > math.MaxUint32 {
		return errors.New("level 0 takes 4 GiB or more, which a DDS file has no room for")
	}
	return nil
}
