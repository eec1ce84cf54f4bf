package bc7

import "math"

// whole lists the pixels of a block.
var whole = [16]uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// packedWeights has weights, and their squares from bit 32 on.
var packedWeights = func() (t [5][16]uint64) {
	for width := range t {
		for i, w := range weights[width] {
			t[width][i] = uint64(w) | uint64(w)*uint64(w)<<32
		}
	}
	return t
}()

// place gives pixels their first indices: their places between the outermost along an
// axis.
func (b *block) place(list []uint8, d *axis, k *kind, alpha bool) leastSquares {
	if alpha {
		return b.place4(list, d, k)
	}
	return place3(&b.rgb, list, d, k)
}

func place3(px *[16]uint64, list []uint8, d *axis, k *kind) (s leastSquares) {
	var at [16]int64
	least, most := int64(math.MaxInt64), int64(0)
	for _, i := range list {
		t := int64(d.at(px[i&15]))
		at[i&15] = t
		least, most = min(least, t), max(most, t)
	}
	if least == most {
		return s
	}
	scale := (k.levels - 1) << 24 / (most - least)
	w := &packedWeights[k.width]
	for _, i := range list {
		ww := w[((at[i&15]-least)*scale+1<<23)>>24&15]
		s.w += ww
		s.rgb += px[i&15] * (ww & 127)
	}
	return s
}

func (b *block) place4(list []uint8, d *axis, k *kind) (s leastSquares) {
	var at [16]int64
	least, most := int64(math.MaxInt64), int64(0)
	for _, i := range list {
		t := int64(d.at4(b.rgb[i&15], b.a[i&15]))
		at[i&15] = t
		least, most = min(least, t), max(most, t)
	}
	if least == most {
		return s
	}
	scale := (k.levels - 1) << 24 / (most - least)
	w := &packedWeights[k.width]
	for _, i := range list {
		ww := w[((at[i&15]-least)*scale+1<<23)>>24&15]
		s.w += ww
		s.rgb += b.rgb[i&15] * (ww & 127)
		s.a += b.a[i&15] * (ww & 127)
	}
	return s
}

// choose gives every pixel of list the nearest color of the line. It returns the sum of
// squared errors less the sum of the squares of the pixels, which is known already. It
// leaves in s the sums for least squares to improve the ends.
func (b *block) choose(list []uint8, l *line, k *kind, alpha bool, index *[16]uint8, s *leastSquares) int64 {
	if alpha {
		return b.choose4(list, l, k, index, s)
	}
	return choose3(&b.rgb, list, l, k, index, s)
}

func choose3(px *[16]uint64, list []uint8, l *line, k *kind, index *[16]uint8, s *leastSquares) int64 {
	var colors [16]uint64 // reversed
	var squares [16]int64
	w := &packedWeights[k.width]
	r0, r1 := reverse(l.rgb[0]), reverse(l.rgb[1])
	for i := range k.levels {
		v := w[i&15] & 127
		c := (r0*(64-v) + r1*v + lanesOf32) >> 6 & lanesOfFF
		colors[i&15] = c
		squares[i&15] = int64(dot(reverse(c), c))
	}
	d, first, scale := l.axis3(k)
	*s = leastSquares{}
	var sse int64
	for _, i := range list {
		p := px[i&15]
		at := ((int64(d.at(p))-first)*scale + 1<<23) >> 24
		at = max(0, min(at, k.levels-1))
		index[i&15] = uint8(at)
		sse += squares[at&15] - 2*int64(dot(p, colors[at&15]))
		ww := w[at&15]
		s.w += ww
		s.rgb += p * (ww & 127)
	}
	return sse
}

func (b *block) choose4(list []uint8, l *line, k *kind, index *[16]uint8, s *leastSquares) int64 {
	var colors, alphas [16]uint64
	var squares [16]int64
	w := &packedWeights[k.width]
	r0, r1 := reverse(l.rgb[0]), reverse(l.rgb[1])
	for i := range k.levels {
		v := w[i&15] & 127
		c := (r0*(64-v) + r1*v + lanesOf32) >> 6 & lanesOfFF
		a := (l.a[0]*(64-v) + l.a[1]*v + 32) >> 6
		colors[i&15], alphas[i&15] = c, a
		squares[i&15] = int64(dot(reverse(c), c) + a*a)
	}
	d, first, scale := l.axis4(k)
	*s = leastSquares{}
	var sse int64
	for _, i := range list {
		p, a := b.rgb[i&15], b.a[i&15]
		at := ((int64(d.at4(p, a))-first)*scale + 1<<23) >> 24
		at = max(0, min(at, k.levels-1))
		index[i&15] = uint8(at)
		sse += squares[at&15] - 2*int64(dot(p, colors[at&15])+a*alphas[at&15])
		ww := w[at&15]
		s.w += ww
		s.rgb += p * (ww & 127)
		s.a += a * (ww & 127)
	}
	return sse
}

// axis3 returns the axis along the line, where on it the line begins, and how many
// 2^24ths of an index a step on it is.
func (l *line) axis3(k *kind) (d axis, first, scale int64) {
	r, fr := distance(l.rgb[0]&255, l.rgb[1]&255)
	g, fg := distance(l.rgb[0]>>lane&255, l.rgb[1]>>lane&255)
	b, fb := distance(l.rgb[0]>>(2*lane), l.rgb[1]>>(2*lane))
	d.flip = lanesOf(fr, fg, fb)
	d.reversed = lanesOf(b, g, r)
	if length := r*r + g*g + b*b; length != 0 {
		scale = (k.levels - 1) << 24 / int64(length)
	}
	return d, int64(d.at(l.rgb[0])), scale
}

// axis4 is the same with alpha.
func (l *line) axis4(k *kind) (d axis, first, scale int64) {
	r, fr := distance(l.rgb[0]&255, l.rgb[1]&255)
	g, fg := distance(l.rgb[0]>>lane&255, l.rgb[1]>>lane&255)
	b, fb := distance(l.rgb[0]>>(2*lane), l.rgb[1]>>(2*lane))
	d.a, d.flipA = distance(l.a[0], l.a[1])
	d.flip = lanesOf(fr, fg, fb)
	d.reversed = lanesOf(b, g, r)
	if length := r*r + g*g + b*b + d.a*d.a; length != 0 {
		scale = (k.levels - 1) << 24 / int64(length)
	}
	return d, int64(d.at4(l.rgb[0], l.a[0])), scale
}

// distance returns how far two bytes are apart, and 255 where the second is below.
func distance(a, b uint64) (far, flip uint64) {
	sign := uint64(int64(b-a) >> 63)
	return (b - a ^ sign) - sign, sign & 255
}
