package tiff

import (
	"encoding/binary"
	"math"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// unpredict adds to each sample of the row the corresponding sample of the pixel before (TIFF 6.0,
// section 14).
func (d *decoder) unpredict() {
	if d.h.split {
		d.join()
	}
	if !d.h.predicted {
		return
	}
	back := d.h.samples
	if d.h.Bits == 8 {
		for i := back; i < len(d.row); i++ {
			d.row[i] += d.row[i-back]
		}
		return
	}
	order := d.h.dir.order
	if d.h.Bits == 32 {
		for i := 4 * back; i+3 < len(d.row); i += 4 {
			order.PutUint32(d.row[i:], order.Uint32(d.row[i:])+order.Uint32(d.row[i-4*back:]))
		}
		return
	}
	for i := 2 * back; i+1 < len(d.row); i += 2 {
		order.PutUint16(d.row[i:], order.Uint16(d.row[i:])+order.Uint16(d.row[i-2*back:]))
	}
}

// join reassembles floats from a row that stores all high bytes, then the next ones and so on, each
// byte as the difference to the pixel before.
func (d *decoder) join() {
	size, back := d.h.Bits/8, d.h.samples
	for i := back; i < len(d.row); i++ {
		d.row[i] += d.row[i-back]
	}
	n := len(d.row) / size
	for i := range n {
		for b := range size {
			to := size*i + b
			if d.h.dir.order == binary.LittleEndian {
				to = size*i + size - 1 - b
			}
			d.spare[to] = d.row[b*n+i]
		}
	}
	d.row, d.spare = d.spare, d.row
}

// slots returns the number of samples of a pixel that are used.
func (h *Header) slots() int {
	colors := 1
	if h.photometric == rgb {
		colors = 3
	}
	if h.alpha != noAlpha {
		colors++
	}
	return colors
}

// gather puts the samples of the row's first width pixels into the map, from (x, y) on: the first
// sample of a pixel into its first number and so on.
func (d *decoder) gather(x, y, width int) {
	count, step := min(d.h.samples, d.h.slots()), d.h.samples
	at := 4 * (y*d.h.Width + x)
	if d.h.Float {
		d.gatherFloats(at, width, count)
		return
	}
	sign := 0 // flipping it makes the least signed number 0
	if d.h.Signed {
		sign = 1 << (d.h.Bits - 1)
	}
	switch d.h.Bits {
	case 32: // its lower half is dropped
		for i := range width {
			for s := range count {
				d.m.Pix16[at+4*i+s] = uint16((d.h.dir.order.Uint32(d.row[4*(i*step+s):]) ^ uint32(sign)) >> 16)
			}
		}
	case 16:
		for i := range width {
			for s := range count {
				d.m.Pix16[at+4*i+s] = d.h.dir.order.Uint16(d.row[2*(i*step+s):]) ^ uint16(sign)
			}
		}
	case 8:
		for i := range width {
			for s := range count {
				d.m.Pix8[at+4*i+s] = d.row[i*step+s] ^ uint8(sign)
			}
		}
	default:
		top := byte(1<<d.h.Bits - 1)
		scale := 255 / top
		if d.h.photometric == mapped {
			scale = 1
		}
		for i := range width {
			for s := range count {
				bit := (i*step + s) * d.h.Bits
				d.m.Pix8[at+4*i+s] = d.row[bit/8] >> (8 - d.h.Bits - bit%8) & top * scale
			}
		}
	}
}

// gatherFloats puts floats of the row's first width pixels into the map, starting at the map's
// number at.
func (d *decoder) gatherFloats(at, width, count int) {
	order, step := d.h.dir.order, d.h.samples
	for i := range width {
		for s := range count {
			var v float32
			switch j := i*step + s; d.h.Bits {
			case 16:
				v = pixmap.HalfValue(order.Uint16(d.row[2*j:]))
			case 32:
				v = math.Float32frombits(order.Uint32(d.row[4*j:]))
			default:
				v = float32(math.Float64frombits(order.Uint64(d.row[8*j:])))
			}
			d.m.PixF[at+4*i+s] = d.repairs.Light(v)
		}
	}
}

// finishFloats turns the floats of a row into colors.
func (d *decoder) finishFloats(row []float32) {
	for i := 0; i < len(row); i += 4 {
		p := row[i : i+4]
		if d.h.photometric == blackIsZero {
			p[1], p[2], p[3] = p[0], p[0], p[1]
		}
		if d.h.alpha == noAlpha {
			p[3] = 1
		}
		p[3] = min(p[3], 1)
	}
	if d.h.alpha == multiplied {
		pixmap.Straighten(row)
	}
}

// finish turns the samples of row y into colors.
func (d *decoder) finish(y int) {
	from, to := 4*y*d.h.Width, 4*(y+1)*d.h.Width
	if d.m.PixF != nil {
		d.finishFloats(d.m.PixF[from:to])
		return
	}
	if d.m.Pix16 != nil {
		finish(&d.h, d.m.Pix16[from:to], 65535)
		return
	}
	finish(&d.h, d.m.Pix8[from:to], 255)
}

func finish[T uint8 | uint16](h *Header, row []T, top T) {
	for ; len(row) > 0; row = row[4:] {
		p := row[:4]
		switch h.photometric {
		case whiteIsZero, blackIsZero:
			gray, a := p[0], p[1]
			if h.photometric == whiteIsZero {
				gray = top - gray
			}
			p[0], p[1], p[2], p[3] = gray, gray, gray, a
		case mapped:
			c := h.palette[p[0]]
			p[0], p[1], p[2] = T(c[0]), T(c[1]), T(c[2])
		}
		switch h.alpha {
		case noAlpha:
			p[3] = top
		case multiplied:
			divide(p, top)
		}
	}
}

// divide divides premultiplied colors by their alpha.
func divide[T uint8 | uint16](p []T, top T) {
	a := uint64(p[3])
	for i, c := range p[:3] {
		if a > 0 {
			p[i] = T(min(uint64(top), (uint64(c)*uint64(top)+a/2)/a))
		}
	}
}
