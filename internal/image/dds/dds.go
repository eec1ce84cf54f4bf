// Package dds writes and reads DDS files: two-dimensional textures, cubes and arrays of both, with
// one or more mip levels, and volumes.
//
// The layout follows Microsoft's "Programming Guide for DDS". A file is
//
//	"DDS "                     4 bytes
//	DDS_HEADER               124 bytes
//	DDS_HEADER_DXT10          20 bytes, unless the header is a legacy header
//	images                  each with its levels, largest first
//
// All numbers are little endian. KTX2 stores level by level, with all images of a level together.
// DDS stores image by image, with all levels of an image together.
//
// Older engines and ImageMagick read only the legacy header of Direct3D 9. It supports the formats
// BC1 to BC5, but no arrays, and cannot mark colors as sRGB or premultiplied.
//
// A DDS file cannot store the order of channels, so Write drops a texture's Swizzle. It cannot
// distinguish an array of one layer from no array. Premultiplied colors are marked only for formats
// with alpha.
package dds

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/assetcook/assetcook/internal/ctxio"
	"github.com/assetcook/assetcook/internal/image/texture"
)

const (
	magic       = "DDS "
	headerBytes = 124
	pixelBytes  = 32 // size of DDS_PIXELFORMAT, which is part of the header
	dx10Bytes   = 20
	legacyEnd   = len(magic) + headerBytes // offset of the images if there is no DX10 header
)

// Header is the kind of header of a file.
type Header uint8

// The kinds of headers.
const (
	Auto   Header = iota // Legacy if it can describe the texture, otherwise DX10
	Legacy               // the header of Direct3D 9, which cannot mark sRGB or premultiplied colors
	DX10
)

// legacyCode returns the FourCC of a format in legacy headers, or "" if it has none. BC4 and BC5
// have the codes of DirectXTex. Some readers expect the channels of the older code ATI2 in reverse
// order.
func legacyCode(f texture.Format) string {
	switch f {
	case texture.BC1, texture.BC1A:
		return "DXT1"
	case texture.BC3:
		return "DXT5"
	case texture.BC4:
		return "BC4U"
	case texture.BC5:
		return "BC5U"
	}
	return ""
}

// Resolve returns the header that h selects for t, Legacy or DX10.
func (h Header) Resolve(t *texture.Texture) (Header, error) {
	possible := legacyCode(t.Format) != "" && t.Layers <= 1
	switch {
	case !Holds(t.Format):
		return 0, fmt.Errorf("a DDS file cannot hold %v", t.Format)
	case h == Legacy && t.Layers > 1:
		return 0, errors.New("the legacy dds header has no arrays; use the DX10 header")
	case h == Legacy && !possible:
		return 0, fmt.Errorf("the legacy dds header has no %v, only bc1, bc1a, bc3, bc4 and bc5", t.Format)
	case h == Legacy, h == Auto && possible && !t.SRGB && !(t.Premultiplied && formatHasAlpha(t.Format)):
		return Legacy, nil
	}
	return DX10, nil
}

// Flags of the header.
const (
	flagCaps       = 0x1
	flagHeight     = 0x2
	flagWidth      = 0x4
	flagPitch      = 0x8
	flagPixels     = 0x1000
	flagLevels     = 0x20000
	flagLinearSize = 0x80000
	flagDepth      = 0x800000

	pixelsAlpha  = 0x1
	pixelsFourCC = 0x4

	capsComplex = 0x8 // flag for more than one image or level
	capsTexture = 0x1000
	capsLevels  = 0x400000

	caps2Cube   = 0x200 | 0xfc00 // flags for a cube with all six faces
	caps2Volume = 0x200000

	dimension2D = 3
	dimension3D = 4
	miscCube    = 0x4
)

// The alpha modes, in the last word of the DX10 header.
const (
	alphaStraight      = 1
	alphaPremultiplied = 2
	alphaOpaque        = 3
)

// Holds reports whether a DDS file can store texels of format f.
func Holds(f texture.Format) bool {
	return f.DirectX().Plain != 0
}

// formatOfDXGI returns the format of a DXGI_FORMAT; the alpha mode distinguishes BC1 from BC1A.
func formatOfDXGI(number, alpha uint32) (f texture.Format, srgb, ok bool) {
	formats := slices.DeleteFunc(texture.Formats(), func(f texture.Format) bool { return formatHasAlpha(f) == (alpha == alphaOpaque) })
	return texture.Numbered(number, formats, texture.Format.DirectX)
}

func formatHasAlpha(f texture.Format) bool { return f.Channels() == "rgba" }

func alphaMode(t *texture.Texture) uint32 {
	switch {
	case !formatHasAlpha(t.Format):
		return alphaOpaque
	case t.Premultiplied:
		return alphaPremultiplied
	}
	return alphaStraight
}

// header returns the bytes before the images of t. The size of t must be less than 4 GiB. form must
// be Legacy or DX10.
func header(t *texture.Texture, form Header) []byte {
	wide, _, blockBytes := t.Format.Block()
	flags, size := uint32(flagCaps|flagHeight|flagWidth|flagPixels|flagLevels), int64(blockBytes)*int64(t.W)
	if flags |= flagPitch; wide > 1 {
		flags, size = flags&^flagPitch|flagLinearSize, t.Format.Bytes(t.W, t.H)
	}
	caps, caps2, misc, dimension := uint32(capsTexture), uint32(0), uint32(0), uint32(dimension2D)
	if len(t.Levels) > 1 {
		caps |= capsComplex | capsLevels
	}
	if t.Images() > 1 {
		caps |= capsComplex
	}
	if t.Cube {
		caps2, misc = caps2Cube, miscCube
	}
	if t.Depth > 0 {
		flags, caps, caps2, dimension = flags|flagDepth, caps|capsComplex, caps2Volume, dimension3D
	}
	code, pixels := "DX10", uint32(pixelsFourCC)
	if form == Legacy {
		code = legacyCode(t.Format)
		if t.Format == texture.BC1A {
			pixels |= pixelsAlpha
		}
	}
	h := append(make([]byte, 0, legacyEnd+dx10Bytes), magic...)
	h = appendWords(h, headerBytes, flags, uint32(t.H), uint32(t.W), uint32(size), uint32(t.Depth), uint32(len(t.Levels)))
	h = append(h, make([]byte, 4*11)...) // the header's reserved words
	h = appendWords(h, pixelBytes, pixels)
	h = append(h, code...)
	h = append(h, make([]byte, 4*5)...) // bit counts and masks, which are unused with a FourCC
	h = appendWords(h, caps, caps2, 0, 0, 0)
	if form == Legacy {
		return h
	}
	return appendWords(h, t.Format.DirectX().Of(t.SRGB), dimension, misc, uint32(max(1, t.Layers)), alphaMode(t))
}

// checkFits returns an error if the header cannot represent a property of t.
func checkFits(t *texture.Texture) error {
	if t.Format.Bytes(t.W, t.H) > math.MaxUint32 {
		return errors.New("level 0 takes 4 GiB or more, which is too large for a DDS file")
	}
	return nil
}

// Write writes t to w.
func Write(ctx context.Context, w io.Writer, t *texture.Texture, h Header) error {
	form, err := h.Resolve(t)
	if err = errors.Join(t.Check(), checkFits(t), err); err != nil {
		return fmt.Errorf("write dds: %w", err)
	}
	w = ctxio.Writer(ctx, w)
	if _, err := w.Write(header(t, form)); err != nil {
		return err
	}
	for p := range t.Images() {
		for _, level := range t.Levels {
			size := len(level) / t.Images()
			if _, err := w.Write(level[p*size : (p+1)*size]); err != nil {
				return err
			}
		}
	}
	return nil
}

func appendWords(b []byte, values ...uint32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// Read parses a whole file. It accepts only files that Write could have written: it refuses missing
// and extra bytes, and may refuse headers of other writers, whose optional fields differ. If the
// texture has one image, its levels are slices of data.
//
// Only package cooked and tests read DDS.
func Read(data []byte) (*texture.Texture, error) {
	t, err := readTexture(data)
	if err != nil {
		return nil, fmt.Errorf("read dds: %w", err)
	}
	return t, nil
}

func readTexture(data []byte) (*texture.Texture, error) {
	if !bytes.HasPrefix(data, []byte(magic)) {
		return nil, errors.New("not a DDS file")
	}
	end, form := legacyEnd, Legacy
	if len(data) >= 88 && string(data[84:88]) == "DX10" {
		end, form = legacyEnd+dx10Bytes, DX10
	}
	if len(data) < end {
		return nil, errors.New("the file ends inside the header; copy or export it again")
	}
	t, levels, err := readShape(data[:end])
	if err != nil {
		return nil, err
	}
	// The size is checked before anything is allocated. The product cannot overflow, because an
	// image has at most 2^43 bytes, and there are at most 6*2^16 images.
	var imageBytes int64
	for i := range levels {
		imageBytes += t.Format.Bytes(texture.LevelSize(t.W, t.H, i))
	}
	if have, want := int64(len(data)-end), int64(t.Images())*imageBytes; have != want {
		return nil, fmt.Errorf("there are %d bytes after the header, but %d images of %d x %d pixels with %d levels need %d",
			have, t.Images(), t.W, t.H, levels, want)
	}
	t.Levels = levelsOf(t, levels, data[end:])
	if want := header(t, form); !bytes.Equal(data[:end], want) {
		at := 0
		for data[at] == want[at] {
			at++
		}
		return nil, fmt.Errorf("the header is inconsistent at byte %d; export the file again", at)
	}
	return t, t.Check()
}

// readShape reads the size, the format and the number of levels from a header.
func readShape(h []byte) (t *texture.Texture, levels int, err error) {
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(h[at:]) }
	t = &texture.Texture{}
	layers := uint32(1)
	if len(h) == legacyEnd {
		if t.Format = legacyFormat(string(h[84:88]), word(80)); t.Format == 0 {
			return nil, 0, fmt.Errorf("the pixel format %q is not supported; export with another format", h[84:88])
		}
		t.Cube = word(112) != 0
	} else {
		number, alpha, ok := word(legacyEnd), word(legacyEnd+16), false
		if t.Format, t.SRGB, ok = formatOfDXGI(number, alpha); !ok {
			return nil, 0, fmt.Errorf("DXGI format %d with alpha mode %d is not supported; export with another format", number, alpha)
		}
		t.Premultiplied, t.Cube = alpha == alphaPremultiplied, word(legacyEnd+8) == miscCube
		layers = word(legacyEnd + 12)
		if word(legacyEnd+4) == dimension3D {
			t.Depth = int(min(word(24), texture.MaxDepth+1))
		}
	}
	height, width, count := word(12), word(16), word(28)
	if width < 1 || height < 1 || width > texture.MaxSide || height > texture.MaxSide {
		return nil, 0, fmt.Errorf("the size %d x %d is out of range", width, height)
	}
	if count < 1 || int64(count) > int64(texture.MaxLevels(int(width), int(height))) {
		return nil, 0, fmt.Errorf("%d levels are too many for %d x %d pixels", count, width, height)
	}
	if layers < 1 || layers > texture.MaxLayers {
		return nil, 0, fmt.Errorf("the number of layers, %d, is out of range", layers)
	}
	if t.Depth > texture.MaxDepth {
		return nil, 0, fmt.Errorf("the number of slices, %d, is out of range", word(24))
	}
	t.W, t.H = int(width), int(height)
	if layers > 1 {
		t.Layers = int(layers)
	}
	return t, int(count), nil
}

// legacyFormat returns the format of a legacy header, or 0 if it is unknown.
func legacyFormat(code string, flags uint32) texture.Format {
	for _, f := range texture.Formats() {
		if legacyCode(f) == code && (f != texture.BC1 || flags&pixelsAlpha == 0) {
			return f
		}
	}
	return 0
}

// levelsOf returns the data of each level, collected from all images. In a DDS file, each image
// stores its levels together.
func levelsOf(t *texture.Texture, levels int, images []byte) [][]byte {
	out := make([][]byte, levels)
	for p := range t.Images() {
		for i := range out {
			size := int(t.Format.Bytes(texture.LevelSize(t.W, t.H, i)))
			if t.Images() == 1 {
				out[i] = images[:size:size]
			} else {
				if p == 0 {
					out[i] = make([]byte, 0, size*t.Images())
				}
				out[i] = append(out[i], images[:size]...)
			}
			images = images[size:]
		}
	}
	return out
}
