package bc7

import "math"

// whole lists all sixteen pixels of a block.
var whole = [16]uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// packedWeights holds the weights in the low 32 bits and their squares in the high 32 bits.
var packedWeights = func() (t [5][16]uint64) {
	for width := range t {
		for i, w := range weights[width] {
			t[width][i] = uint64(w) | uint64(w)*uint64(w)<<32
		}
	}
	return t
}()

// placeOnAxis sets the initial indices of pixels: their positions between the outermost pixels
// along an axis.
func (b *block) placeOnAxis(list []uint8, d *axis, k *kind, alpha bool) leastSquares {
	if alpha {
		return b.place4(list, d, k)
	}
	return place3(&b.rgb, list, d, k)
}

func place3(px *[16]uint64, list []uint8, d *axis, k *kind) (s leastSquares) {
	var at [16]int64
	least, most := int64(math.MaxInt64), int64(0)
	for _, i := range list {
		t := int64(d.projectColor(px[i&15]))
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

// chooseIndices sets the index of the nearest color on the line for each listed pixel, and the
// least-squares sums in s. It returns the squared error minus the sum of the squared pixels, which
// the caller knows.
func (b *block) chooseIndices(list []uint8, l *line, k *kind, alpha bool, index *[16]uint8, s *leastSquares) int64 {
	if alpha {
		return b.choose4(list, l, k, index, s)
	}
	return choose3(&b.rgb, list, l, k, index, s)
}

func choose3(px *[16]uint64, list []uint8, l *line, k *kind, index *[16]uint8, s *leastSquares) int64 {
	var colors [16]uint64 // colors on the line, with red and blue swapped
	var squares [16]int64
	w := &packedWeights[k.width]
	r0, r1 := reverse(l.rgb[0]), reverse(l.rgb[1])
	for i := range k.levels {
		v := w[i&15] & 127
		c := (r0*(64-v) + r1*v + lanesOf32) >> 6 & lanesOfFF
		colors[i&15] = c
		squares[i&15] = int64(dotLanes(reverse(c), c))
	}
	d, first, scale := l.axis3(k)
	*s = leastSquares{}
	var sse int64
	for _, i := range list {
		p := px[i&15]
		at := ((int64(d.projectColor(p))-first)*scale + 1<<23) >> 24
		at = max(0, min(at, k.levels-1))
		index[i&15] = uint8(at)
		sse += squares[at&15] - 2*int64(dotLanes(p, colors[at&15]))
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
		squares[i&15] = int64(dotLanes(reverse(c), c) + a*a)
	}
	d, first, scale := l.axis4(k)
	*s = leastSquares{}
	var sse int64
	for _, i := range list {
		p, a := b.rgb[i&15], b.a[i&15]
		at := ((int64(d.at4(p, a))-first)*scale + 1<<23) >> 24
		at = max(0, min(at, k.levels-1))
		index[i&15] = uint8(at)
		sse += squares[at&15] - 2*int64(dotLanes(p, colors[at&15])+a*alphas[at&15])
		ww := w[at&15]
		s.w += ww
		s.rgb += p * (ww & 127)
		s.a += a * (ww & 127)
	}
	return sse
}

// axis3 returns the axis along the line and the position of the line's first endpoint on it. scale
// is the number of index steps per unit of the axis, times 2^24.
func (l *line) axis3(k *kind) (d axis, first, scale int64) {
	r, fr := distanceAndFlip(l.rgb[0]&255, l.rgb[1]&255)
	g, fg := distanceAndFlip(l.rgb[0]>>lane&255, l.rgb[1]>>lane&255)
	b, fb := distanceAndFlip(l.rgb[0]>>(2*lane), l.rgb[1]>>(2*lane))
	d.flip = lanesOf(fr, fg, fb)
	d.reversed = lanesOf(b, g, r)
	if length := r*r + g*g + b*b; length != 0 {
		scale = (k.levels - 1) << 24 / int64(length)
	}
	return d, int64(d.projectColor(l.rgb[0])), scale
}

// axis4 is axis3 with alpha.
func (l *line) axis4(k *kind) (d axis, first, scale int64) {
	r, fr := distanceAndFlip(l.rgb[0]&255, l.rgb[1]&255)
	g, fg := distanceAndFlip(l.rgb[0]>>lane&255, l.rgb[1]>>lane&255)
	b, fb := distanceAndFlip(l.rgb[0]>>(2*lane), l.rgb[1]>>(2*lane))
	d.a, d.flipA = distanceAndFlip(l.a[0], l.a[1])
	d.flip = lanesOf(fr, fg, fb)
	d.reversed = lanesOf(b, g, r)
	if length := r*r + g*g + b*b + d.a*d.a; length != 0 {
		scale = (k.levels - 1) << 24 / int64(length)
	}
	return d, int64(d.at4(l.rgb[0], l.a[0])), scale
}

// distanceAndFlip returns the absolute difference of two bytes. flip is 255 if the second byte is
// smaller, otherwise 0.
func distanceAndFlip(a, b uint64) (far, flip uint64) {
	sign := uint64(int64(b-a) >> 63)
	return (b - a ^ sign) - sign, sign & 255
}

// A line holds the two endpoints of a subset, stored and decoded.
type line struct {
	stored [2][4]uint8
	p      [2]uint8
	rgb    [2]uint64 // red, green and blue of each endpoint in lanes
	a      [2]uint64
}

// leastSquares holds the sums that solveLine computes endpoints from. For some pixels, it sums the
// weights of the second endpoint, their squares, and their products with colors.
type leastSquares struct {
	w   uint64 // sum of the weights in the low 32 bits, sum of their squares in the high 32 bits
	rgb uint64 // products with red, green and blue in lanes
	a   uint64
}

// solveLine sets the best endpoints for the current indices: the least-squares solution, rounded to
// the kind's quantized values. channels is 3, 4 with alpha, or 1 for a single channel stored as
// red.
//
// With weights w in 64ths, a channel's endpoints u and v minimize the sum of ((64-w)u + wv - 64x)^2
// = Auu + 2Buv + Cvv - 2(Xu + Yv) + constant. Each quantized u near the optimum has its own best v,
// so the second endpoint compensates for the rounding of the first.
func (l *line) solveLine(s *leastSquares, m *moments, channels int, k *kind, thorough bool) {
	n := int64(m.pixelCount())
	sumA, _ := m.alphaSums()
	sw, sww := int64(s.w&(1<<32-1)), int64(s.w>>32)
	q := quadratic{A: 64*64*n - 2*64*sw + sww, B: 64*sw - sww, C: sww, kind: k}
	det := q.A*q.C - q.B*q.B
	rgb, a := s.rgb, s.a
	if det == 0 {
		// If all indices are equal, the solution is not unique. Two equal endpoints give the same
		// color at every index.
		q.A, q.B, q.C = 64*32*n, 0, 64*32*n
		det = q.A * q.C
		rgb, a = 32*m.sum, 32*sumA
	}
	q.perC = 256 / float64(max(q.C, 1))
	perDet := 256 / float64(det)
	var x, y, u [4]int64
	for c := range channels {
		if c == 3 {
			x[3], y[3] = int64(sumA), int64(a)
		} else {
			x[c&3], y[c&3] = int64(m.sum>>(lane*c&63)&laneMask), int64(rgb>>(lane*c&63)&laneMask)
		}
		y[c&3] *= 64
		x[c&3] = 64*64*x[c&3] - y[c&3]
		u[c&3] = int64(float64(x[c&3]*q.C-y[c&3]*q.B) * perDet)
	}
	switch {
	case thorough:
		q.thorough(l, &u, &x, &y, channels)
	case k.p == ownP || k.p == sharedP:
		q.chooseEnds(l, &u, &x, &y, channels)
	default:
		l.p = k.p.pbitChoices()[0]
		for c := range channels {
			first := k.nearestStored(u[c&3], int64(l.p[0]))
			second := q.secondEnd(k.decodedValue(first, int64(l.p[0])), y[c&3], int64(l.p[1]))
			l.stored[0][c&3], l.stored[1][c&3] = uint8(first), uint8(second)
		}
	}
	l.decodeEnds(k)
}

// chooseEnds sets the quantized endpoints nearest to u, in 256ths, with the best possible p-bits.
func (q *quadratic) chooseEnds(l *line, u, x, y *[4]int64, channels int) {
	k := q.kind
	var first [2][4]uint8 // first endpoints for p-bits 0 and 1
	var second [4][4]uint8
	var sums [4]int64
	for c := range channels {
		c &= 3
		for p := range int64(2) {
			s := k.nearestStored(u[c], p)
			first[p&1][c] = uint8(s)
			v := k.decodedValue(s, p)
			best := int64(float64(y[c]-q.B*v) * q.perC)
			one, slope := v*(q.A*v-2*x[c]), 2*(q.B*v-y[c])
			for r := range int64(2) {
				if r != p && k.p == sharedP {
					continue
				}
				s := k.nearestStored(best, r)
				second[(2*p+r)&3][c] = uint8(s)
				w := k.decodedValue(s, r)
				sums[(2*p+r)&3] += one + w*(q.C*w+slope)
			}
		}
	}
	least := int64(math.MaxInt64)
	for _, p := range k.p.pbitChoices() {
		if at := (2*p[0] + p[1]) & 3; sums[at] < least {
			least = sums[at]
			l.stored, l.p = [2][4]uint8{first[p[0]&1], second[at]}, p
		}
	}
}

// A quadratic holds the coefficients of a channel's squared error as a function of its endpoints.
type quadratic struct {
	A, B, C int64
	perC    float64
	kind    *kind
}

// thorough is like chooseEnds, but tries two ways to round the first endpoint.
func (q *quadratic) thorough(l *line, u, x, y *[4]int64, channels int) {
	least := int64(math.MaxInt64)
	for _, p := range q.kind.p.pbitChoices() {
		var stored [2][4]uint8
		var sum int64
		for c := range channels {
			c &= 3
			var e int64
			stored[0][c], stored[1][c], e = q.roundPair(u[c], x[c], y[c], int64(p[0]), int64(p[1]))
			sum += e
		}
		if sum < least {
			least = sum
			l.stored, l.p = stored, p
		}
	}
}

// roundPair returns the endpoints to store and their error. The first endpoint is near u, which is
// in 256ths. p and r are the p-bits.
func (q *quadratic) roundPair(u, x, y, p, r int64) (s0, s1 uint8, least int64) {
	near, far := q.kind.storedAround(u, p)
	s0, s1, least = q.completeEnds(near, x, y, p, r)
	if f0, f1, e := q.completeEnds(far, x, y, p, r); e < least {
		return f0, f1, e
	}
	return s0, s1, least
}

// completeEnds returns the stored first endpoint, the second endpoint that suits it best, and the
// error of this pair.
func (q *quadratic) completeEnds(first, x, y, p, r int64) (s0, s1 uint8, e int64) {
	v := q.kind.decodedValue(first, p)
	second := q.secondEnd(v, y, r)
	w := q.kind.decodedValue(second, r)
	return uint8(first), uint8(second), v*(q.A*v+2*(q.B*w-x)) + w*(q.C*w-2*y)
}

// secondEnd returns the best second endpoint, as stored, for a first endpoint of value v.
func (q *quadratic) secondEnd(v, y, r int64) int64 {
	return q.kind.nearestStored(int64(float64(y-q.B*v)*q.perC), r)
}

// decodeEnds sets the decoded endpoints from the stored ones.
func (l *line) decodeEnds(k *kind) {
	for e := range 2 {
		st, p := &l.stored[e], int64(l.p[e])
		l.rgb[e] = lanesOf(uint64(k.decodedValue(int64(st[0]), p)), uint64(k.decodedValue(int64(st[1]), p)), uint64(k.decodedValue(int64(st[2]), p)))
		l.a[e] = uint64(k.decodedValue(int64(st[3]), p))
	}
}
