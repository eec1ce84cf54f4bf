// Package aseprite decodes the first frame of Aseprite files (.ase, .aseprite): its visible layers
// of RGBA, gray or indexed pixels, blended like in Aseprite.
//
// The layout follows "Aseprite File Format (.ase/.aseprite) Specifications". Tilemaps, and groups
// with an opacity or blend mode, are refused with advice.
package aseprite

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// A Header is the start of a file.
type Header struct {
	Width, Height int
	Bits          int // of a pixel: 8, 16 or 32
	Frames        int
	// PixelWidth and PixelHeight are the shape of a pixel, 1 and 1 for squares.
	PixelWidth, PixelHeight int

	flags       uint32
	transparent byte
}

// headerSize is the offset of the first frame.
const headerSize = 128

// ReadHeader reads and checks the header of a file that starts with data. The error is
// io.ErrUnexpectedEOF if data is too short.
func ReadHeader(data []byte) (Header, error) {
	if len(data) < headerSize {
		return Header{}, fmt.Errorf("aseprite: header: %w", io.ErrUnexpectedEOF)
	}
	le := binary.LittleEndian
	h := Header{
		Frames: int(le.Uint16(data[6:])), Width: int(le.Uint16(data[8:])), Height: int(le.Uint16(data[10:])),
		Bits: int(le.Uint16(data[12:])), flags: le.Uint32(data[14:]), transparent: data[28],
		PixelWidth: int(data[34]), PixelHeight: int(data[35]),
	}
	if h.PixelWidth == 0 || h.PixelHeight == 0 {
		h.PixelWidth, h.PixelHeight = 1, 1
	}
	switch {
	case le.Uint16(data[4:]) != 0xa5e0:
		return Header{}, errors.New("aseprite: file does not start like an Aseprite file")
	case h.Bits != 8 && h.Bits != 16 && h.Bits != 32:
		return Header{}, fmt.Errorf("aseprite: pixels of %d bits", h.Bits)
	case h.Frames == 0:
		return Header{}, errors.New("aseprite: file without a frame")
	}
	return h, nil
}

// Memory returns the most bytes that Decode holds at once, without the file.
func (h *Header) Memory() int64 {
	const others = 1 << 20 // a row, the unpacker, layers
	return 4*int64(h.Width)*int64(h.Height) + others
}

// Decode decodes the first frame of a whole file, and returns its color profile, if any. It
// allocates Header.Memory, so check the header first.
func Decode(ctx context.Context, data []byte) (m *pixmap.Map, icc []byte, err error) {
	h, err := ReadHeader(data)
	if err != nil {
		return nil, nil, err
	}
	f := frame{h: h}
	if err := f.readChunks(data[headerSize:]); err != nil {
		return nil, nil, fmt.Errorf("aseprite: %w", err)
	}
	// Layers are stored from the bottom up; z moves a cel among them.
	slices.SortStableFunc(f.cels, func(a, b cel) int {
		return cmp.Or(cmp.Compare(a.layer+a.z, b.layer+b.z), cmp.Compare(a.z, b.z))
	})
	m = pixmap.New(h.Width, h.Height, pixmap.Bits8)
	for _, c := range f.cels {
		if !f.layers[c.layer].visible {
			continue
		}
		if err := f.draw(ctx, m, c); err != nil {
			return nil, nil, fmt.Errorf("aseprite: layer %d: %w", c.layer, err)
		}
	}
	return m, f.icc, ctx.Err()
}

// bytes returns the size of a pixel.
func (h *Header) bytes() int { return h.Bits / 8 }
