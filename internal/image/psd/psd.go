// Package psd decodes the merged image of Photoshop files (.psd and .psb). It may be grayscale,
// indexed or RGB with 8, 16 or 32 bits per channel, with or without alpha, and uncompressed or
// compressed by RLE or ZIP.
//
// The layout follows "Adobe Photoshop File Formats Specification" (2019). The package does not
// composite layers, because programs can save the merged image as well. It refuses files without a
// merged image, and CMYK, Lab and other color modes that are not for screens. The errors say how to
// change the file.
package psd

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// Decode decodes the merged image of a whole file. Its alpha is the transparency of the layers if
// this is stored, otherwise the first channel after the colors. Photoshop blends colors of
// transparent layers with white; Decode removes the white. It allocates up to Header.Memory bytes,
// so check the header first.
func Decode(ctx context.Context, data []byte) (*pixmap.Map, pixmap.Repairs, error) {
	h, err := ReadHeader(data)
	if err != nil {
		return nil, pixmap.Repairs{}, err
	}
	switch {
	case !h.complete:
		return nil, pixmap.Repairs{}, fmt.Errorf("psd: %w", io.ErrUnexpectedEOF)
	case h.noMerged && h.layers > 0:
		return nil, pixmap.Repairs{}, errors.New(`psd: the file has layers but no merged image; save it with "Maximize Compatibility"`)
	}
	if err := pixmap.CheckPixels(int64(len(data)), h.LeastBytes(), h.Width, h.Height, 64); err != nil {
		return nil, pixmap.Repairs{}, fmt.Errorf("psd: %w", err)
	}
	d := decoder{h: h, m: pixmap.New(h.Width, h.Height, h.Depth())}
	rows, err := newRows(&h, data)
	if err != nil {
		return nil, pixmap.Repairs{}, fmt.Errorf("psd: %w", err)
	}
	for c := range min(h.channels, h.usedChannels()) {
		for y := range h.Height {
			if err := ctx.Err(); err != nil {
				return nil, pixmap.Repairs{}, err
			}
			row, err := rows.nextRow()
			if err != nil {
				return nil, pixmap.Repairs{}, fmt.Errorf("psd: channel %d, row %d: %w", c, y, pixmap.UnexpectedEOF(err))
			}
			d.gatherChannel(c, y, row)
		}
	}
	for y := range h.Height {
		if err := ctx.Err(); err != nil {
			return nil, pixmap.Repairs{}, err
		}
		d.finishRow(y)
	}
	return d.m, d.repairs, nil
}

// A decoder first stores the file's channels in each pixel, in file order. Then it converts the
// channels to a color.
type decoder struct {
	h       Header
	m       *pixmap.Map
	repairs pixmap.Repairs
}

// usedChannels returns the number of channels that Decode uses.
func (h *Header) usedChannels() int {
	if h.Alpha() {
		return h.colorChannels() + 1
	}
	return h.colorChannels()
}

// gatherChannel stores row y of channel c in the map.
func (d *decoder) gatherChannel(c, y int, row []byte) {
	at := 4*y*d.h.Width + c
	for x := range d.h.Width {
		switch d.h.Bits {
		case 8:
			d.m.Pix8[at+4*x] = row[x]
		case 16:
			d.m.Pix16[at+4*x] = binary.BigEndian.Uint16(row[2*x:])
		default:
			d.m.PixF[at+4*x] = d.repairs.Light(math.Float32frombits(binary.BigEndian.Uint32(row[4*x:])))
		}
	}
}

// finishRow converts the channels of row y to colors.
func (d *decoder) finishRow(y int) {
	from, to := 4*y*d.h.Width, 4*(y+1)*d.h.Width
	switch {
	case d.h.mode == indexed:
		d.lookUpColors(d.m.Pix8[from:to])
	case d.m.Pix8 != nil:
		finishColors(&d.h, d.m.Pix8[from:to], 255, offWhite[uint8])
	case d.m.Pix16 != nil:
		finishColors(&d.h, d.m.Pix16[from:to], 65535, offWhite[uint16])
	default:
		finishColors(&d.h, d.m.PixF[from:to], 1, offWhiteLight)
	}
}

// lookUpColors replaces palette indices by colors. One palette entry may be transparent.
func (d *decoder) lookUpColors(row []uint8) {
	for ; len(row) > 0; row = row[4:] {
		i := int(row[0])
		row[0], row[1], row[2], row[3] = d.h.palette[i], d.h.palette[256+i], d.h.palette[512+i], 255
		if i == d.h.transparent {
			row[3] = 0
		}
	}
}

func finishColors[T uint8 | uint16 | float32](h *Header, row []T, top T, off func(c, a, top T) T) {
	for ; len(row) > 0; row = row[4:] {
		p := row[:4]
		if h.mode == gray {
			p[1], p[2], p[3] = p[0], p[0], p[1]
		}
		if !h.Alpha() {
			p[3] = top
			continue
		}
		if p[3] = min(p[3], top); h.onWhite && p[3] > 0 && p[3] < top {
			for i, c := range p[:3] {
				p[i] = off(c, p[3], top)
			}
		}
	}
}

// offWhite returns the color that, blended with white at alpha a, gives c.
func offWhite[T uint8 | uint16](c, a, top T) T {
	over := int64(c) - (int64(top) - int64(a))
	return T(max(0, min(int64(top), (over*int64(top)+int64(a)/2)/int64(a))))
}

func offWhiteLight(c, a, top float32) float32 {
	return max(0, min(c-(top-a), math.MaxFloat32*a)) / a
}

// Compression methods of the merged image.
const (
	plain = iota
	packBits
	zip
	zipPredicted
)

// rows reads the rows of all channels, one channel after another.
type rows struct {
	h       *Header
	packing uint16
	data    []byte    // data of the rows that are not read yet
	sizes   []byte    // sizes of the compressed rows that are not read yet
	wide    int       // number of bytes per size
	inflate io.Reader // decompressor of ZIP data; nil for other methods
	row     []byte
	spare   []byte
}

// newRows returns the rows, starting at the first row of the merged image.
func newRows(h *Header, data []byte) (*rows, error) {
	c := &cursor{data: data, at: h.image}
	packing, ok := c.takeWhole(2)
	if !ok {
		return nil, io.ErrUnexpectedEOF
	}
	r := &rows{h: h, packing: binary.BigEndian.Uint16(packing), row: make([]byte, h.channelRowBytes()), wide: h.wideSize() / 2}
	switch r.packing {
	case plain:
	case packBits:
		if r.sizes, ok = c.takeWhole(int64(r.wide) * int64(h.channels) * int64(h.Height)); !ok {
			return nil, io.ErrUnexpectedEOF
		}
	case zip, zipPredicted:
		z, err := zlib.NewReader(bytes.NewReader(data[c.at:]))
		if err != nil {
			return nil, pixmap.UnexpectedEOF(err)
		}
		r.inflate, r.spare = z, make([]byte, len(r.row))
	default:
		return nil, fmt.Errorf("compression %d is not supported; save the image again", r.packing)
	}
	r.data = data[c.at:]
	return r, nil
}

// nextRow returns the next row, which is valid until the next call.
func (r *rows) nextRow() ([]byte, error) {
	switch r.packing {
	case plain:
		if len(r.data) < len(r.row) {
			return nil, io.ErrUnexpectedEOF
		}
		row := r.data[:len(r.row)]
		r.data = r.data[len(r.row):]
		return row, nil
	case packBits:
		size := int64(binary.BigEndian.Uint16(r.sizes))
		if r.wide == 4 {
			size = int64(binary.BigEndian.Uint32(r.sizes))
		}
		r.sizes = r.sizes[r.wide:]
		if size > int64(len(r.data)) {
			return nil, io.ErrUnexpectedEOF
		}
		err := unpackBits(r.row, r.data[:size])
		r.data = r.data[size:]
		return r.row, err
	}
	if _, err := io.ReadFull(r.inflate, r.row); err != nil {
		return nil, err
	}
	if r.packing == zipPredicted {
		r.undoPrediction()
	}
	return r.row, nil
}

// undoPrediction adds the previous value of the row to each value. For floats, it works on bytes,
// with all high bytes first.
func (r *rows) undoPrediction() {
	row := r.row
	if r.h.Bits == 16 {
		for i := 2; i < len(row); i += 2 {
			binary.BigEndian.PutUint16(row[i:], binary.BigEndian.Uint16(row[i:])+binary.BigEndian.Uint16(row[i-2:]))
		}
		return
	}
	for i := 1; i < len(row); i++ {
		row[i] += row[i-1]
	}
	if r.h.Bits == 32 {
		for i := range r.h.Width {
			for b := range 4 {
				r.spare[4*i+b] = row[b*r.h.Width+i]
			}
		}
		r.row, r.spare = r.spare, r.row
	}
}

// unpackBits decompresses PackBits runs into dst. A count n from 0 to 127 is followed by n+1
// literal bytes. A negative count -n is followed by one byte that is repeated n+1 times. -128 is
// skipped.
func unpackBits(dst, packed []byte) error {
	tooMuch := errors.New("the compressed data has too many pixels; save the image again")
	for len(packed) > 0 {
		n := int(int8(packed[0]))
		packed = packed[1:]
		switch {
		case n >= 0:
			n++
			if n > len(packed) {
				return io.ErrUnexpectedEOF
			}
			if n > len(dst) {
				return tooMuch
			}
			copy(dst, packed[:n])
			packed, dst = packed[n:], dst[n:]
		case n > -128:
			n = 1 - n
			if len(packed) == 0 {
				return io.ErrUnexpectedEOF
			}
			if n > len(dst) {
				return tooMuch
			}
			for i := range dst[:n] {
				dst[i] = packed[0]
			}
			packed, dst = packed[1:], dst[n:]
		}
	}
	if len(dst) > 0 {
		return io.ErrUnexpectedEOF
	}
	return nil
}
