package bc7

import (
	"math"

	"github.com/assetcook/assetcook/internal/image/blockfit"
)

// guessPair estimates the errors of the two-line modes for a partition.
func (e *encoder) guessPair(p uint8) {
	if e.alpha {
		one := e.rows.momentsOfMask(pairs[p&63], true)
		zero := e.all.withoutPart(&one)
		all1, line1 := one.estimateResidue(true)
		all0, line0 := zero.estimateResidue(true)
		all, line := all0+all1, line0+line1
		e.guesses.Add(7, p, all-float64(line*kind7.along)+cost7)
		if off := all - line; off < e.hope.SSE {
			e.hope = blockfit.Guess{Mode: 7, Sub: p, SSE: off}
		}
		return
	}
	mask, r := pairs[p&63], &e.rows
	w, x, y, z := &r[0][mask&15], &r[1][mask>>4&15], &r[2][mask>>8&15], &r[3][mask>>12]
	sum, reds, rest, n := w.sum+x.sum+y.sum+z.sum, w.red+x.red+y.red+z.red, w.gb+x.gb+y.gb+z.gb, w.n+x.n+y.n+z.n
	all1, line1 := opaqueResidue(sum, reds, rest, n)
	all0, line0 := opaqueResidue(e.all.sum-sum, e.all.red-reds, e.all.gb-rest, e.all.n-n)
	all, line := all0+all1, line0+line1
	e.guesses.Add(1, p, all-float64(line*kind1.along)+cost1)
	e.guesses.Add(3, p, all-float64(line*kind3.along)+cost3)
}

// estimateResidue estimates the squared error of pixels whose line is not known yet. It returns
// their total scatter, and the part of the scatter along one line. This part is the norm of the
// covariance matrix, which approximates its largest eigenvalue. The norm is exact if all other
// eigenvalues are 0, otherwise slightly too large.
func (m *moments) estimateResidue(alpha bool) (all, line float64) {
	n := int64(m.pixelCount())
	r, g, b := red(m.sum), green(m.sum), blue(m.sum)
	rr, rg, rb := n*red(m.red)-r*r, n*green(m.red)-r*g, n*blue(m.red)-r*b
	gg, gb, bb := n*red(m.gb)-g*g, n*green(m.gb)-g*b, n*blue(m.gb)-b*b
	trace := rr + gg + bb
	squares := rr*rr + gg*gg + bb*bb + 2*(rg*rg+rb*rb+gb*gb)
	if alpha {
		sum, aa := m.alphaSums()
		a := int64(sum)
		ra, ga, ba := n*red(m.a)-r*a, n*green(m.a)-g*a, n*blue(m.a)-b*a
		aa2 := n*int64(aa) - a*a
		trace += aa2
		squares += aa2*aa2 + 2*(ra*ra+ga*ga+ba*ba)
	}
	per := perCount[n&31]
	return float64(trace) * per, math.Sqrt(float64(squares)) * per
}

// opaqueResidue is like estimateResidue, for pixels without alpha. Its parameters are fields of
// moments.
func opaqueResidue(sum, reds, rest, count uint64) (all, line float64) {
	n := int64(count >> countShift)
	r, g, b := red(sum), green(sum), blue(sum)
	rr, rg, rb := n*red(reds)-r*r, n*green(reds)-r*g, n*blue(reds)-r*b
	gg, gb, bb := n*red(rest)-g*g, n*green(rest)-g*b, n*blue(rest)-b*b
	per := perCount[n&31]
	return float64(float64(rr+gg+bb) * per), float64(math.Sqrt(float64(rr*rr+gg*gg+bb*bb+2*(rg*rg+rb*rb+gb*gb))) * per)
}

// perCount holds the reciprocals of pixel counts.
var perCount = func() (t [32]float64) {
	for n := 1; n <= 16; n++ {
		t[n] = 1 / float64(n)
	}
	return t
}()

// hopeful limits the partitions to try: the estimated error is at most this fraction of the
// smallest real error. The estimate assumes that colors are evenly distributed on their line and
// that four indices lose a ninth of their scatter. But near sharp edges and in flat icons, each
// subset has only two or three colors, which four indices represent without loss.
const hopeful = 0.45

// These are the squared errors that quantized endpoints add to a block, by mode.
const (
	cost1 = 24
	cost3 = 10
	cost4 = 100
	cost5 = 10
	cost6 = 10
	cost7 = 60
)

// guessScalarApart estimates the errors of modes 4 and 5 for a rotation.
func (e *encoder) guessScalarApart(rotation uint8, s *scatter) {
	t := *s
	scalar := s.aa
	inside := 1.0
	switch rotation {
	case 0:
		inside = e.px.alphaInside()
	case 1:
		scalar = s.rr
		t.rr, t.rg, t.rb = s.aa, s.ga, s.ba
	case 2:
		scalar = s.gg
		t.gg, t.rg, t.gb = s.aa, s.ra, s.ba
	case 3:
		scalar = s.bb
		t.bb, t.rb, t.gb = s.aa, s.ra, s.ga
	}
	all := t.rr + t.gg + t.bb
	line := math.Sqrt(float64(t.rr*t.rr) + float64(t.gg*t.gg) + float64(t.bb*t.bb) +
		2*(float64(t.rg*t.rg)+float64(t.rb*t.rb)+float64(t.gb*t.gb)))
	const per = 1.0 / 16
	all, line, scalar = float64(all*per), float64(line*per), float64(scalar*inside*per)
	e.guesses.Add(5, rotation, all-float64(line*color5.along)+float64(scalar*(1-scalar5.along))+cost5)
	e.guesses.Add(4, rotation, all-float64(line*color4.along)+float64(scalar*(1-scalar4.along))+cost4)
	e.guesses.Add(4, rotation|4, all-float64(line*color4long.along)+float64(scalar*(1-scalar4short.along))+cost4)
}

// alphaInside returns the fraction of pixels whose alpha is neither the smallest nor the largest in
// the block. Indices represent the smallest and largest alpha without loss.
func (b *block) alphaInside() float64 {
	least, most := b.a[0], b.a[0]
	for _, a := range &b.a {
		least, most = min(least, a), max(most, a)
	}
	inside := 0
	for _, a := range &b.a {
		if a != least && a != most {
			inside++
		}
	}
	return float64(inside) / 16
}

// fitRoughly fits a line through pixels. ls holds the sums for their initial indices. It alternates
// between solving for endpoints and choosing indices. The returned squared error omits the sum of
// the squares of the pixels. The error ignores the rounding of colors, so it is computed from sums
// without visiting each pixel.
func (e *encoder) fitRoughly(px *block, list []uint8, ls leastSquares, m *moments, k *kind, alpha bool, index *[16]uint8) (l line, sse int64) {
	channels := 3
	if alpha {
		channels = 4
	}
	l.solveLine(&ls, m, channels, k, false)
	for range int(k.width) / 2 {
		before := ls
		if alpha {
			px.assign4(list, &l, k, index, &ls)
		} else {
			assign3(&px.rgb, list, &l, k, index, &ls)
		}
		if ls == before {
			break
		}
		l.solveLine(&ls, m, channels, k, false)
	}
	return l, l.unroundedLoss(&ls, m, alpha)
}

// assign3 sets the index of the nearest position on the line for each listed pixel, and stores the
// least-squares sums in s.
func assign3(px *[16]uint64, list []uint8, l *line, k *kind, index *[16]uint8, s *leastSquares) {
	w := &packedWeights[k.width]
	d, first, scale := l.axis3(k)
	*s = leastSquares{}
	for _, i := range list {
		p := px[i&15]
		at := ((int64(d.projectColor(p))-first)*scale + 1<<23) >> 24
		at = max(0, min(at, k.levels-1))
		index[i&15] = uint8(at)
		ww := w[at&15]
		s.w += ww
		s.rgb += p * (ww & 127)
	}
}

// assign4 is assign3 with alpha.
func (b *block) assign4(list []uint8, l *line, k *kind, index *[16]uint8, s *leastSquares) {
	w := &packedWeights[k.width]
	d, first, scale := l.axis4(k)
	*s = leastSquares{}
	for _, i := range list {
		p, a := b.rgb[i&15], b.a[i&15]
		at := ((int64(d.at4(p, a))-first)*scale + 1<<23) >> 24
		at = max(0, min(at, k.levels-1))
		index[i&15] = uint8(at)
		ww := w[at&15]
		s.w += ww
		s.rgb += p * (ww & 127)
		s.a += a * (ww & 127)
	}
}

// unroundedLoss returns the squared error of pixels minus the sum of their squares. It assumes that
// colors between the endpoints are not rounded.
func (l *line) unroundedLoss(s *leastSquares, m *moments, alpha bool) int64 {
	n := int64(m.pixelCount())
	sw, sww := int64(s.w&(1<<32-1)), int64(s.w>>32)
	a, b := 64*64*n-2*64*sw+sww, 2*(64*sw-sww)
	of := func(u, v, x, y int64) int64 {
		y *= 64
		return u*(a*u+b*v-2*(64*64*x-y)) + v*(sww*v-2*y)
	}
	u, v := l.rgb[0], l.rgb[1]
	sum := of(red(u), red(v), red(m.sum), red(s.rgb)) +
		of(green(u), green(v), green(m.sum), green(s.rgb)) +
		of(blue(u), blue(v), blue(m.sum), blue(s.rgb))
	if alpha {
		all, _ := m.alphaSums()
		sum += of(int64(l.a[0]), int64(l.a[1]), int64(all), int64(s.a))
	}
	return sum >> 12
}
