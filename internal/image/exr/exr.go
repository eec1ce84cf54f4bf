// Package exr decodes OpenEXR pictures: light without an upper bound in halves, floats or whole
// numbers, in rows or tiles, plain or packed by RLE, ZIP, PIZ, PXR24 or B44.
//
// The layout follows "OpenEXR File Layout" and "Technical Introduction to OpenEXR" (Academy
// Software Foundation). The compressions follow the latter and files of the reference library. Of
// several parts, the first flat picture is decoded; of several layers, the one without a name, or
// else the first. Deep pixels, DWA, and channels with fewer numbers than pixels are refused with
// advice.
package exr

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// Decode decodes the pixels of the display window of a whole file. Outside the data window they are
// black and, if there is an alpha, transparent. Colors, which files premultiply, are divided by
// alpha, unless it is 0. Decode allocates Header.Memory, so check the header first.
func Decode(ctx context.Context, data []byte) (*pixmap.Map, pixmap.Repairs, error) {
	h, err := ReadHeader(data)
	if err != nil {
		return nil, pixmap.Repairs{}, err
	}
	if int64(len(data)) < h.LeastBytes() {
		return nil, pixmap.Repairs{}, fmt.Errorf("exr: pixels: %w", io.ErrUnexpectedEOF)
	}
	if int64(h.Width) > math.MaxInt/64/int64(h.Height) {
		return nil, pixmap.Repairs{}, errors.New("exr: picture is too large for this machine's addresses")
	}
	d := decoder{data: data, h: h, m: pixmap.New(h.Width, h.Height, pixmap.Float), budget: int64(len(data))}
	d.unpacker = newUnpacker(&h)
	if h.colors[3] < 0 {
		for i := 3; i < len(d.m.PixF); i += 4 {
			d.m.PixF[i] = 1
		}
	}
	across, down := h.grid()
	for i := range across * down {
		if err := ctx.Err(); err != nil {
			return nil, pixmap.Repairs{}, err
		}
		if err := d.chunk(i, i%across, i/across); err != nil {
			return nil, pixmap.Repairs{}, fmt.Errorf("exr: strip or tile %d of %d: %w", i, across*down, unexpected(err))
		}
	}
	return d.m, d.repairs, nil
}

type decoder struct {
	unpacker
	data    []byte
	h       Header
	m       *pixmap.Map
	budget  int64 // total size of chunks still allowed
	repairs pixmap.Repairs
}

// chunk reads the i-th strip or tile into the given place of the grid. The chunk in the file
// repeats its place, which must agree.
func (d *decoder) chunk(i, column, line int64) error {
	le, h := binary.LittleEndian, &d.h
	entry := h.table + 8*i
	if entry+8 > int64(len(d.data)) {
		return io.ErrUnexpectedEOF
	}
	place := le.Uint64(d.data[entry:])
	if place == 0 {
		return fmt.Errorf("it is missing: %w", io.ErrUnexpectedEOF)
	}
	if place > uint64(len(d.data)) {
		return io.ErrUnexpectedEOF
	}
	top := int64(h.data.minY) + line*int64(h.tileH)
	want := []int32{int32(top)}
	if h.tiled {
		want = []int32{int32(column), int32(line), 0, 0} // and levels
	}
	if h.multipart {
		want = append([]int32{int32(h.part)}, want...)
	}
	c := &cursor{data: d.data, at: int(place)}
	head, err := c.take(4*len(want) + 4)
	if err != nil {
		return err
	}
	for j, v := range want {
		if got := int32(le.Uint32(head[4*j:])); got != v {
			return fmt.Errorf("its place in the file is %d, not %d", got, v)
		}
	}
	packed, err := c.take(int(int32(le.Uint32(head[4*len(want):]))))
	if err != nil {
		return err
	}
	if d.budget -= int64(len(packed)); d.budget < 0 {
		return errors.New("strips or tiles share their bytes; save the picture again")
	}
	left := int64(h.data.minX) + column*int64(h.tileW)
	w, l := min(int64(h.tileW), int64(h.data.maxX)+1-left), min(int64(h.tileH), int64(h.data.maxY)+1-top)
	raw, err := d.unpack(h.compression, packed, int(w), int(l))
	if err != nil {
		return err
	}
	d.placePixels(raw, left, top, int(w), int(l))
	return nil
}

// placePixels puts the visible pixels into the map.
func (d *decoder) placePixels(raw []byte, left, top int64, w, l int) {
	stride := int(d.h.pixelBytes()) * w
	skip := int(max(0, min(int64(w), int64(d.h.display.minX)-left)))
	end := int(max(0, min(int64(w), int64(d.h.display.maxX)+1-left)))
	for y := range l {
		row := top + int64(y) - int64(d.h.display.minY)
		if row < 0 || row >= int64(d.h.Height) || skip >= end {
			continue
		}
		x := left + int64(skip) - int64(d.h.display.minX)
		pix := d.m.PixF[4*(row*int64(d.h.Width)+x):][:4*(end-skip)]
		for slot, i := range d.h.colors {
			if i < 0 || d.h.gray() && (slot == 1 || slot == 2) {
				continue
			}
			at := 0
			for _, c := range d.channels[:i] {
				at += c.kind.size() * w
			}
			c := d.channels[i]
			d.numbers(pix[slot:], raw[y*stride+at+skip*c.kind.size():], c.kind, end-skip)
		}
		for i := 0; d.h.gray() && i < len(pix); i += 4 {
			pix[i+1], pix[i+2] = pix[i], pix[i]
		}
		if d.h.colors[3] >= 0 {
			pixmap.Straighten(pix)
		}
	}
}

// numbers puts n numbers of a channel into every fourth element of dst.
func (d *decoder) numbers(dst []float32, src []byte, k kind, n int) {
	for i := range n {
		var v float32
		switch k {
		case half:
			v = pixmap.HalfValue(binary.LittleEndian.Uint16(src[2*i:]))
		case float:
			v = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
		default:
			v = float32(binary.LittleEndian.Uint32(src[4*i:]))
		}
		dst[4*i] = d.repairs.Light(v)
	}
}
