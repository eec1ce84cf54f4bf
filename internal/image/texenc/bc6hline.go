package texenc

// A BC6H block of one line is two colors and sixteen indices of four bits, which
// pick one of sixteen colors from one to the other. There are four such modes;
// three of them store the second color as its distance from the first, which
// leaves more bits for both where they are near each other.
//
// Channels are half floats taken for whole numbers, from 0 to 0x7bff, times 64/31:
// a scale of even steps in which relative errors count alike, as for eyes.
//
// Source: Khronos Data Format Specification 1.4, section 20.2, "BPTC float".

// A lineMode is one of these modes.
type lineMode struct {
	number   uint64 // its five bits
	bits     int    // of a channel of the first color
	distance int    // bits of a distance; 0 if the second color is stored itself
}

func lineModes() [4]lineMode {
	return [4]lineMode{{3, 10, 0}, {7, 11, 9}, {11, 12, 8}, {15, 16, 4}}
}

// A lightLine is a way to store a block in one of the modes.
type lightLine struct {
	mode  lineMode
	a, b  [3]int32 // as stored, but b is never a distance
	index [16]uint8
	err   float32 // sum of squares
}

// lightWeight is how far index i lies from the first color, in 64ths.
func lightWeight(i uint8) int32 {
	return [16]int32{0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64}[i]
}

// fitLight returns the line that suits a block best. Its err is that of lightJudge.
//
// On the scale of halves black lies many steps below all else, and would stretch
// the line until its colors are a stop apart. So where a block has colors far
// darker than its brightest, other lines are tried which take them for brighter
// than they are.
func fitLight(block *lightBlock, q Quality) lightLine {
	c := colorBlock{n: 16}
	brightest, darkest := uint16(0), uint16(0x7bff)
	for i, p := range block {
		for k, h := range p {
			c.pix[i][k] = lightOf(h)
			brightest, darkest = max(brightest, h), min(darkest, h)
		}
	}
	judge := judgeOf(block)
	best := fitLine(&c, q)
	best.judge(&judge)
	for _, stops := range floors(q) {
		floor := brightest - min(brightest, stops<<10)
		if darkest >= floor {
			continue
		}
		for i, p := range block {
			for k, h := range p {
				c.pix[i][k] = lightOf(max(h, floor))
			}
		}
		line := fitLine(&c, q)
		if line.judge(&judge); line.err < best.err {
			best = line
		}
	}
	if q == Best {
		best.near(&judge)
	}
	return best
}

// floors are how many stops below the brightest value of a block the darkest may
// lie on the lines that are tried.
func floors(q Quality) []uint16 {
	if q == Fast {
		return []uint16{6} // 64 times: the range of a good picture on paper
	}
	return []uint16{9, 6, 4}
}

// judge sets l.err.
func (l *lightLine) judge(j *lightJudge) {
	got := l.halves()
	l.err = j.of(&got)
}

// near betters ends one channel after the other.
func (l *lightLine) near(j *lightJudge) {
	var weights [16]int32
	for i, index := range l.index {
		weights[i] = lightWeight(index)
	}
	for k := range 3 {
		j.step(k, 0xffff, &weights, &l.a[k], &l.b[k], l.mode.wide, l.fits)
	}
	l.judge(j)
}

// fits reports whether the mode can store the ends.
func (l *lightLine) fits() bool {
	for k := range 3 {
		if min(l.a[k], l.b[k]) < 0 || max(l.a[k], l.b[k]) >= 1<<l.mode.bits {
			return false
		}
		if l.mode.distance > 0 {
			// The same both ways, as the ends may have to change places.
			if d, most := l.b[k]-l.a[k], int32(1)<<(l.mode.distance-1)-1; d > most || d < -most {
				return false
			}
		}
	}
	return true
}

// fitLine returns the line of least squared error.
func fitLine(c *colorBlock, q Quality) lightLine {
	axis := axisOf(c)
	first, last := c.pix[0], c.pix[0]
	low, high := dot(first, axis), dot(first, axis)
	for _, p := range c.pix[1:] {
		if d := dot(p, axis); d < low {
			first, low = p, d
		} else if d > high {
			last, high = p, d
		}
	}
	index := lightIndices(c, first, last)
	a, b := first, last
	if x, y, ok := lightEnds(c, &index); ok {
		a, b = x, y
	}
	var best lightLine
	found := false
	for _, mode := range lineModes() {
		line, ok := lineIn(mode, c, a, b)
		for range rounds(q) {
			if !ok || line.err == 0 {
				break
			}
			x, y, again := lightEnds(c, &line.index)
			if !again {
				break
			}
			next, fits := lineIn(mode, c, x, y)
			if !fits || next.err >= line.err {
				break
			}
			line = next
		}
		if ok && (!found || line.err < best.err) {
			best, found = line, true
		}
	}
	return best // the first mode always fits
}

func dot(a, b [3]float32) float32 {
	return float32(a[0]*b[0]) + float32(a[1]*b[1]) + float32(a[2]*b[2])
}

// lineIn stores c between two colors, or returns false if they lie too far
// apart for the mode.
func lineIn(mode lineMode, c *colorBlock, a, b [3]float32) (lightLine, bool) {
	l := lightLine{mode: mode}
	for k := range 3 {
		l.a[k], l.b[k] = quantizeLight(a[k], mode.bits), quantizeLight(b[k], mode.bits)
	}
	if !l.fits() {
		return l, false
	}
	from, to := l.wide()
	l.index = lightIndices(c, from, to)
	for i := range c.pix {
		w := float32(lightWeight(l.index[i])) / 64
		for k, x := range c.pix[i] {
			d := x - from[k] - float32(w*(to[k]-from[k]))
			l.err += float32(d * d)
		}
	}
	return l, true
}

// quantizeLight returns the stored number whose value is nearest to x.
func quantizeLight(x float32, bits int) int32 {
	return max(0, min(int32(1)<<bits-1, int32(x)>>(16-bits)))
}

// wide returns the value of what is stored.
func (m *lineMode) wide(x int32) int32 {
	switch {
	case m.bits >= 15 || x == 0:
		return x
	case x == int32(1)<<m.bits-1:
		return 0xffff
	}
	return (x<<16 + 0x8000) >> m.bits
}

// wide returns the values of the two colors.
func (l *lightLine) wide() (a, b [3]float32) {
	for k := range 3 {
		a[k], b[k] = float32(l.mode.wide(l.a[k])), float32(l.mode.wide(l.b[k]))
	}
	return a, b
}

// lightIndices returns the index nearest to each color between two ends.
func lightIndices(c *colorBlock, from, to [3]float32) (index [16]uint8) {
	way := [3]float32{to[0] - from[0], to[1] - from[1], to[2] - from[2]}
	length := float32(way[0]*way[0]) + float32(way[1]*way[1]) + float32(way[2]*way[2])
	if length == 0 {
		return index
	}
	scale := 15 / length
	for i := range c.pix {
		p := &c.pix[i]
		along := float32((p[0]-from[0])*way[0]) + float32((p[1]-from[1])*way[1]) + float32((p[2]-from[2])*way[2])
		index[i] = uint8(max(0, min(15, int32(float32(along*scale)+0.5))))
	}
	return index
}

// lightEnds returns the ends that suit the indices best, by least squares, or
// false if all are equal.
func lightEnds(c *colorBlock, index *[16]uint8) (a, b [3]float32, ok bool) {
	var s sums
	var aa, ab, bb int32
	for i := range c.pix {
		w := lightWeight(index[i])
		aa, ab, bb = aa+(64-w)*(64-w), ab+w*(64-w), bb+w*w
		for k, x := range c.pix[i] {
			s.a[k] += float32(float32(64-w) * x)
			s.b[k] += float32(float32(w) * x)
		}
	}
	det := int64(aa)*int64(bb) - int64(ab)*int64(ab)
	if det == 0 {
		return a, b, false
	}
	scale := 64 / float64(det)
	for k := range 3 {
		x, y := float64(s.a[k]), float64(s.b[k])
		a[k] = float32(max(0, (float64(float64(bb)*x)-float64(float64(ab)*y))*scale))
		b[k] = float32(max(0, (float64(float64(aa)*y)-float64(float64(ab)*x))*scale))
	}
	return a, b, true
}

// halves returns what the block decodes to.
func (l *lightLine) halves() (out lightBlock) {
	from, to := l.wide()
	for i, index := range l.index {
		w := lightWeight(index)
		for k := range 3 {
			mixed := (int32(from[k])*(64-w) + int32(to[k])*w + 32) >> 6
			out[i][k] = uint16(mixed * 31 >> 6)
		}
	}
	return out
}
