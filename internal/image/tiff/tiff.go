// Package tiff decodes the first page of a TIFF file: gray, palette and RGB of 1
// to 32 bits a channel or in floats, with or without alpha, in strips or tiles,
// plain or packed by LZW, Deflate or PackBits.
//
// The layout follows "TIFF Revision 6.0" (Adobe, 1992) and its supplements, of which
// the third technical note has floats that are predicted. What games do not ship is
// refused with advice: CMYK, separate planes, pixels packed as JPEG or as a fax, and
// BigTIFF.
package tiff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// Decode decodes the first page of a whole file as it is stored: Orientation is
// not applied. Up to eight bits a channel become eight, others sixteen, floats linear
// light. The least of signed samples becomes 0. Alpha that the colors are multiplied
// with is divided out again. It allocates what Header.Memory says, so judge the header
// first.
func Decode(ctx context.Context, data []byte) (*pixmap.Map, pixmap.Repairs, error) {
	h, err := ReadHeader(data)
	if err != nil {
		return nil, pixmap.Repairs{}, err
	}
	d, err := decode(ctx, data, h)
	if err != nil {
		return nil, pixmap.Repairs{}, err
	}
	return d.m, d.repairs, nil
}

// decode decodes a file whose header is h.
func decode(ctx context.Context, data []byte, h Header) (*decoder, error) {
	if int64(len(data)) < h.LeastBytes() {
		return nil, fmt.Errorf("tiff: pixels: %w", io.ErrUnexpectedEOF)
	}
	if int64(h.Width) > math.MaxInt/64/int64(h.Height) {
		return nil, errors.New("tiff: picture is too large for this machine's addresses")
	}
	d := &decoder{ctx: ctx, data: data, h: h, m: pixmap.New(h.Width, h.Height, h.Depth()), row: make([]byte, h.rowBytes())}
	if h.split {
		d.spare = make([]byte, len(d.row))
	}
	across, down := h.grid()
	// Unpackers read ahead by 4 KiB; beyond that no byte is for two strips.
	d.budget = 2*int64(len(data)) + int64(across*down)*4096
	for i := range across * down {
		if err := d.chunk(i%across, i/across, i); err != nil {
			return nil, fmt.Errorf("tiff: strip or tile %d of %d: %w", i, across*down, err)
		}
	}
	for y := range h.Height {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d.finish(y)
	}
	return d, nil
}

// A decoder first gathers the samples of each pixel in the four numbers of it,
// as they are stored, and then turns those into a color.
type decoder struct {
	ctx  context.Context
	data []byte
	h    Header
	m    *pixmap.Map
	row  []byte // of a strip or tile

	inflate io.Reader // nil until it is needed
	budget  int64
	spare   []byte // a row; nil until it is needed
	repairs pixmap.Repairs
}

// chunk reads the i-th strip or tile of the file, at the given place of the grid.
func (d *decoder) chunk(column, line, i int) error {
	packed, err := d.h.packed(d.data, i)
	if err != nil {
		return err
	}
	left, top := column*d.h.chunkW, line*d.h.chunkH
	width, height := min(d.h.chunkW, d.h.Width-left), min(d.h.chunkH, d.h.Height-top)
	r, err := d.unpacker(packed)
	if err != nil {
		return err
	}
	for y := top; y < top+height; y++ {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		if _, err := io.ReadFull(r, d.row); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("row %d: %w", y, err)
		}
		d.unpredict()
		d.gather(left, y, width)
	}
	return nil
}
