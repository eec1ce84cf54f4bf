package texenc

import (
	"math"

	"github.com/assetcook/assetcook/internal/image/blockfit"
)

// A layout holds a block's colors, sorted along their principal axis. An encoding cuts this
// sequence into one part per index.
//
// The "cluster fit" of Simon Brown's squish (2006) searches over cuts instead of endpoints. The
// best endpoints for a cut follow by least squares from prefix sums of the sequence.
type layout struct {
	block *colorBlock // colors in sorted order
	mean  [3]float32
	// upTo holds the prefix sums of the colors, relative to their mean. This keeps the sums and the
	// rounding errors small.
	upTo [17][3]float32
}

func newLayout(c *colorBlock) layout {
	l := layout{block: c, mean: blockfit.Mean(c.pix[:c.n])}
	axis := blockfit.Axis(c.pix[:c.n])
	var along [16]float32
	for i, p := range c.pix[:c.n] {
		along[i] = blockfit.Dot(p, axis)
	}
	// Colors with equal keys stay in their order.
	for i := 1; i < c.n; i++ {
		for j := i; j > 0 && along[j] < along[j-1]; j-- {
			along[j], along[j-1] = along[j-1], along[j]
			c.pix[j], c.pix[j-1] = c.pix[j-1], c.pix[j]
			c.at[j], c.at[j-1] = c.at[j-1], c.at[j]
		}
	}
	for i, p := range c.pix[:c.n] {
		for k, x := range p {
			l.upTo[i+1][k] = l.upTo[i][k] + (x - l.mean[k])
		}
	}
	return l
}

// fitCuts returns the best line found with the given number of steps.
func (l *layout) fitCuts(steps int32, q Quality) colorLine {
	c := l.block
	first, last := c.pix[0], c.pix[c.n-1]
	line := colorsBetween(c, narrowColor(first), narrowColor(last), steps).refined(c, 2)
	if q == Fast || line.err == 0 {
		return line
	}
	climbed := l.climb(cutOf(&line, c.n), steps)
	line = line.improvesColors(l.lineOfCut(climbed, steps))
	if q == Best {
		line = line.improvesColors(l.lineOfCut(l.searchAll(climbed, steps), steps)).stepColors(c)
	}
	return line
}

// lineOfCut returns the best line for the given cuts.
func (l *layout) lineOfCut(cuts cut, steps int32) colorLine {
	a, b, _, ok := l.tryCut(cuts, steps, math.MaxFloat32)
	if !ok {
		return colorLine{err: math.MaxFloat32}
	}
	return colorsBetween(l.block, a, b, steps).refined(l.block, 4)
}

// A cut holds the starts of the second and later parts of the sequence, in ascending order. With
// two steps, the last element is the end of the sequence.
type cut [3]int

func cutOf(l *colorLine, n int) cut {
	var counts [4]int
	for _, k := range l.index[:n] {
		counts[k]++
	}
	return cut{counts[0], counts[0] + counts[1], counts[0] + counts[1] + counts[2]}
}

// climb moves the cuts by one color at a time, as long as this reduces the error.
func (l *layout) climb(c cut, steps int32) cut {
	n := l.block.n
	best := float32(math.MaxFloat32)
	if _, _, err, ok := l.tryCut(c, steps, best); ok {
		best = err
	}
	for range 16 {
		from := c
		for i := range int(steps) {
			for _, d := range [2]int{-1, 1} {
				next := from
				next[i] += d
				low, high := 0, n
				if i > 0 {
					low = next[i-1]
				}
				if i+1 < int(steps) {
					high = next[i+1]
				}
				if next[i] < low || next[i] > high {
					continue
				}
				if _, _, err, ok := l.tryCut(next, steps, best); ok && err < best {
					c, best = next, err
				}
			}
		}
		if c == from {
			break
		}
	}
	return c
}

// searchAll returns the best cut. It tries all 969 cuts of sixteen colors into four parts, or all
// 153 cuts into three.
func (l *layout) searchAll(best cut, steps int32) cut {
	least, n := float32(math.MaxFloat32), l.block.n
	if _, _, err, ok := l.tryCut(best, steps, least); ok {
		least = err
	}
	for i := 0; i <= n; i++ {
		for j := i; j <= n; j++ {
			last := n
			if steps == 2 {
				last = j
			}
			for k := j; k <= last; k++ {
				c := cut{i, j, k}
				if steps == 2 {
					c[2] = n
				}
				if _, _, err, ok := l.tryCut(c, steps, least); ok && err < least {
					best, least = c, err
				}
			}
		}
	}
	return best
}

// tryCut returns the best quantized endpoints for a cut. err is their squared error minus the error
// of the mean color. ok is false if all colors are in one part, or if err would reach the parameter
// most.
func (l *layout) tryCut(c cut, steps int32, most float32) (a, b color565, err float32, ok bool) {
	n := l.block.n
	var s sums
	p, q := &l.upTo[c[0]], &l.upTo[c[1]]
	n0, n1, n2 := int32(c[0]), int32(c[1]-c[0]), int32(n-c[1])
	if steps == 3 {
		r := &l.upTo[c[2]]
		n3 := int32(n - c[2])
		n2 -= n3
		s.aa, s.ab, s.bb = 9*n0+4*n1+n2, 2*n1+2*n2, n1+4*n2+9*n3
		s.a = [3]float32{p[0] + q[0] + r[0], p[1] + q[1] + r[1], p[2] + q[2] + r[2]}
	} else {
		s.aa, s.ab, s.bb = 4*n0+n1, n1, n1+4*n2
		s.a = [3]float32{p[0] + q[0], p[1] + q[1], p[2] + q[2]}
	}
	det := s.aa*s.bb - s.ab*s.ab
	if det == 0 {
		return a, b, 0, false
	}
	// Relative to the mean, the colors sum to 0. So both endpoints are on a line through the mean.
	// The error before rounding the endpoints is a lower bound for the result.
	one := 1 / float32(det)
	if -float32(blockfit.Dot(s.a, s.a)*float32(s.aa+2*s.ab+s.bb))*one >= most {
		return a, b, 0, false
	}
	s.b = [3]float32{-s.a[0], -s.a[1], -s.a[2]}
	toA, toB := float32(steps*(s.bb+s.ab))*one, float32(steps*(s.aa+s.ab))*one
	var from, to [3]float32
	for k, x := range s.a {
		from[k] = l.mean[k] + float32(toA*x)
		to[k] = l.mean[k] - float32(toB*x)
	}
	a, b = narrowColor(from), narrowColor(to)
	return a, b, s.errorOfEnds(minusColor(a.widenColor(), l.mean), minusColor(b.widenColor(), l.mean), steps), true
}

func minusColor(a, b [3]float32) [3]float32 { return [3]float32{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// sums holds least-squares sums over the colors p of a block. Each color is k of n steps away from
// endpoint a toward endpoint b. Endpoint a has the weight n-k, and b has the weight k.
type sums struct {
	aa, ab, bb int32
	a, b       [3]float32
}

func (s *sums) addWeighted(k, n int32, p *[3]float32) {
	s.aa += (n - k) * (n - k)
	s.ab += k * (n - k)
	s.bb += k * k
	for i, x := range p {
		s.a[i] += float32(float32(n-k) * x)
		s.b[i] += float32(float32(k) * x)
	}
}

// bestEnds returns the two endpoints with the smallest error. It returns false if the solution is
// not unique.
func (s *sums) bestEnds(n int32) (a, b [3]float32, ok bool) {
	det := s.aa*s.bb - s.ab*s.ab
	if det == 0 {
		return a, b, false
	}
	scale := float32(n) / float32(det)
	aa, ab, bb := float32(s.aa)*scale, float32(s.ab)*scale, float32(s.bb)*scale
	for i := range 3 {
		a[i] = float32(bb*s.a[i]) - float32(ab*s.b[i])
		b[i] = float32(aa*s.b[i]) - float32(ab*s.a[i])
	}
	return a, b, true
}

// errorOfEnds returns the squared error of the given endpoints, minus the sum of the colors'
// squares, which is the same for all endpoints.
func (s *sums) errorOfEnds(a, b [3]float32, n int32) float32 {
	one := 1 / float32(n)
	aa, ab, bb := float32(s.aa)*one*one, 2*float32(s.ab)*one*one, float32(s.bb)*one*one
	var e float32
	for i := range 3 {
		e += float32(float32(aa*a[i])*a[i]) + float32(float32(ab*a[i])*b[i]) + float32(float32(bb*b[i])*b[i])
		e -= float32(float32(2*one) * (float32(a[i]*s.a[i]) + float32(b[i]*s.b[i])))
	}
	return e
}
