package texenc

import (
	"encoding/binary"
	"sync"
)

// A BC1 block has two endpoint colors of 5, 6 and 5 bits and sixteen 2-bit indices. If the first
// endpoint is the larger number, the indices select one of four colors on the line between the
// endpoints: 0, 1, 1/3 or 2/3 of the way. Otherwise they select one of three colors (0, 1 or 1/2 of
// the way) or transparent black.
//
// Source: Microsoft, "Texture Block Compression in Direct3D 11", BC1.

// A colorBlock holds the n colors to encode in a BC1 block, with channels from 0 to 255. at[i] is
// the pixel index of color i in the block.
type colorBlock struct {
	n     int
	pix   [16][3]float32
	at    [16]uint8
	clear uint32 // one bit per pixel, which is set for transparent pixels
}

// encodeBC1 encodes the block c. Blocks with transparent pixels use the three-color mode. If four
// is set, this mode is never used, as BC3 requires.
func encodeBC1(dst *[8]byte, c *colorBlock, four bool, q Quality) {
	if c.n == 0 {
		binary.LittleEndian.PutUint64(dst[:], 0xffffffff<<32) // all pixels are transparent
		return
	}
	if solid := c.isSolidBlock(); solid {
		best := solidLine(c, 3)
		if c.clear != 0 {
			best = solidLine(c, 2)
		} else if !four {
			best = best.improvesColors(solidLine(c, 2))
		}
		best.writeColors(dst, c)
		return
	}
	l := newLayout(c)
	var best colorLine
	switch {
	case c.clear != 0:
		best = l.fitCuts(2, q)
	case four || q == Fast:
		best = l.fitCuts(3, q)
	default:
		best = l.fitCuts(3, q).improvesColors(l.fitCuts(2, q))
	}
	best.writeColors(dst, c)
}

func (c *colorBlock) isSolidBlock() bool {
	for _, p := range c.pix[1:c.n] {
		if p != c.pix[0] {
			return false
		}
	}
	return true
}

// A color565 is a stored color: the quantized values of red, green and blue.
type color565 [3]int32

// tops holds the largest quantized value of each channel.
var tops = [3]int32{31, 63, 31}

func (c color565) packedColor() uint16 { return uint16(c[0]<<11 | c[1]<<5 | c[2]) }

// widenColor returns c with channels from 0 to 255. It copies the high bits to the missing low
// bits.
func (c color565) widenColor() [3]float32 {
	return [3]float32{
		float32(c[0]<<3 | c[0]>>2),
		float32(c[1]<<2 | c[1]>>4),
		float32(c[2]<<3 | c[2]>>2),
	}
}

// narrowColor returns the stored color nearest to p.
func narrowColor(p [3]float32) color565 {
	return color565{nearestStep(p[0], 31), nearestStep(p[1], 63), nearestStep(p[2], 31)}
}

func nearestStep(x float32, top int32) int32 {
	return max(0, min(top, int32(float32(x*(float32(top)/255))+0.5)))
}

// A colorLine is a candidate encoding of a block. It has steps+1 colors, evenly spaced from
// endpoint a to b. steps is 3 or 2.
type colorLine struct {
	a, b  color565
	steps int32
	index [16]uint8 // number of steps from a, for each color of the block
	err   float32   // sum of squared errors
}

func (l colorLine) improvesColors(m colorLine) colorLine {
	if m.err < l.err {
		return m
	}
	return l
}

// colorsBetween encodes the colors of c with the given endpoints.
func colorsBetween(c *colorBlock, a, b color565, steps int32) colorLine {
	l := colorLine{a: a, b: b, steps: steps}
	from, to := a.widenColor(), b.widenColor()
	way := [3]float32{to[0] - from[0], to[1] - from[1], to[2] - from[2]}
	n := float32(steps)
	length := float32(way[0]*way[0]) + float32(way[1]*way[1]) + float32(way[2]*way[2])
	scale := float32(0)
	if length > 0 {
		scale = n / length
	}
	for i := range c.pix[:c.n] {
		p := &c.pix[i]
		x, y, z := p[0]-from[0], p[1]-from[1], p[2]-from[2]
		along := float32(x*way[0]) + float32(y*way[1]) + float32(z*way[2])
		k := max(0, min(steps, int32(float32(along*scale)+0.5)))
		t := float32(k) / n
		x -= float32(t * way[0])
		y -= float32(t * way[1])
		z -= float32(t * way[2])
		l.err += float32(x*x) + float32(y*y) + float32(z*z)
		l.index[i] = uint8(k)
	}
	return l
}

// refined replaces the endpoints by the least-squares optimum for the indices, and repeats this as
// long as it reduces the error.
func (l colorLine) refined(c *colorBlock, rounds int) colorLine {
	for range rounds {
		if l.err == 0 {
			return l
		}
		var s sums
		for i := range c.pix[:c.n] {
			s.addWeighted(int32(l.index[i]), l.steps, &c.pix[i])
		}
		a, b, ok := s.bestEnds(l.steps)
		if !ok {
			return l
		}
		next := colorsBetween(c, narrowColor(a), narrowColor(b), l.steps)
		if next.err >= l.err {
			return l
		}
		l = next
	}
	return l
}

// stepColors changes one channel of an endpoint by one at a time, as long as this reduces the
// error.
func (l colorLine) stepColors(c *colorBlock) colorLine {
	for better := true; better && l.err > 0; {
		better = false
		for channel := range 3 {
			for _, d := range [...][2]int32{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}} {
				a, b := l.a, l.b
				a[channel] += d[0]
				b[channel] += d[1]
				if min(a[channel], b[channel]) < 0 || max(a[channel], b[channel]) > tops[channel] {
					continue
				}
				if next := colorsBetween(c, a, b, l.steps); next.err < l.err {
					l, better = next, true
				}
			}
		}
	}
	return l
}

func (l *colorLine) writeColors(dst *[8]byte, c *colorBlock) {
	a, b := l.a.packedColor(), l.b.packedColor()
	// The order of the two words encodes the number of steps. If the words are equal, there are two
	// steps. In both modes, index 0 is the first endpoint.
	turned := l.steps == 3 && a < b || l.steps == 2 && a > b
	if turned {
		a, b = b, a
	}
	var indices uint32
	for i := range c.pix[:c.n] {
		k := uint32(l.index[i])
		if turned {
			k = uint32(l.steps) - k
		}
		var code uint32
		switch {
		case a == b:
			code = 0
		case k == 0:
			code = 0
		case k == uint32(l.steps):
			code = 1
		default:
			code = k + 1 // index of the color at 1/3, 2/3 or 1/2 of the line
		}
		indices |= code << (2 * c.at[i])
	}
	for i := range 16 {
		if c.clear>>i&1 != 0 {
			indices |= 3 << (2 * i)
		}
	}
	binary.LittleEndian.PutUint16(dst[0:], a)
	binary.LittleEndian.PutUint16(dst[2:], b)
	binary.LittleEndian.PutUint32(dst[4:], indices)
}

// A pair holds the two best quantized endpoints for a value.
type pair struct{ a, b uint8 }

// solidPairs holds the pairs for each value from 0 to 255. The first index is 0 if the value is a
// third of the way from a to b, and 1 if it is half of the way. The second index is 0 for channels
// of five bits, and 1 for six bits.
var solidPairs = sync.OnceValue(func() *[2][2][256]pair {
	all := new([2][2][256]pair)
	for i, steps := range [2]int{3, 2} {
		for j, bits := range [2]int{5, 6} {
			all[i][j] = pairsOf(steps, bits)
		}
	}
	return all
})

func pairsOf(steps, bits int) (out [256]pair) {
	top := 1<<bits - 1
	wide := func(x int) int { return x<<(8-bits) | x>>(2*bits-8) }
	for v := range out {
		best := -1
		for a := range top + 1 {
			// near is the value of b that would give no error, rounded down. The best b is at most
			// 1 away from it.
			near := (steps*v - (steps-1)*wide(a)) * top / 255
			for b := max(0, min(near-1, top)); b <= max(0, min(near+1, top)); b++ {
				// Of pairs with equal errors, take the closest endpoints: their color varies least
				// between decoders with different rounding.
				miss := (steps-1)*wide(a) + wide(b) - steps*v
				spread := wide(a) - wide(b)
				cost := 1000*max(miss, -miss) + max(spread, -spread)
				if best < 0 || cost < best {
					best, out[v] = cost, pair{uint8(a), uint8(b)}
				}
			}
		}
	}
	return out
}

// solidLine encodes a block of one color, which is one step away from the first endpoint.
func solidLine(c *colorBlock, steps int32) colorLine {
	tables := &solidPairs()[3-steps]
	l := colorLine{steps: steps}
	p := c.pix[0]
	for k, table := range [3]*[256]pair{&tables[0], &tables[1], &tables[0]} {
		found := table[clampedByte(p[k])]
		l.a[k], l.b[k] = int32(found.a), int32(found.b)
	}
	from, to := l.a.widenColor(), l.b.widenColor()
	for i := range c.pix[:c.n] {
		l.index[i] = 1
		for k := range 3 {
			d := (float32(float32(steps-1)*from[k])+to[k])/float32(steps) - p[k]
			l.err += float32(d * d)
		}
	}
	return l
}
