package astc

// moments holds the sums of pixels and of products of their channels. The products are in the order
// rr rg rb ra gg gb ga bb ba aa.
type moments struct {
	n       int32
	sum     [4]int32
	product [10]uint32
}

func (m *moments) addPixel(p *[4]int32) {
	r, g, b, a := p[0], p[1], p[2], p[3]
	m.n++
	m.sum[0] += r
	m.sum[1] += g
	m.sum[2] += b
	m.sum[3] += a
	m.product[0] += uint32(r * r)
	m.product[1] += uint32(r * g)
	m.product[2] += uint32(r * b)
	m.product[3] += uint32(r * a)
	m.product[4] += uint32(g * g)
	m.product[5] += uint32(g * b)
	m.product[6] += uint32(g * a)
	m.product[7] += uint32(b * b)
	m.product[8] += uint32(b * a)
	m.product[9] += uint32(a * a)
}

// minusPart returns the moments of the pixels in m that are not in the given part.
func (m *moments) minusPart(part *moments) (rest moments) {
	rest.n = m.n - part.n
	for i := range m.sum {
		rest.sum[i] = m.sum[i] - part.sum[i]
	}
	for i := range m.product {
		rest.product[i] = m.product[i] - part.product[i]
	}
	return rest
}

// A scatter is the scatter matrix (unnormalized covariance) of pixels whose alpha is stretched. An
// entry is the sum over the pixels of the product of two channels, after subtracting the mean.
type scatter [4][4]float32

func (e *encoder) stretchedScatter(m *moments) (s scatter) {
	k := 0
	n := float32(max(m.n, 1))
	for i := range 4 {
		for j := i; j < 4; j++ {
			v := float32(int64(m.n)*int64(m.product[k])-int64(m.sum[i])*int64(m.sum[j])) / n
			s[i][j], s[j][i] = v, v
			k++
		}
	}
	for i := range 3 {
		s[i][3] = float32(s[i][3] * e.alphaStretch)
		s[3][i] = s[i][3]
	}
	s[3][3] = float32(s[3][3] * float32(e.alphaWeight))
	return s
}

// withoutChannel returns s without channel c.
func (s *scatter) withoutChannel(c int) scatter {
	t := *s
	for i := range 4 {
		t[i][c], t[c][i] = 0, 0
	}
	return t
}

func (s *scatter) sumOfVariances() float32 { return s[0][0] + s[1][1] + s[2][2] + s[3][3] }

// principalAxis returns the unit vector along which s is largest, and the scatter along this
// vector.
func (s *scatter) principalAxis() (v [4]float32, along float32) {
	widest := 0
	for i := 1; i < 4; i++ {
		if s[i][i] > s[widest][widest] {
			widest = i
		}
	}
	v = s[widest]
	if s[widest][widest] <= 0 {
		return [4]float32{1, 1, 1, 0}, 0
	}
	for range 3 {
		v = s.timesVector(&v)
		most := max(abs(v[0]), abs(v[1]), abs(v[2]), abs(v[3]))
		scale := 1 / most
		for i := range v {
			v[i] *= scale
		}
	}
	w := s.timesVector(&v)
	length := dotRounded(&v, &v)
	along = dotRounded(&v, &w) / length
	scale := 1 / sqrt(length)
	for i := range v {
		v[i] *= scale
	}
	return v, along
}

// roughAlong estimates the scatter along the principal axis in one step.
func (s *scatter) roughAlong() float32 {
	widest := 0
	for i := 1; i < 4; i++ {
		if s[i][i] > s[widest][widest] {
			widest = i
		}
	}
	v := s.timesVector(&s[widest])
	length := dotRounded(&v, &v)
	if length == 0 {
		return 0
	}
	w := s.timesVector(&v)
	return dotRounded(&v, &w) / length
}

func (s *scatter) timesVector(v *[4]float32) (w [4]float32) {
	for i := range w {
		w[i] = dotRounded(&s[i], v)
	}
	return w
}

// dotRounded returns the dot product. Each product is rounded before it is added, so that no
// processor fuses the two operations.
func dotRounded(a, b *[4]float32) float32 {
	return float32(a[0]*b[0]) + float32(a[1]*b[1]) + (float32(a[2]*b[2]) + float32(a[3]*b[3]))
}

// ray returns the best line through black, and its squared error. s is the scatter of the pixels;
// the line includes alpha if s does.
func (m *moments) ray(s *scatter) (axis [4]float32, residue float32) {
	var raw scatter
	k := 0
	for i := range 4 {
		for j := i; j < 4; j++ {
			if j < 3 {
				v := float32(m.product[k])
				raw[i][j], raw[j][i] = v, v
			}
			k++
		}
	}
	color, along := raw.principalAxis()
	axis, residue = s.withAlpha(&color)
	return axis, residue + max(0, raw.sumOfVariances()-along)
}

// grayLine returns the direction of the line for pixels that are treated as gray, and its squared
// error. s is the scatter of the pixels; the line includes alpha if s does.
func (m *moments) grayLine(s *scatter) (axis [4]float32, residue float32) {
	p := &m.product
	// This is three times the sum of the squared distances from gray.
	chroma := int32(2*(p[0]+p[4]+p[7]) - 2*(p[1]+p[2]+p[5]))
	const third = 0.57735026 // square root of 1/3
	axis, residue = s.withAlpha(&[4]float32{third, third, third})
	return axis, residue + float32(chroma)/3
}

// withAlpha returns the direction for pixels whose colors are already on a line, and the squared
// error that alpha adds.
func (s *scatter) withAlpha(color *[4]float32) (axis [4]float32, residue float32) {
	if s[3][3] == 0 {
		return *color, 0
	}
	// Reduce the problem to a 2x2 scatter matrix: the position on the line, and alpha.
	w := s.timesVector(color)
	x, y, z := dotRounded(color, &w), w[3], s[3][3]
	half := float32((x - z) * 0.5)
	root := sqrt(float32(half*half) + float32(y*y))
	residue = max(0, float32((x+z)*0.5)-root)
	// (c, a) is an eigenvector for the larger eigenvalue.
	c, a := half+root, y
	if half < 0 {
		c, a = y, root-half
	}
	length := sqrt(float32(c*c) + float32(a*a))
	if length == 0 {
		return *color, residue
	}
	c, a = c/length, a/length
	return [4]float32{float32(color[0] * c), float32(color[1] * c), float32(color[2] * c), a}, residue
}

// stretchedMean returns the mean of the pixels, with alpha stretched.
func (e *encoder) stretchedMean(m *moments) (v [4]float32) {
	n := 1 / float32(max(m.n, 1))
	for c := range v {
		v[c] = float32(float32(m.sum[c]) * n)
	}
	v[3] = float32(v[3] * e.alphaStretch)
	return v
}

// The color endpoint modes for low dynamic range, by number.
const (
	kindGray          = 0
	kindGrayOffset    = 1
	kindGrayAlpha     = 4
	kindRGBScale      = 6
	kindRGB           = 8
	kindRGBOffset     = 9
	kindRGBScaleAlpha = 10
	kindRGBA          = 12
	kindRGBAOffset    = 13
)

// A pair holds the two endpoints of a line of RGBA colors.
type pair [2][4]int32

// endsOf decodes the two endpoints of an endpoint mode from values 0 to 255. It returns false for
// modes of high dynamic range. Source: Khronos Data Format Specification 1.4, chapter 23, "LDR
// Endpoint Decoding".
func endsOf(kind uint8, v *[8]int32) (p pair, ok bool) {
	switch kind {
	case 0:
		p = pair{{v[0], v[0], v[0], 255}, {v[1], v[1], v[1], 255}}
	case 1:
		low := v[0]>>2 | v[1]&0xc0
		high := min(low+v[1]&0x3f, 255)
		p = pair{{low, low, low, 255}, {high, high, high, 255}}
	case 4:
		p = pair{{v[0], v[0], v[0], v[2]}, {v[1], v[1], v[1], v[3]}}
	case 5:
		a, b := transferBit(v[1], v[0])
		c, d := transferBit(v[3], v[2])
		p = pair{{b, b, b, d}, {a + b, a + b, a + b, c + d}}
		p.clampEnds()
	case 6, 10:
		p = pair{{v[0] * v[3] >> 8, v[1] * v[3] >> 8, v[2] * v[3] >> 8, 255}, {v[0], v[1], v[2], 255}}
		if kind == 10 {
			p[0][3], p[1][3] = v[4], v[5]
		}
	case 8, 12:
		p = pair{{v[0], v[2], v[4], 255}, {v[1], v[3], v[5], 255}}
		if kind == 12 {
			p[0][3], p[1][3] = v[6], v[7]
		}
		if v[1]+v[3]+v[5] < v[0]+v[2]+v[4] {
			p.contract()
		}
	case 9, 13:
		var offset int32
		for i := range 3 {
			a, b := transferBit(v[2*i+1], v[2*i])
			p[0][i], p[1][i] = b, a+b
			offset += a
		}
		p[0][3], p[1][3] = 255, 255
		if kind == 13 {
			a, b := transferBit(v[7], v[6])
			p[0][3], p[1][3] = b, a+b
		}
		if offset < 0 {
			p.contract()
		}
		p.clampEnds()
	default:
		return p, false
	}
	return p, true
}

// transferBit is bit_transfer_signed in the specification: the top bit of a moves to b, and a
// becomes an offset from -32 to 31.
func transferBit(a, b int32) (offset, base int32) {
	return (a>>1&0x3f ^ 0x20) - 0x20, b>>1 | a&0x80
}

// contract swaps the endpoints, and halves the distances of red and green from blue. The
// specification calls this blue contraction.
func (p *pair) contract() {
	p[0], p[1] = p[1], p[0]
	for i := range p {
		e := &p[i]
		e[0], e[1] = (e[0]+e[2])>>1, (e[1]+e[2])>>1
	}
}

func (p *pair) clampEnds() {
	for i := range p {
		for c, v := range p[i] {
			p[i][c] = max(0, min(v, 255))
		}
	}
}
