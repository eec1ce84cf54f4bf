package aseprite

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"io"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// draw blends a cel with the picture below. It keeps only one row of the cel in memory, because a
// cel may be much larger than the picture.
func (f *frame) draw(ctx context.Context, m *pixmap.Map, c cel) error {
	l := &f.layers[c.layer]
	opacity := mul(int(c.opacity), int(l.opacity))
	var r io.Reader = bytes.NewReader(c.data)
	if c.packed {
		z, err := zlib.NewReader(r)
		if err != nil {
			return unexpected(err)
		}
		r = z
	}
	row := make([]byte, c.w*f.h.bytes())
	for y := range c.h {
		if err := ctx.Err(); err != nil {
			return err
		}
		if c.y+y >= m.H {
			return nil // the remaining rows are invisible
		}
		if _, err := io.ReadFull(r, row); err != nil {
			return unexpected(err)
		}
		if c.y+y < 0 {
			continue
		}
		for x := max(0, -c.x); x < min(c.w, m.W-c.x); x++ {
			below := m.Pix8[4*((c.y+y)*m.W+c.x+x):][:4]
			copy(below, blend([4]byte(below), f.color(row[x*f.h.bytes():], l), opacity, l.mode))
		}
	}
	return nil
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// color returns the color of the pixel at the start of pix.
func (f *frame) color(pix []byte, l *layer) [4]byte {
	switch f.h.Bits {
	case 32:
		return [4]byte(pix)
	case 16:
		return [4]byte{pix[0], pix[0], pix[0], pix[1]}
	}
	if pix[0] == f.h.transparent && !l.background {
		return [4]byte{}
	}
	return f.palette[pix[0]]
}

// mul multiplies a and b, rounded, where 255 means 1.
func mul(a, b int) int {
	t := a*b + 128
	return (t>>8 + t) >> 8
}

// blend draws a color over the one below, in the layer's mode. The mode has an effect in proportion
// to the alpha below.
func blend(below, above [4]byte, opacity, mode int) []byte {
	normal := over(below, above, opacity)
	if mode == 0 || below[3] == 0 {
		return normal[:]
	}
	made := modes[mode]([3]byte(below[:3]), [3]byte(above[:3]))
	mixed := over(below, [4]byte{made[0], made[1], made[2], above[3]}, opacity)
	whole := mix(normal, mixed, int(below[3]))
	whole = mix(whole, mixed, mul(int(below[3]), mul(int(above[3]), opacity)))
	return whole[:]
}

// over draws a color over another one.
func over(below, above [4]byte, opacity int) [4]byte {
	alpha := mul(int(above[3]), opacity)
	switch {
	case below[3] == 0:
		above[3] = byte(alpha)
		return above
	case above[3] == 0:
		return below
	}
	sum := int(below[3]) + alpha - mul(int(below[3]), alpha)
	for i := range 3 {
		below[i] = byte(int(below[i]) + (int(above[i])-int(below[i]))*alpha/sum)
	}
	below[3] = byte(sum)
	return below
}

// mix interpolates between two colors, b at a share of 255.
func mix(a, b [4]byte, share int) [4]byte {
	alpha := int(a[3]) + mul(int(b[3])-int(a[3]), share)
	if alpha == 0 {
		return [4]byte{}
	}
	var m [4]byte
	for i := range 3 {
		switch {
		case a[3] == 0:
			m[i] = b[i]
		case b[3] == 0:
			m[i] = a[i]
		default:
			m[i] = byte(int(a[i]) + mul(int(b[i])-int(a[i]), share))
		}
	}
	m[3] = byte(alpha)
	return m
}
