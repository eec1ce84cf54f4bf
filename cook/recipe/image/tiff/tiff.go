// Package tiff decodes the first page of a TIFF file: grey, palette, RGB and
// CMYK of 1 to 16 bits a channel, with or without alpha, in strips or tiles,
// interleaved or in planes, plain or packed by LZW, Deflate, PackBits or as a
// fax.
//
// The layout follows "TIFF Revision 6.0" (Adobe, 1992) and its supplements.
// Pixels of floats, and those packed as JPEG, are refused.
package tiff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/assetcook/assetcook/cook/recipe/image/pixel"
)

// Decode decodes the first page of a whole file as it is stored: Orientation is
// not applied. Up to eight bits a channel become eight, others sixteen. Alpha
// that the colours are multiplied with is divided out again. It allocates what
// Header.Memory says, so judge the header first.
func Decode(ctx context.Context, data []byte) (*pixel.Map, error) {
	h, err := ReadHeader(data)
	if err != nil {
		return nil, err
	}
	if int64(len(data)) < h.LeastBytes() {
		return nil, fmt.Errorf("tiff: pixels: %w", io.ErrUnexpectedEOF)
	}
	if int64(h.Width) > math.MaxInt/64/int64(h.Height) {
		return nil, errors.New("tiff: picture is too large for this machine's addresses")
	}
	d := decoder{ctx: ctx, data: data, h: h, m: pixel.New(h.Width, h.Height, h.Depth()), row: make([]byte, h.rowBytes())}
	planes := 1
	if h.planar {
		planes = min(h.samples, h.slots())
	}
	across, down := h.grid()
	// Unpackers read ahead by 4 KiB; beyond that no byte is for two strips.
	d.budget = 2*int64(len(data)) + int64(planes*across*down)*4096
	for i := range planes * across * down {
		if err := d.chunk(i/(across*down), i%across, i/across%down, i); err != nil {
			return nil, fmt.Errorf("tiff: strip or tile %d of %d: %w", i, planes*across*down, err)
		}
	}
	for y := range h.Height {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d.finish(y)
	}
	return d.m, nil
}

// A decoder first gathers the samples of each pixel in the four numbers of it,
// as they are stored, and then turns those into a colour.
type decoder struct {
	ctx  context.Context
	data []byte
	h    Header
	m    *pixel.Map
	row  []byte // of a strip or tile

	inflate io.Reader // nil until it is needed
	budget  int64
}

// chunk reads one strip or tile: of the given plane, at the given place of the
// grid, the i-th in the file.
func (d *decoder) chunk(plane, column, line, i int) error {
	packed, err := d.h.packed(d.data, i)
	if err != nil {
		return err
	}
	left, top := column*d.h.chunkW, line*d.h.chunkH
	width, height := min(d.h.chunkW, d.h.Width-left), min(d.h.chunkH, d.h.Height-top)
	r, err := d.unpacker(packed, min(d.h.chunkH, d.h.Height-top))
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
		d.gather(plane, left, y, width)
	}
	return nil
}
