package pixmap

import (
	"context"
	"encoding/binary"
	"errors"
)

// The box filter for maps of eight bits averages the pixels of the larger level that a pixel
// covers. If a side has an even length, these are two pixels. If its length is odd, n = 2m+1, a
// pixel covers parts of three pixels. The i-th pixel covers n/m pixels; the three weights are
// (m-i)/n, m/n and (i+1)/n (NVIDIA, "Non-power-of-two mipmapping").
//
// Each level is computed from the 16-bit values of the previous level, not from its rounded bytes.
// A row is computed as soon as the needed rows exist. So rows pass through all levels while they
// are in the cache, and no level is stored in 16 bits.

// A pyramid computes mip levels, each by averaging the previous one.
type pyramid struct {
	curve  *curve     // transfer curve of the colors
	weigh  bool       // true to weight colors by their alpha
	narrow narrowFunc // converts a row of a level to bytes
	stages []boxStage
	last   []texel // row buffer of the smallest level
	err    error   // first error returned by the caller's function take
	// The fields odd and two hold oddChannels and 2*oddOnes. Constants would be loaded again for
	// every texel.
	odd, two uint64
	sums     [3][256]uint64 // the curve's value for each byte, shifted as fourBytes needs it for red, green and blue
}

// narrowFunc converts a row of texels to bytes.
type narrowFunc func(dst []byte, src []texel)

// A boxStage computes one level from the previous level.
type boxStage struct {
	w, h int        // size of the previous level
	rows [3][]texel // the last three rows of the previous level; row y is rows[y%3]
	made *bander    // receives the computed level
}

// buildLevels passes all rows of m to the first stage, which computes all levels.
func (p *pyramid) buildLevels(ctx context.Context, m *Map) error {
	first := &p.stages[0]
	direct := m.W%2 == 0 && m.H%2 == 0
	for y := range m.H {
		if err := ctx.Err(); err != nil || p.err != nil {
			return errors.Join(err, p.err)
		}
		row := m.Pix8[4*m.W*y : 4*m.W*(y+1)]
		switch {
		case !direct:
			p.widenTexels(first.rows[y%3], row)
			p.pushRow(0, y)
		case y%2 == 1:
			out := p.targetRow(0, y/2)
			p.fourBytes(out, m.Pix8[4*m.W*(y-1):4*m.W*y], row)
			p.emit(0, y/2, out)
		}
	}
	return p.err
}

// newPyramid returns a pyramid that computes the levels below m and stores them in the banders.
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

// targetRow returns the buffer for row y of the level that stage i computes.
func (p *pyramid) targetRow(i, y int) []texel {
	if i+1 < len(p.stages) {
		return p.stages[i+1].rows[y%3]
	}
	return p.last // no stage reads this row
}

// pushRow passes the complete input row y to stage i.
func (p *pyramid) pushRow(i, y int) {
	s := &p.stages[i]
	down, ok := tapsEndingAt(s.h, y)
	if !ok {
		return
	}
	row := y / 2
	if down.count == 3 {
		row = y/2 - 1
	}
	out := p.targetRow(i, row)
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

// emit stores a row computed by stage i and passes it to the next stage.
func (p *pyramid) emit(i, y int, row []texel) {
	if p.err != nil {
		return
	}
	made := p.stages[i].made
	p.narrow(made.rows.Band(made.rowInBand(y), 1).Pix8, row)
	p.err = made.countStored()
	if i+1 < len(p.stages) {
		p.pushRow(i+1, y)
	}
}

// taps are the pixels along one axis that a pixel of the next level covers.
type taps struct {
	first, count int
	weight       [3]uint64
	total        uint64
}

// tapsOf returns the taps of pixel i of the next level, for a side of n pixels.
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

// tapsEndingAt returns the taps whose last pixel is y, for a side of n pixels.
func tapsEndingAt(n, y int) (taps, bool) {
	switch {
	case n == 1:
		return tapsOf(n, 0), true
	case n%2 == 0:
		return tapsOf(n, y/2), y%2 == 1
	}
	return tapsOf(n, y/2-1), y%2 == 0 && y > 0
}

// A texel is a pixel with 16 bits per channel in one word: red in the lowest bits, alpha in the
// highest. With every other channel masked out, the sum of four texels does not overflow.
type texel = uint64

const (
	oddChannels = 0x0000ffff_0000ffff
	oddOnes     = 0x00000001_00000001
)

// widenTexels converts a row of bytes to texels; narrowColors converts a row of texels to bytes.
func (p *pyramid) widenTexels(dst []texel, src []byte) {
	for i := range dst {
		s := src[4*i : 4*i+4 : 4*i+4]
		dst[i] = texel(p.curve.wide[s[0]]) | texel(p.curve.wide[s[1]])<<16 |
			texel(p.curve.wide[s[2]])<<32 | texel(s[3])*257<<48
	}
}

func (p *pyramid) narrowColors(dst []byte, src []texel) {
	colors := &p.curve.narrow
	k := 0
	for i := 0; i < len(dst)-3 && k < len(src); i += 4 {
		t := src[k]
		binary.LittleEndian.PutUint32(dst[i:i+4], uint32(colors[uint16(t)])|uint32(colors[uint16(t>>16)])<<8|
			uint32(colors[uint16(t>>32)])<<16|uint32(byteOf16(uint32(t>>48)))<<24)
		k++
	}
}

// fourBytes averages blocks of two by two 8-bit pixels. It is written so that the compiler omits
// bounds checks and needs no extra arithmetic for addresses.
func (p *pyramid) fourBytes(out []texel, top, bottom []byte) {
	red, green, blue := &p.sums[0], &p.sums[1], &p.sums[2]
	bottom = bottom[:len(top)]
	k := 0
	for i := 0; i < len(top)-7 && k < len(out); i += 8 {
		if alpha := top[i+3]; alpha == top[i+7] && alpha == bottom[i+3] && alpha == bottom[i+7] {
			// The sum of four values is shifted right by two bits to give their mean.
			rb := red[top[i]] + red[top[i+4]] + red[bottom[i]] + red[bottom[i+4]] +
				blue[top[i+2]] + blue[top[i+6]] + blue[bottom[i+2]] + blue[bottom[i+6]] + 2*oddOnes
			g := green[top[i+1]] + green[top[i+5]] + green[bottom[i+1]] + green[bottom[i+5]] + 2<<14
			out[k] = rb>>2&oddChannels | g&0xffff0000 | uint64(alpha)*257<<48
		} else {
			a, b := binary.LittleEndian.Uint64(top[i:i+8]), binary.LittleEndian.Uint64(bottom[i:i+8])
			out[k] = p.unequalFour(a, b)
		}
		k++
	}
}

// unequalFour averages four 8-bit pixels with unequal alphas. a holds the upper two pixels, with
// the left one in its low half. b holds the lower two.
func (p *pyramid) unequalFour(a, b uint64) texel {
	c := &p.curve.wide
	w := [4]uint64{a >> 24 & 255, a >> 56, b >> 24 & 255, b >> 56}
	alpha := w[0] + w[1] + w[2] + w[3]
	t := (257*alpha + 2) >> 2 << 48
	if !p.weigh {
		w, alpha = [4]uint64{1, 1, 1, 1}, 4
	}
	red := w[0]*uint64(c[byte(a)]) + w[1]*uint64(c[byte(a>>32)]) +
		w[2]*uint64(c[byte(b)]) + w[3]*uint64(c[byte(b>>32)])
	green := w[0]*uint64(c[byte(a>>8)]) + w[1]*uint64(c[byte(a>>40)]) +
		w[2]*uint64(c[byte(b>>8)]) + w[3]*uint64(c[byte(b>>40)])
	blue := w[0]*uint64(c[byte(a>>16)]) + w[1]*uint64(c[byte(a>>48)]) +
		w[2]*uint64(c[byte(b>>16)]) + w[3]*uint64(c[byte(b>>48)])
	return t | divided(red, green, blue, alpha)
}

// divided returns the three sums divided by alpha, rounded, as a texel without alpha. Floating-point
// division and integer division give the same result. Alpha is at most 2^18 and quotients are at most
// 65535, so a quotient is either exactly a half or at least 2^-19 away from it. Adding an eighth of
// this distance covers the error of a 53-bit float.
func divided(red, green, blue, alpha uint64) texel {
	const half = 0.5 + 1.0/(1<<22)
	by := 1 / float64(alpha)
	return uint64(float64(float64(red)*by)+half) |
		uint64(float64(float64(green)*by)+half)<<16 |
		uint64(float64(float64(blue)*by)+half)<<32
}

// four averages blocks of two by two texels.
func (p *pyramid) four(out, top, bottom []texel) {
	bottom = bottom[:len(top)]
	odd, two := p.odd, p.two
	k := 0
	for i := 0; i < len(top)-1 && k < len(out); i += 2 {
		a, b, c, d := top[i], top[i+1], bottom[i], bottom[i+1]
		if p.weigh && ((a^b)|(a^c)|(a^d))>>48 != 0 {
			out[k] = weighTexels(a, b, c, d)
		} else {
			rb := a&odd + b&odd + c&odd + d&odd + two
			ga := a>>16&odd + b>>16&odd + c>>16&odd + d>>16&odd + two
			out[k] = rb>>2&odd | ga>>2&odd<<16
		}
		k++
	}
}

// weighTexels averages four texels with unequal alphas.
func weighTexels(a, b, c, d texel) texel {
	w0, w1, w2, w3 := a>>48, b>>48, c>>48, d>>48
	alpha := w0 + w1 + w2 + w3
	red := w0*(a&0xffff) + w1*(b&0xffff) + w2*(c&0xffff) + w3*(d&0xffff)
	green := w0*(a>>16&0xffff) + w1*(b>>16&0xffff) + w2*(c>>16&0xffff) + w3*(d>>16&0xffff)
	blue := w0*(a>>32&0xffff) + w1*(b>>32&0xffff) + w2*(c>>32&0xffff) + w3*(d>>32&0xffff)
	return divided(red, green, blue, alpha) | (alpha+2)>>2<<48
}

// weighted computes weighted averages of up to three by three texels of a level of width w. Sums
// are below 2^64, because the weights of an axis add up to at most 65535, and alpha and color are
// at most 65535, too.
func (p *pyramid) weighted(out []texel, in [3][]texel, down taps, w int) {
	for x := range out {
		across := tapsOf(w, x)
		var plain, seen [3]uint64 // sums of colors, and sums of colors weighted by alpha
		var alpha uint64
		for j := range down.count {
			line := in[j][across.first:]
			for i := range across.count {
				t, weight := line[i], across.weight[i]*down.weight[j]
				a := weight * (t >> 48)
				alpha += a
				for c := range 3 {
					v := t >> (16 * c) & 0xffff
					plain[c] += weight * v
					seen[c] += a * v
				}
			}
		}
		total := across.total * down.total
		t := (alpha + total/2) / total << 48
		if p.weigh && alpha > 0 {
			plain, total = seen, alpha
		}
		for c := range 3 {
			t |= (plain[c] + total/2) / total << (16 * c)
		}
		out[x] = t
	}
}
