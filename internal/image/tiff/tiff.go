// Package tiff decodes the first page of a TIFF file: gray, palette and RGB of 1 to 32 bits a
// channel or in floats, with or without alpha, in strips or tiles, plain or packed by LZW, Deflate
// or PackBits.
//
// The layout follows "TIFF Revision 6.0" (Adobe, 1992) and its supplements; the third technical
// note describes predicted floats. Kinds that games do not ship are refused with advice: CMYK,
// separate planes, JPEG and fax compression, and BigTIFF.
package tiff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// Decode decodes the first page of a whole file without applying Orientation. Up to eight bits a
// channel become eight, others sixteen, and floats become linear light. The least signed sample
// becomes 0. Premultiplied colors are divided by their alpha. Decode allocates Header.Memory, so
// check the header first.
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

// decode decodes a file with the header h.
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
	// Unpackers read ahead by 4 KiB; apart from that, strips do not share bytes.
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

// A decoder first gathers the samples of each pixel unchanged in its four numbers, and then turns
// them into a color.
type decoder struct {
	ctx  context.Context
	data []byte
	h    Header
	m    *pixmap.Map
	row  []byte // a row of a strip or tile

	inflate io.Reader // nil until needed
	budget  int64
	spare   []byte // a row; nil until needed
	repairs pixmap.Repairs
}

// chunk reads the i-th strip or tile of the file into the given place of the grid.
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
