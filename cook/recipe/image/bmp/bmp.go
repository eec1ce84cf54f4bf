// Package bmp decodes Windows and OS/2 bitmaps: 1, 2, 4 and 8 bits a pixel with
// a palette, 16, 24 and 32 bits with the usual or any other bit fields, run
// length encoded ones of 4 and 8 bits, rows from either end.
//
// The layout follows Microsoft's "Bitmap Storage" with the structures
// BITMAPCOREHEADER, BITMAPINFOHEADER, BITMAPV4HEADER and BITMAPV5HEADER.
// Bitmaps that wrap a JPEG or PNG file are for printers and refused.
package bmp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
)

// A Picture is a decoded file. It refers to the bytes that it was decoded from.
type Picture struct {
	Header
	rows   []byte // in the order of the file, stride bytes each
	stride int
	bits   int // of a pixel in rows
	fields [4]field
}

// Decode decodes a picture out of a whole file. Only run-length encoded pixels
// take memory of their own, a byte each; the context may end their unpacking.
func Decode(ctx context.Context, data []byte) (*Picture, error) {
	h, err := ReadHeader(data)
	if err != nil {
		return nil, err
	}
	if int64(h.Width) > math.MaxInt/32/int64(h.Height) {
		return nil, errors.New("bmp: picture is too large for this machine's addresses")
	}
	p := &Picture{Header: h, bits: h.Depth, stride: int(h.rowBytes())}
	for i, mask := range h.masks {
		p.fields[i] = fieldOf(mask)
	}
	if int64(len(data)) < h.LeastBytes() {
		return nil, fmt.Errorf("bmp: pixels: %w", io.ErrUnexpectedEOF)
	}
	p.rows = data[h.offset:]
	if h.packed {
		p.bits, p.stride = 8, h.Width
		if p.rows, err = unpack(ctx, p.rows, h); err != nil {
			return nil, fmt.Errorf("bmp: %w", err)
		}
	}
	return p, nil
}

// Row puts row y, counted from the top, into dst: red, green, blue and straight
// alpha for each pixel. A colour that is not in the palette is black; pixels that
// a packed picture skips are of the palette's first colour. Row panics if dst
// does not have four bytes for each pixel, or if there is no such row.
func (p *Picture) Row(dst []byte, y int) {
	if len(dst) != 4*p.Width || y < 0 || y >= p.Height {
		panic(fmt.Sprintf("bmp: row %d with room for %d bytes in a picture of %d x %d", y, len(dst), p.Width, p.Height))
	}
	if !p.topDown {
		y = p.Height - 1 - y
	}
	src := p.rows[y*p.stride:][:p.stride]
	switch p.bits {
	case 24:
		for ; len(dst) > 0; dst, src = dst[4:], src[3:] {
			dst[0], dst[1], dst[2], dst[3] = src[2], src[1], src[0], 255
		}
	case 16:
		for ; len(dst) > 0; dst, src = dst[4:], src[2:] {
			p.split(dst, uint32(src[0])|uint32(src[1])<<8)
		}
	case 32:
		for ; len(dst) > 0; dst, src = dst[4:], src[4:] {
			p.split(dst, uint32(src[0])|uint32(src[1])<<8|uint32(src[2])<<16|uint32(src[3])<<24)
		}
	default: // the leftmost pixel is in the highest bits
		for x := range p.Width {
			at := x * p.bits
			index := src[at/8] >> (8 - p.bits - at%8) & (1<<p.bits - 1)
			copy(dst[4*x:], p.palette[index][:])
		}
	}
}

// split puts a pixel's fields at the start of dst.
func (p *Picture) split(dst []byte, v uint32) {
	_ = dst[3]
	dst[0], dst[1], dst[2] = p.fields[0].of(v), p.fields[1].of(v), p.fields[2].of(v)
	dst[3] = 255
	if p.fields[3].top > 0 {
		dst[3] = p.fields[3].of(v)
	}
}

// A field is where in a pixel a channel stands.
type field struct {
	shift int
	top   uint64 // its largest number; 0 if there is no such channel
}

// of returns the channel of a pixel, rounded to 255.
func (f field) of(v uint32) byte {
	switch f.top {
	case 0:
		return 0
	case 255:
		return byte(v >> f.shift)
	}
	return byte((uint64(v>>f.shift)&f.top*255 + f.top/2) / f.top)
}
