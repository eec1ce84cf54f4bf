// Package psd decodes the merged picture of Photoshop files (.psd and .psb): gray, indexed and RGB
// of 8, 16 or 32 bits a channel, with or without alpha, plain or packed by RLE or ZIP.
//
// The layout follows "Adobe Photoshop File Formats Specification" (2019). Layers are not composed:
// programs also save the merged picture, if told to. Files without it are refused with advice, as
// are CMYK, Lab and other modes that are not for screens.
package psd

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// Decode decodes the merged picture of a whole file. Its alpha is the transparency of the layers,
// or else the first channel after the colors. Colors of transparent layers, which are saved on
// white, are separated from the white. Decode allocates Header.Memory, so check the header first.
func Decode(ctx context.Context, data []byte) (*pixmap.Map, pixmap.Repairs, error) {
	h, err := ReadHeader(data)
	if err != nil {
		return nil, pixmap.Repairs{}, err
	}
	switch {
	case !h.complete:
		return nil, pixmap.Repairs{}, fmt.Errorf("psd: %w", io.ErrUnexpectedEOF)
	case h.noMerged && h.layers > 0:
		return nil, pixmap.Repairs{}, errors.New(`psd: file has layers but no merged picture; save it with "Maximize Compatibility"`)
	case int64(len(data)) < h.LeastBytes():
		return nil, pixmap.Repairs{}, fmt.Errorf("psd: pixels: %w", io.ErrUnexpectedEOF)
	case int64(h.Width) > math.MaxInt/64/int64(h.Height):
		return nil, pixmap.Repairs{}, errors.New("psd: picture is too large for this machine's addresses")
	}
	d := decoder{h: h, m: pixmap.New(h.Width, h.Height, h.Depth())}
	rows, err := newRows(&h, data)
	if err != nil {
		return nil, pixmap.Repairs{}, fmt.Errorf("psd: %w", err)
	}
	for c := range min(h.channels, h.slots()) {
		for y := range h.Height {
			if err := ctx.Err(); err != nil {
				return nil, pixmap.Repairs{}, err
			}
			row, err := rows.next()
			if err != nil {
				return nil, pixmap.Repairs{}, fmt.Errorf("psd: channel %d, row %d: %w", c, y, unexpected(err))
			}
			d.gather(c, y, row)
		}
	}
	for y := range h.Height {
		if err := ctx.Err(); err != nil {
			return nil, pixmap.Repairs{}, err
		}
		d.finish(y)
	}
	return d.m, d.repairs, nil
}

// A decoder first gathers the channels in the numbers of each pixel, in the order of the file, and
// then turns them into a color.
type decoder struct {
	h       Header
	m       *pixmap.Map
	repairs pixmap.Repairs
}

// slots returns the number of channels that are used.
func (h *Header) slots() int {
	if h.Alpha() {
		return h.colors() + 1
	}
	return h.colors()
}

// gather puts row y of channel c into the map.
func (d *decoder) gather(c, y int, row []byte) {
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

// finish turns the channels of row y into colors.
func (d *decoder) finish(y int) {
	from, to := 4*y*d.h.Width, 4*(y+1)*d.h.Width
	switch {
	case d.h.mode == indexed:
		d.look(d.m.Pix8[from:to])
	case d.m.Pix8 != nil:
		finish(&d.h, d.m.Pix8[from:to], 255, offWhite[uint8])
	case d.m.Pix16 != nil:
		finish(&d.h, d.m.Pix16[from:to], 65535, offWhite[uint16])
	default:
		finish(&d.h, d.m.PixF[from:to], 1, offWhiteLight)
	}
}

// look replaces palette indices by colors. One color may be transparent.
func (d *decoder) look(row []uint8) {
	for ; len(row) > 0; row = row[4:] {
		i := int(row[0])
		row[0], row[1], row[2], row[3] = d.h.palette[i], d.h.palette[256+i], d.h.palette[512+i], 255
		if i == d.h.transparent {
			row[3] = 0
		}
	}
}

func finish[T uint8 | uint16 | float32](h *Header, row []T, top T, off func(c, a, top T) T) {
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

// offWhite returns the color that looks like c on white with an alpha of a.
func offWhite[T uint8 | uint16](c, a, top T) T {
	over := int64(c) - (int64(top) - int64(a))
	return T(max(0, min(int64(top), (over*int64(top)+int64(a)/2)/int64(a))))
}

func offWhiteLight(c, a, top float32) float32 {
	return max(0, min(c-(top-a), math.MaxFloat32*a)) / a
}

// unexpected turns io.EOF into io.ErrUnexpectedEOF.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
