package pixmap

import (
	"context"
	"errors"
)

// The box filter for maps of eight bits averages the pixels of the larger level that a pixel
// covers. On an even side these are two pixels. On an odd side n = 2m+1 a pixel covers n/m pixels,
// that is parts of three: the i-th has the weights (m-i)/n, m/n and (i+1)/n (NVIDIA,
// "Non-power-of-two mipmapping").
//
// Each level is made from the sixteen bits of the level before, not from its rounded bytes, and as
// soon as the needed rows exist. So a row goes through all levels while it is in the cache, and no
// level is held in sixteen bits.

// A pyramid averages level by level.
type pyramid struct {
	curve  *curve     // of colors
	weigh  bool       // weigh colors by their alpha
	narrow narrowFunc // stores a row of a level
	stages []boxStage
	last   []texel // a row of the last level
	err    error   // the error of passing on a band
	// odd and two are oddChannels and 2*oddOnes. The compiler would load constants again for every
	// texel.
	odd, two uint64
	sums     [3][256]uint64 // the curve in fourBytes's layout: red, green, blue
}

// narrowFunc stores a row of texels as bytes.
type narrowFunc func(dst []byte, src []texel)

// A boxStage makes one level from the level before.
type boxStage struct {
	w, h int        // of the level before
	rows [3][]texel // its last rows: row y is rows[y%3]
	made *bander    // gathers the made level
}

// build sends all rows of m through the stages.
func (p *pyramid) build(ctx context.Context, m *Map) error {
	first := &p.stages[0]
	direct := m.W%2 == 0 && m.H%2 == 0
	for y := range m.H {
		if err := ctx.Err(); err != nil || p.err != nil {
			return errors.Join(err, p.err)
		}
		row := m.Pix8[4*m.W*y : 4*m.W*(y+1)]
		switch {
		case !direct:
			p.widen(first.rows[y%3], row)
			p.push(0, y)
		case y%2 == 1:
			out := p.target(0, y/2)
			p.fourBytes(out, m.Pix8[4*m.W*(y-1):4*m.W*y], row)
			p.emit(0, y/2, out)
		}
	}
	return p.err
}

// newPyramid returns a pyramid for the levels below m that the banders gather.
func newPyramid(m *Map, banders []*bander, s Sampling) *pyramid {
	p := &pyramid{
		curve: evenCurve(), weigh: s.weighs(), stages: make([]boxStage, len(banders)),
		odd: oddChannels, two: 2 * oddOnes,
	}
	if s.Color == SRGB {
		p.curve = srgbCurve()
	}
	for i, v := range p.curve.wide {
		p.sums[0][i], p.sums[1][i], p.sums[2][i] = uint64(v), uint64(v)<<14, uint64(v)<<32
	}
	p.narrow = p.narrowColors
	if s.Normal {
		p.narrow = narrowNormals
	}
	w, h := m.W, m.H
	for i := range p.stages {
		s := &p.stages[i]
		s.w, s.h = w, h
		for j := range s.rows {
			s.rows[j] = make([]texel, w)
		}
		w, h = max(1, w/2), max(1, h/2)
		s.made = banders[i]
	}
	p.last = make([]texel, w)
	return p
}

// target returns the buffer for row y of stage i's level.
func (p *pyramid) target(i, y int) []texel {
	if i+1 < len(p.stages) {
		return p.stages[i+1].rows[y%3]
	}
	return p.last // nobody reads it
}

// push tells stage i that its input row y is ready.
func (p *pyramid) push(i, y int) {
	s := &p.stages[i]
	down, ok := tapsEndingAt(s.h, y)
	if !ok {
		return
	}
	row := y / 2
	if down.count == 3 {
		row = y/2 - 1
	}
	out := p.target(i, row)
	if s.w%2 == 0 && s.h%2 == 0 {
		p.four(out, s.rows[(y+2)%3], s.rows[y%3])
	} else {
		var in [3][]texel
		for j := range down.count {
			in[j] = s.rows[(down.first+j)%3]
		}
		p.weighted(out, in, down, s.w)
	}
	p.emit(i, row, out)
}

// emit stores a row made by stage i and passes it on.
func (p *pyramid) emit(i, y int, row []texel) {
	if p.err != nil {
		return
	}
	made := p.stages[i].made
	p.narrow(made.rows.Band(made.rowInBand(y), 1).Pix8, row)
	p.err = made.stored()
	if i+1 < len(p.stages) {
		p.push(i+1, y)
	}
}

// taps are the pixels along one side that a pixel of the next level covers.
type taps struct {
	first, count int
	weight       [3]uint64
	total        uint64
}

// tapsOf returns the taps of pixel i of the level below a side of n.
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

// tapsEndingAt returns the taps whose last pixel is y, on a side of n.
func tapsEndingAt(n, y int) (taps, bool) {
	switch {
	case n == 1:
		return tapsOf(n, 0), true
	case n%2 == 0:
		return tapsOf(n, y/2), y%2 == 1
	}
	return tapsOf(n, y/2-1), y%2 == 0 && y > 0
}
