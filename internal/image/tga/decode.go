package tga

import (
	"context"
	"fmt"
	"io"
)

// A texel is one pixel: red, green, blue, straight alpha.
type texel [4]byte

type decoder struct {
	ctx    context.Context
	data   []byte // the rest of the file
	header Header
	colors []texel // of a color-mapped picture
}

// pixels reads all pixels in the order of the file.
func (d *decoder) pixels() ([]byte, error) {
	total := 4 * d.header.Width * d.header.Height
	pix := make([]byte, 0, total)
	for len(pix) < total {
		if err := d.ctx.Err(); err != nil {
			return nil, err
		}
		count, same, err := d.packet((total - len(pix)) / 4)
		if err == nil && same {
			pix, err = d.appendRun(pix, count)
		} else if err == nil {
			pix, err = d.texels(pix, count)
		}
		if err != nil {
			return nil, fmt.Errorf("tga: after %d of %d pixels: %w", len(pix)/4, total/4, err)
		}
	}
	return pix, nil
}

// take returns the next n bytes of the file.
func (d *decoder) take(n int) ([]byte, error) {
	if n > len(d.data) {
		return nil, io.ErrUnexpectedEOF
	}
	b := d.data[:n]
	d.data = d.data[n:]
	return b, nil
}

// packet returns the number of pixels in the next packet, and whether they are all the same. Plain
// pixels are read in packets of a row.
func (d *decoder) packet(left int) (count int, same bool, err error) {
	if !d.header.packed {
		return min(left, d.header.Width), false, nil
	}
	b, err := d.take(1)
	if err != nil {
		return 0, false, err
	}
	if count = int(b[0]&127) + 1; count > left {
		return 0, false, fmt.Errorf("a packet of %d pixels, but only %d are left", count, left)
	}
	return count, b[0]&128 != 0, nil
}

// appendRun reads one pixel and appends it count times.
func (d *decoder) appendRun(pix []byte, count int) ([]byte, error) {
	start := len(pix)
	pix, err := d.texels(pix, 1)
	if err != nil {
		return pix, err
	}
	for range count - 1 {
		pix = append(pix, pix[start:start+4]...)
	}
	return pix, nil
}

// texels reads count pixels and appends them to pix.
func (d *decoder) texels(pix []byte, count int) ([]byte, error) {
	size := (d.header.Depth + 7) / 8
	raw, err := d.take(count * size)
	if err != nil {
		return pix, err
	}
	if d.header.kind == trueColor && size > 2 {
		return appendColors(pix, raw, size), nil
	}
	for ; len(raw) > 0; raw = raw[size:] {
		t, err := d.texel(raw[:size])
		if err != nil {
			return pix, err
		}
		pix = append(pix, t[:]...)
	}
	return pix, nil
}

// appendColors appends colors of 3 or 4 bytes each: blue, green, red, alpha. It is a faster texel
// for most pictures.
func appendColors(pix, raw []byte, size int) []byte {
	for ; len(raw) >= size; raw = raw[size:] {
		a := byte(255)
		if size == 4 {
			a = raw[3]
		}
		pix = append(pix, raw[2], raw[1], raw[0], a)
	}
	return pix
}

func (d *decoder) texel(raw []byte) (texel, error) {
	switch d.header.kind {
	case gray:
		t := texel{raw[0], raw[0], raw[0], 255}
		if len(raw) == 2 {
			t[3] = raw[1]
		}
		return t, nil
	case mapped:
		index := int(raw[0])
		if len(raw) == 2 {
			index |= int(raw[1]) << 8
		}
		i := index - d.header.mapFirst
		if i < 0 || i >= len(d.colors) {
			return texel{}, fmt.Errorf("color %d is not in the color map", index)
		}
		return d.colors[i], nil
	}
	return d.colorOf(raw, d.header.Depth), nil
}

// readMap reads the color map, if there is one.
func (d *decoder) readMap() error {
	size := (d.header.mapDepth + 7) / 8
	raw, err := d.take(d.header.mapSize * size)
	if err != nil {
		return fmt.Errorf("tga: color map: %w", err)
	}
	if d.header.kind != mapped {
		return nil
	}
	d.colors = make([]texel, d.header.mapSize)
	for i := range d.colors {
		d.colors[i] = d.colorOf(raw[i*size:(i+1)*size], d.header.mapDepth)
	}
	return nil
}

// colorOf decodes a stored color of 2, 3 or 4 bytes: five bits each of blue, green, red and one of
// alpha, or a byte each. Many writers declare alpha bits for colors of 15 bits, which have no room
// for them. The top bit of 16 is alpha only if the header declares it.
func (d *decoder) colorOf(raw []byte, depth int) texel {
	t := texel{3: 255}
	if len(raw) == 2 {
		v := int(raw[0]) | int(raw[1])<<8
		t[0], t[1], t[2] = five(v>>10), five(v>>5), five(v)
		if d.header.alphaBits > 0 && depth != 15 && v>>15 == 0 {
			t[3] = 0
		}
		return t
	}
	t[0], t[1], t[2] = raw[2], raw[1], raw[0]
	if len(raw) == 4 {
		t[3] = raw[3]
	}
	return t
}

// five widens the low five bits of v so that 31 becomes 255.
func five(v int) byte {
	v &= 31
	return byte(v<<3 | v>>2)
}

// arrange brings pixels from the file's order, which starts at any corner, into rows from the top
// left.
func arrange(pix []byte, h Header) {
	stride := 4 * h.Width
	if !h.topDown {
		row := make([]byte, stride)
		for top, bottom := 0, len(pix)-stride; top < bottom; top, bottom = top+stride, bottom-stride {
			copy(row, pix[top:top+stride])
			copy(pix[top:top+stride], pix[bottom:bottom+stride])
			copy(pix[bottom:bottom+stride], row)
		}
	}
	if h.rightToLeft {
		for row := pix; len(row) > 0; row = row[stride:] {
			for l, r := 0, stride-4; l < r; l, r = l+4, r-4 {
				a, b := [4]byte(row[l:]), [4]byte(row[r:])
				copy(row[l:], b[:])
				copy(row[r:], a[:])
			}
		}
	}
}

// judgeAlpha decides whether bytes beside the colors are alpha if the header declares no alpha
// bits. Like in most programs, they are unless all are 0.
func judgeAlpha(pix []byte) Alpha {
	least, most := byte(255), byte(0)
	for i := 3; i < len(pix); i += 4 {
		least, most = min(least, pix[i]), max(most, pix[i])
	}
	switch {
	case most == 0:
		for i := 3; i < len(pix); i += 4 {
			pix[i] = 255
		}
		return Zero
	case least == 255:
		return Declared // and opaque in any case
	}
	return Undeclared
}
