package uastc

import (
	"math"
)

// whole lists all sixteen pixels of a block.
var whole = []uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// newIndices returns a table for each number of index bits. For each position in 1024ths, a table
// holds the index with the nearest weight.
func newIndices() (t [6][1025]uint8) {
	for width := 1; width < len(t); width++ {
		w := &weights[width]
		best := 0
		for at := range t[width] {
			// The condition compares twice the position with twice the midpoint of two weights.
			for best+1 < 1<<width && 2*at > 16*(int(w[best])+int(w[best+1])) {
				best++
			}
			t[width][at] = uint8(best)
		}
	}
	return t
}

// A kind is a storage format for a line. It has the quantization of endpoints, the number of index
// bits, and whether red, green and blue are stored as one value.
type kind struct {
	scale *scale
	width uint8
	gray  bool
}

func (l *layout) lineKind() kind { return kind{l.ends, l.weight, l.channels < 3} }

// A line holds the quantized endpoints of a subset, and the indices of its pixels.
type line struct {
	ends  [2][4]uint8
	index [16]uint8
	sse   int32
}

// fitList fits a line to the listed pixels, whose moments are m. channels has a bit for each
// channel to fit. Other channels must be 0 in the pixels, and are stored as 0.
func (e *encoder) fitList(px *[16]point, list []uint8, m *moments, channels uint8, k kind) line {
	s := m.scatterOfChannels(channels)
	v := s.principalVector()
	d := v.roundedAxis()
	ls := placePoints(px, list, &d, k.width)
	best := line{sse: math.MaxInt32}
	e.refineLine(px, list, ls, channels, k, false, &best)
	if e.effort.thorough {
		e.refineLine(px, list, ls, channels, k, true, &best)
		if int64(best.sse) < e.sse+e.sse/4 {
			polish(px, list, channels, k, &best)
		}
	}
	return best
}

// polish changes single channels of endpoints by one quantized value at a time, as long as this
// reduces the error. This is needed because least squares ignores the rounding of colors between
// the endpoints.
func polish(px *[16]point, list []uint8, channels uint8, k kind, best *line) {
	var ls leastSquares
	for better := true; better && best.sse > 0; {
		better = false
		for at := range 8 {
			end, c := at>>2, at&3
			if channels>>c&1 == 0 || k.gray && (c == 1 || c == 2) {
				continue
			}
			v := k.scale.value[best.ends[end][c]]
			for _, stored := range [2]uint8{k.scale.below[max(v, 1)-1], k.scale.above[min(v, 254)+1]} {
				l := *best
				l.ends[end][c] = stored
				if k.gray && c == 0 {
					l.ends[end][1], l.ends[end][2] = stored, stored
				}
				if chooseWeights(px, list, &l, k, &ls); l.sse < best.sse {
					*best, better = l, true
				}
			}
		}
	}
}

// refineLine alternates between solving for endpoints and choosing indices, as long as this reduces
// the error.
func (e *encoder) refineLine(px *[16]point, list []uint8, ls leastSquares, channels uint8, k kind, thorough bool, best *line) {
	for range e.effort.rounds {
		l := ls.solveSums(channels, k.scale, thorough)
		chooseWeights(px, list, &l, k, &ls)
		if l.sse >= best.sse {
			break
		}
		*best = l
		if l.sse == 0 {
			break
		}
	}
}

// leastSquares holds the sums that solveSums computes endpoints from. For some pixels, it sums the
// weights of the second endpoint, their squares, the colors, and the products of weights and
// colors.
type leastSquares struct {
	n, w, ww int32
	sum      point
	weighed  point
}

func (s *leastSquares) addSample(p *point, w int32) {
	s.n++
	s.w += w
	s.ww += w * w
	for c := range 4 {
		s.sum[c] += p[c]
		s.weighed[c] += w * p[c]
	}
}

// placePoints sets the initial indices of pixels: their positions between the outermost pixels
// along an axis.
func placePoints(px *[16]point, list []uint8, d *axis, width uint8) (s leastSquares) {
	var at [16]int32
	least, most := int32(math.MaxInt32), int32(math.MinInt32)
	for _, i := range list {
		t := d.projectPoint(&px[i&15])
		at[i&15] = t
		least, most = min(least, t), max(most, t)
	}
	var per int64
	if most > least {
		per = 1 << 42 / int64(most-least)
	}
	for _, i := range list {
		t := (int64(at[i&15]-least)*per + 1<<31) >> 32
		s.addSample(&px[i&15], int32(weights[width][indexAt[width][t]]))
	}
	return s
}

// chooseWeights sets the index of the nearest color on the line for each listed pixel. It computes
// the line's error and least-squares sums.
func chooseWeights(px *[16]point, list []uint8, l *line, k kind, ls *leastSquares) {
	var u, d point
	for c := range 4 {
		u[c] = int32(k.scale.value[l.ends[0][c]])
		d[c] = int32(k.scale.value[l.ends[1][c]]) - u[c]
	}
	var colors [32]point
	w := &weights[k.width]
	for i := range 1 << k.width {
		for c := range 4 {
			// The result is the same as blendWide's, but is computed from one endpoint and its
			// difference from the other endpoint.
			colors[i&31][c] = (64*257*u[c] + 257*int32(w[i&31])*d[c] + 32) >> 14
		}
	}
	length := d[0]*d[0] + d[1]*d[1] + d[2]*d[2] + d[3]*d[3]
	var per int64
	if length > 0 {
		per = 1 << 42 / int64(length)
	}
	first := u[0]*d[0] + u[1]*d[1] + u[2]*d[2] + u[3]*d[3]
	table := &indexAt[k.width]
	*ls = leastSquares{}
	var sse int32
	for _, i := range list {
		p := &px[i&15]
		t := (int64(p[0]*d[0]+p[1]*d[1]+p[2]*d[2]+p[3]*d[3]-first)*per + 1<<31) >> 32
		at := table[max(0, min(t, 1024))]
		l.index[i&15] = at
		q := &colors[at&31]
		r, g, b, a := p[0]-q[0], p[1]-q[1], p[2]-q[2], p[3]-q[3]
		sse += r*r + g*g + b*b + a*a
		ls.addSample(p, int32(w[at&31]))
	}
	l.sse = sse
}

// solveSums returns the best endpoints for the current indices: the least-squares solution, rounded
// to the scale. If thorough is set, it tries two ways to round the first endpoint.
//
// With weights w in 64ths, a channel's endpoints u and v minimize the sum of ((64-w)u + wv - 64x)^2
// = Auu + 2Buv + Cvv - 2(Xu + Yv) + constant. Each quantized u near the optimum has its own best v,
// so the second endpoint compensates for the rounding of the first.
func (s *leastSquares) solveSums(channels uint8, k *scale, thorough bool) (l line) {
	n, w, ww := int64(s.n), int64(s.w), int64(s.ww)
	q := quadratic{A: 64*64*n - 128*w + ww, B: 64*w - ww, C: ww, scale: k}
	det := q.A*q.C - q.B*q.B
	weighed := s.weighed
	if det == 0 {
		// If all indices are equal, the solution is not unique. Two equal endpoints give the same
		// color at every index.
		q.A, q.B, q.C = 64*32*n, 0, 64*32*n
		det = q.A * q.C
		for c := range weighed {
			weighed[c] = 32 * s.sum[c]
		}
	}
	q.perC = 1 / float64(max(q.C, 1))
	perDet := 1 / float64(det)
	for c := range 4 {
		if channels>>c&1 == 0 {
			continue
		}
		q.Y = 64 * int64(weighed[c])
		q.X = 64*64*int64(s.sum[c]) - q.Y
		u := clampByte(float64(float64(q.X*q.C-q.Y*q.B) * perDet))
		at := int(u)
		if !thorough {
			l.ends[0][c], l.ends[1][c], _ = q.bestSecondEnd(k.nearest[int(u+0.5)&255])
			continue
		}
		least := int64(math.MaxInt64)
		for _, first := range [2]uint8{k.below[at&255], k.above[min(at+1, 255)]} {
			if f, g, sse := q.bestSecondEnd(first); sse < least {
				l.ends[0][c], l.ends[1][c], least = f, g, sse
			}
		}
	}
	return l
}

func clampByte(x float64) float64 { return max(0, min(x, 255)) }

// A quadratic holds the coefficients of a channel's squared error as a function of its endpoints.
type quadratic struct {
	A, B, C, X, Y int64
	perC          float64
	scale         *scale
}

// bestSecondEnd returns a quantized first endpoint, the second endpoint that suits it best, and the
// error of this pair without the constant.
func (q *quadratic) bestSecondEnd(first uint8) (s0, s1 uint8, sse int64) {
	u := int64(q.scale.value[first])
	v := clampByte(float64(float64(q.Y-q.B*u)*q.perC) + 0.5)
	second := q.scale.nearest[int(v)&255]
	w := int64(q.scale.value[second])
	return first, second, u*(q.A*u+2*(q.B*w-q.X)) + w*(q.C*w-2*q.Y)
}

// A scale is the quantization of an endpoint channel. A code has some bits, and possibly a trit or
// a quint above them. Codes are not sorted by value.
//
// Source: Khronos Data Format Specification, "Endpoint Unquantization".
type scale struct {
	bits    uint8 // number of bits below the digit
	base    uint8 // base of the digit: 3 for trits, 5 for quints, 1 for neither
	value   [256]uint8
	nearest [256]uint8 // code of the value nearest to each byte
	below   [256]uint8 // code of the largest value that is at most the byte
	above   [256]uint8 // code of the smallest value that is at least the byte
}

// storableLevels returns the number of codes of a scale.
func (s *scale) storableLevels() int { return int(s.base) << s.bits }

// tabulateScale computes the tables of a scale.
func tabulateScale(bits, base uint8) *scale {
	s := &scale{bits: bits, base: base}
	for stored := range s.storableLevels() {
		s.value[stored] = s.unquantize(uint8(stored))
	}
	var known [256]bool
	for stored := range s.storableLevels() {
		v := s.value[stored]
		known[v], s.below[v], s.above[v] = true, uint8(stored), uint8(stored)
	}
	for v := 1; v < 256; v++ { // 0 and 255 are values of every scale
		if !known[v] {
			s.below[v] = s.below[v-1]
		}
		if !known[255-v] {
			s.above[255-v] = s.above[256-v]
		}
	}
	for v := range s.nearest {
		s.nearest[v] = s.below[v]
		if int(s.value[s.above[v]])-v < v-int(s.value[s.below[v]]) {
			s.nearest[v] = s.above[v]
		}
	}
	return s
}

// unquantize returns the value of a code, 0 to 255.
func (s *scale) unquantize(stored uint8) uint8 {
	low := uint(stored) & (1<<s.bits - 1)
	if s.base == 1 {
		// Repeat the bits from the top down.
		v, n := low<<8>>s.bits, uint(s.bits)
		for ; n < 8; n += uint(s.bits) {
			v |= low << 8 >> (n + uint(s.bits))
		}
		return uint8(v)
	}
	digit := uint(stored) >> s.bits
	// The bits above the lowest are spread over nine bits, and the digit times a factor is added.
	// The lowest bit inverts the result.
	var spread, step uint
	x := low >> 1
	switch {
	case s.bits == 2 && s.base == 3: // bit pattern b000b0bb0
		spread, step = x<<8|x<<4|x<<2|x<<1, 93
	case s.bits == 3 && s.base == 5: // bit pattern cb0000cbc
		spread, step = x<<7|x<<1|x>>1, 26
	case s.bits == 4 && s.base == 3: // bit pattern dcb000dcb
		spread, step = x<<6|x, 22
	case s.bits == 5 && s.base == 5: // bit pattern edcb0000e
		spread, step = x<<5|x>>3, 6
	case s.bits == 6 && s.base == 3: // bit pattern fedcb000f
		spread, step = x<<4|x>>4, 5
	}
	v := digit*step + spread
	if low&1 != 0 {
		v ^= 511
		return uint8(128 | v>>2)
	}
	return uint8(v >> 2)
}
