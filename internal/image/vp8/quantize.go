package vp8

import "math"

// A quantizer holds the quantizer steps for one kind of block.
type quantizer struct {
	step    [2]int32 // steps of the first coefficient, and of all other coefficients
	inverse [2]int64 // 1/step, in units of 2^-32
	// scale converts a squared error of coefficients to a squared error of pixels: the factor is
	// 2^(scale-16).
	scale uint
}

func newQuantizer(dc, ac int32, scale uint) quantizer {
	q := quantizer{step: [2]int32{dc, ac}, scale: scale}
	for i, step := range q.step {
		q.inverse[i] = (1<<32 + int64(step) - 1) / int64(step)
	}
	return q
}

// stepOf returns the index of the step of the n-th coefficient.
func stepOf(n int) int { return min(n, 1) }

// roundDown quantizes coefficients. It rounds a level up if the remainder is at least from/256 of a
// step.
func (q *quantizer) roundDown(in *spectrum, kind int, from int64, out *levels) {
	*out = levels{}
	for n := first(kind); n < 16; n++ {
		i := stepOf(n)
		c := int64(in[zigzag[n]])
		size := min(maxLevel, (max(c, -c)*q.inverse[i]+(256-from)<<24)>>32)
		if c < 0 {
			size = -size
		}
		out[n] = int16(size)
	}
}

// restore dequantizes levels.
func (q *quantizer) restore(l *levels, out *spectrum) {
	for n, v := range l {
		out[zigzag[n]] = int32(v) * q.step[stepOf(n)]
	}
}

// A path is the best choice of levels so far that ends in a given context.
type path struct {
	score int64
	took  levels
}

// search quantizes coefficients to the levels with the least sum of error and cost. Each level is
// the nearest one, or one less. The squared error that is worth one bit is lambda/256.
func (q *quantizer) search(in *spectrum, t *tariff, kind, context int, lambda int64, out *levels) {
	start := first(kind)
	var nearest [16]int32
	var tail [17]int64 // error if coefficient n and all later ones become 0
	last := start - 1
	for n := 15; n >= start; n-- {
		i := stepOf(n)
		c := in[zigzag[n]]
		size := magnitude(c)
		nearest[n] = min(maxLevel, int32((int64(size)*q.inverse[i]+1<<31)>>32))
		if nearest[n] > 0 && last < start {
			last = n
		}
		tail[n] = tail[n+1] + int64(size)*int64(size)<<q.scale
	}
	best, bestLevels := tail[start]+lambda*int64(t.end[kind][bands[start]][context]), levels{}
	const never = math.MaxInt64 / 2
	paths := [3]path{{score: never}, {score: never}, {score: never}}
	paths[context] = path{}
	if context == 0 {
		paths[0].score = lambda * int64(t.begin[kind][bands[start]])
	}
	for n := start; n <= last; n++ {
		next := [3]path{{score: never}, {score: never}, {score: never}}
		size, step := int64(magnitude(in[zigzag[n]])), int64(q.step[stepOf(n)])
		for v := nearest[n]; v >= max(0, nearest[n]-1); v-- {
			off := size - int64(v)*step
			lost := off * off << q.scale
			c := min(v, 2)
			for from := range paths {
				p := &paths[from]
				if p.score >= never {
					continue
				}
				bits := int64(t.level[kind][bands[n]][from][min(v, largeLevel)]) + int64(t.rest[v])
				if s := p.score + lost + lambda*bits; s < next[c].score {
					next[c].score = s
					next[c].took = p.took
					next[c].took[n] = int16(v)
				}
			}
		}
		paths = next
		for c := 1; c <= 2; c++ {
			s := paths[c].score + tail[n+1]
			if n < 15 {
				s += lambda * int64(t.end[kind][bands[n+1]][c])
			}
			if s < best {
				best, bestLevels = s, paths[c].took
			}
		}
	}
	for n := range bestLevels {
		if in[zigzag[n]] < 0 {
			bestLevels[n] = -bestLevels[n]
		}
	}
	*out = bestLevels
}

// A strength holds a quantizer and lambda for each kind of block.
type strength struct {
	quantizer [blockKinds]quantizer
	lambda    [blockKinds]int64 // squared error that is worth one bit, in 1/256
	index     int
}

// newStrength returns the strength for a quantizer index from 0 to 127.
func newStrength(index int) strength {
	dc := func(i int) int32 { return int32(dcSteps[min(127, max(0, i))]) }
	ac := int32(acSteps[index])
	luma := newQuantizer(dc(index), ac, 14)
	s := strength{index: index}
	for kind := range s.lambda {
		s.lambda[kind] = lambdaScale * int64(ac) * int64(ac)
	}
	s.lambda[chroma] = s.lambda[lumaRest] / chromaWeight
	s.quantizer[lumaRest], s.quantizer[lumaWhole] = luma, luma
	s.quantizer[lumaMeans] = newQuantizer(2*dc(index), max(8, ac*155/100), 12)
	s.quantizer[chroma] = newQuantizer(min(132, dc(index-chromaFiner)), int32(acSteps[max(0, index-chromaFiner)]), 14)
	return s
}

// These numbers were chosen on textures and photos, for the smallest files at equal PSNR of red, green
// and blue.
const (
	lambdaScale  = 4   // lambda for a step of 1, in 1/256
	searchShare  = 3   // factor of lambda in the search for levels, in quarters
	chromaWeight = 3   // lambda of chroma is divided by this, because an error of chroma changes four pixels
	chromaFiner  = 4   // difference between the quantizer indexes of luma and chroma
	roundUp      = 150 // smallest remainder that is rounded up without a search, in 1/256 of a step
	roughScale   = 8   // shift of roughSize in the ranking of modes
	roughPrice   = 4   // divisor of a mode's length in the ranking of modes
)
