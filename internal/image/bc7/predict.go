package bc7

import (
	"math"

	"github.com/assetcook/assetcook/internal/image/blockfit"
)

// guessPair guesses at the modes of two lines with a partition.
func (e *encoder) guessPair(p uint8) {
	if e.alpha {
		one := e.rows.of(pairs[p&63], true)
		zero := e.all.without(&one)
		all1, line1 := one.residue(true)
		all0, line0 := zero.residue(true)
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

// residue returns an estimate of the squared error of pixels before their line is found:
// their whole scatter, and the part of it along one line. The length of the covariance
// matrix stands for its greatest eigenvalue. They are equal if all other eigenvalues are 0,
// and the length is little above if they are small.
func (m *moments) residue(alpha bool) (all, line float64) {
	n := int64(m.count())
	r, g, b := red(m.sum), green(m.sum), blue(m.sum)
	rr, rg, rb := n*red(m.red)-r*r, n*green(m.red)-r*g, n*blue(m.red)-r*b
	gg, gb, bb := n*red(m.gb)-g*g, n*green(m.gb)-g*b, n*blue(m.gb)-b*b
	trace := rr + gg + bb
	squares := rr*rr + gg*gg + bb*bb + 2*(rg*rg+rb*rb+gb*gb)
	if alpha {
		sum, aa := m.alpha()
		a := int64(sum)
		ra, ga, ba := n*red(m.a)-r*a, n*green(m.a)-g*a, n*blue(m.a)-b*a
		aa2 := n*int64(aa) - a*a
		trace += aa2
		squares += aa2*aa2 + 2*(ra*ra+ga*ga+ba*ba)
	}
	per := perCount[n&31]
	return float64(trace) * per, math.Sqrt(float64(squares)) * per
}

// opaqueResidue is residue without alpha, of the fields of moments.
func opaqueResidue(sum, reds, rest, count uint64) (all, line float64) {
	n := int64(count >> countShift)
	r, g, b := red(sum), green(sum), blue(sum)
	rr, rg, rb := n*red(reds)-r*r, n*green(reds)-r*g, n*blue(reds)-r*b
	gg, gb, bb := n*red(rest)-g*g, n*green(rest)-g*b, n*blue(rest)-b*b
	per := perCount[n&31]
	return float64(float64(rr+gg+bb) * per), float64(math.Sqrt(float64(rr*rr+gg*gg+bb*bb+2*(rg*rg+rb*rb+gb*gb))) * per)
}

// perCount has the reciprocals of numbers of pixels.
var perCount = func() (t [32]float64) {
	for n := 1; n <= 16; n++ {
		t[n] = 1 / float64(n)
	}
	return t
}()

// hopeful bounds the error of a pair without index errors, as a part of the best real
// error, for the pair to be tried. guessPair counts on colors spread evenly on their line,
// which lose a ninth of that with four indices; but cut edges and flat icons have two or
// three colors on each side, which lose nothing.
const hopeful = 0.45

// Squared error of a block by rounded ends, in each mode.
const (
	cost1 = 24
	cost3 = 10
	cost4 = 100
	cost5 = 10
	cost6 = 10
	cost7 = 60
)

// guessApart guesses at the modes 4 and 5 under a rotation.
func (e *encoder) guessApart(rotation uint8, s *scatter) {
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

// alphaInside returns the part of the pixels whose alpha is neither the least nor the most
// in the block. The extreme pixels lose nothing between the levels of indices, as in
// cut-out pictures.
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
