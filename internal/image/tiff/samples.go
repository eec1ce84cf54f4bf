package tiff

// unpredict adds to each sample of the row the same one of the pixel before it
// (TIFF 6.0, section 14).
func (d *decoder) unpredict() {
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
	for i := 2 * back; i+1 < len(d.row); i += 2 {
		sum := d.h.dir.order.Uint16(d.row[i:]) + d.h.dir.order.Uint16(d.row[i-2*back:])
		d.h.dir.order.PutUint16(d.row[i:], sum)
	}
}

// slots returns how many samples of a pixel matter.
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

// gather puts the samples of the row's first width pixels into the map, from
// (x, y) on: the first sample of a pixel into its first number and so on.
func (d *decoder) gather(x, y, width int) {
	count, step := min(d.h.samples, d.h.slots()), d.h.samples
	at := 4 * (y*d.h.Width + x)
	sign := 0 // flipped, it makes the least of signed numbers 0
	if d.h.Signed {
		sign = 1 << (d.h.Bits - 1)
	}
	switch d.h.Bits {
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

// finish turns the samples of row y into colors.
func (d *decoder) finish(y int) {
	from, to := 4*y*d.h.Width, 4*(y+1)*d.h.Width
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

// divide divides colors that were multiplied with their alpha.
func divide[T uint8 | uint16](p []T, top T) {
	a := uint64(p[3])
	for i, c := range p[:3] {
		if a > 0 {
			p[i] = T(min(uint64(top), (uint64(c)*uint64(top)+a/2)/a))
		}
	}
}
