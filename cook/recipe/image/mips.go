package image

import (
	"context"

	"github.com/assetcook/assetcook/cook/recipe/image/ktx2"
)

// The filter is a box: a pixel is the average of what it covers of the larger
// level. With an even side that is two pixels. With an odd side n = 2m+1 a
// pixel covers n/m pixels, that is parts of three: the i-th has the weights
// (m-i)/n, m/n and (i+1)/n (NVIDIA, "Non-power-of-two mipmapping").
//
// Each level is made from the sixteen bits of the one before, not from its
// rounded bytes. Colours are averaged as linear light and in proportion to
// their alpha, as if premultiplied, so that what cannot be seen has no say.
// They are kept straight all the same: where all alpha is 0 the plain average
// of the colours goes on, and no black bleeds in from the edges of sprites.

// A wide is a level of sixteen bits a channel.
type wide struct {
	w, h int
	pix  []uint16
}

// rows gives access to the rows of a level as sixteen bits. It may return its
// own memory or fill buf, which has room for a row.
type rows func(y int, buf []uint16) []uint16

// mipChain returns base and all smaller levels. With colour false, the
// channels are data: each is averaged by itself.
func mipChain(ctx context.Context, base level, colour bool) ([]level, error) {
	f := filter{curve: linear(), alpha: linear(), weigh: colour}
	if colour {
		f.curve = srgb()
	}
	levels := []level{base}
	source, last := f.widen(base), wide{w: base.w, h: base.h}
	for i := 1; i < ktx2.MaxLevels(base.w, base.h); i++ {
		l, next, err := f.halve(ctx, source, last.w, last.h)
		if err != nil {
			return nil, err
		}
		levels = append(levels, l)
		last = next
		source = func(y int, _ []uint16) []uint16 { return next.pix[4*next.w*y : 4*next.w*(y+1)] }
	}
	return levels, nil
}

type filter struct {
	curve, alpha *curve
	weigh        bool // colours by their alpha
}

func (f *filter) widen(l level) rows {
	return func(y int, buf []uint16) []uint16 {
		src := l.pix[4*l.w*y : 4*l.w*(y+1)]
		buf = buf[:len(src)]
		for i := 0; i+4 <= len(src); i += 4 {
			s, d := src[i:i+4:i+4], buf[i:i+4:i+4]
			d[0], d[1], d[2] = f.curve.wide[s[0]], f.curve.wide[s[1]], f.curve.wide[s[2]]
			d[3] = f.alpha.wide[s[3]]
		}
		return buf
	}
}

func (f *filter) narrow(dst []byte, src []uint16) {
	src = src[:len(dst)]
	for i := 0; i+4 <= len(src); i += 4 {
		s, d := src[i:i+4:i+4], dst[i:i+4:i+4]
		d[0], d[1], d[2] = f.curve.narrow[s[0]], f.curve.narrow[s[1]], f.curve.narrow[s[2]]
		d[3] = f.alpha.narrow[s[3]]
	}
}

// halve makes the next smaller level of a source of w by h pixels.
func (f *filter) halve(ctx context.Context, source rows, w, h int) (level, wide, error) {
	next := wide{w: max(1, w/2), h: max(1, h/2)}
	next.pix = make([]uint16, 4*next.w*next.h)
	l := level{w: next.w, h: next.h, pix: make([]byte, 4*next.w*next.h)}
	var bufs [3][]uint16
	for i := range bufs {
		bufs[i] = make([]uint16, 4*w)
	}
	for y := range next.h {
		if err := ctx.Err(); err != nil {
			return level{}, wide{}, err
		}
		down := tapsOf(h, y)
		var in [3][]uint16
		for i := range down.count {
			in[i] = source(down.first+i, bufs[i])
		}
		out := next.pix[4*next.w*y : 4*next.w*(y+1)]
		if w%2 == 0 && h%2 == 0 {
			f.four(out, in[0], in[1])
		} else {
			f.weighted(out, in, down, w)
		}
		f.narrow(l.pix[4*next.w*y:4*next.w*(y+1)], out)
	}
	return l, next, nil
}

// four averages two by two pixels.
func (f *filter) four(out, top, bottom []uint16) {
	top, bottom = top[:2*len(out)], bottom[:2*len(out)]
	for i := 0; i+4 <= len(out); i += 4 {
		a, b := top[2*i:2*i+8:2*i+8], bottom[2*i:2*i+8:2*i+8]
		o := out[i : i+4 : i+4]
		alpha := uint32(a[3]) + uint32(a[7]) + uint32(b[3]) + uint32(b[7])
		o[3] = uint16((alpha + 2) / 4)
		// Equal weights, the common case of opaque pictures, or none at all.
		if !f.weigh || a[3] == a[7] && a[3] == b[3] && a[3] == b[7] {
			for c := range 3 {
				o[c] = uint16((uint32(a[c]) + uint32(a[4+c]) + uint32(b[c]) + uint32(b[4+c]) + 2) / 4)
			}
			continue
		}
		for c := range 3 {
			sum := uint64(a[c])*uint64(a[3]) + uint64(a[4+c])*uint64(a[7]) +
				uint64(b[c])*uint64(b[3]) + uint64(b[4+c])*uint64(b[7])
			o[c] = uint16((sum + uint64(alpha/2)) / uint64(alpha))
		}
	}
}

// weighted averages up to three by three pixels of a source of width w. Sums
// stay below 2^64: the weights of a side add up to at most 65535, like alpha
// and colour.
func (f *filter) weighted(out []uint16, in [3][]uint16, down taps, w int) {
	for x := range len(out) / 4 {
		across := tapsOf(w, x)
		var plain, seen [3]uint64 // colours without and with regard to alpha
		var alpha uint64
		for j := range down.count {
			line := in[j][4*across.first:]
			for i := range across.count {
				p, weight := line[4*i:4*i+4:4*i+4], across.weight[i]*down.weight[j]
				a := weight * uint64(p[3])
				alpha += a
				for c := range 3 {
					plain[c] += weight * uint64(p[c])
					seen[c] += a * uint64(p[c])
				}
			}
		}
		total := across.total * down.total
		o := out[4*x : 4*x+4 : 4*x+4]
		o[3] = uint16((alpha + total/2) / total)
		if f.weigh && alpha > 0 {
			plain, total = seen, alpha
		}
		for c := range 3 {
			o[c] = uint16((plain[c] + total/2) / total)
		}
	}
}

// taps are the pixels along one side that a pixel of the next level covers.
type taps struct {
	first, count int
	weight       [3]uint64
	total        uint64
}

// tapsOf returns the taps of pixel i of the level after one with a side of n.
func tapsOf(n, i int) taps {
	m := uint64(n / 2)
	switch {
	case n == 1:
		return taps{count: 1, weight: [3]uint64{1}, total: 1}
	case n%2 == 0:
		return taps{first: 2 * i, count: 2, weight: [3]uint64{1, 1}, total: 2}
	}
	return taps{first: 2 * i, count: 3, weight: [3]uint64{m - uint64(i), m, uint64(i) + 1}, total: uint64(n)}
}
