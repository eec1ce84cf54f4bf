package bc7

import (
	"math"
	"math/bits"
)

// moments holds exact sums over pixels that describe their scatter. Moments of two sets of pixels
// are added word by word.
type moments struct {
	sum uint64 // sums of red, green, blue
	red uint64 // sums of red squared, red times green, red times blue
	gb  uint64 // sums of green squared, green times blue, blue squared
	a   uint64 // sums of red, green and blue times alpha
	n   uint64 // sum of alpha in bits 0 to 15, sum of its squares from bit 16, number of pixels from bit 40
}

const (
	countShift  = 40
	squareShift = 16
)

// addOpaque adds a pixel without its alpha.
func (m *moments) addOpaque(p uint64) {
	g, b := p>>lane&255, p>>(2*lane)
	m.sum += p
	m.red += p * (p & 255)
	m.gb += p>>lane*g + b*b<<(2*lane) // multiplying by green puts green times blue into the second lane
	m.n += 1 << countShift
}

// addAlpha adds the alpha of a pixel.
func (m *moments) addAlpha(rgb, a uint64) {
	m.a += rgb * a
	m.n += a + a*a<<squareShift
}

// withoutPart returns the moments of the pixels in m but not in o.
func (m *moments) withoutPart(o *moments) moments {
	return moments{m.sum - o.sum, m.red - o.red, m.gb - o.gb, m.a - o.a, m.n - o.n}
}

// pixelCount returns the number of pixels.
func (m *moments) pixelCount() uint64 { return m.n >> countShift }

// alphaSums returns the sum of the alphas, and of their squares.
func (m *moments) alphaSums() (sum, squares uint64) {
	return m.n & (1<<squareShift - 1), m.n >> squareShift & (1<<(countShift-squareShift) - 1)
}

// sumOfSquares returns the sum of the squares of red, green, blue, and alpha if requested.
func (m *moments) sumOfSquares(alpha bool) int64 {
	sum := red(m.red) + red(m.gb) + blue(m.gb)
	if alpha {
		_, aa := m.alphaSums()
		sum += int64(aa)
	}
	return sum
}

// rows holds, for each row of four pixels, the moments of each subset of its pixels. The moments of
// any set of pixels are a sum of four entries.
type rows [4][16]moments

// fillMoments computes the moments of all rows.
func (r *rows) fillMoments(b *block, alpha bool) {
	for y := range r {
		row := &r[y]
		for set := 1; set < 16; set++ {
			sum := &row[set&15]
			if set&(set-1) == 0 {
				i := (4*y + bits.TrailingZeros8(uint8(set))) & 15
				*sum = moments{}
				sum.addOpaque(b.rgb[i])
				if alpha {
					sum.addAlpha(b.rgb[i], b.a[i])
				}
				continue
			}
			rest, one := &row[set&(set-1)&15], &row[set&-set&15]
			sum.sum, sum.red, sum.gb, sum.n = rest.sum+one.sum, rest.red+one.red, rest.gb+one.gb, rest.n+one.n
			if alpha {
				sum.a = rest.a + one.a
			}
		}
	}
}

// momentsOfMask returns the moments of the pixels in a mask.
func (r *rows) momentsOfMask(mask uint16, alpha bool) (m moments) {
	a, b, c, d := &r[0][mask&15], &r[1][mask>>4&15], &r[2][mask>>8&15], &r[3][mask>>12]
	m.sum = a.sum + b.sum + c.sum + d.sum
	m.red = a.red + b.red + c.red + d.red
	m.gb = a.gb + b.gb + c.gb + d.gb
	m.n = a.n + b.n + c.n + d.n
	if alpha {
		m.a = a.a + b.a + c.a + d.a
	}
	return m
}

// A scatter is the covariance matrix of pixels, times the square of their number. Its entries are
// integers below 2^25, so nothing is rounded.
type scatter struct {
	rr, rg, rb, gg, gb, bb float64
	ra, ga, ba, aa         float64
}

// scatterOf returns the covariance of the pixels, with or without alpha.
func (m *moments) scatterOf(alpha bool) (s scatter) {
	n := int64(m.pixelCount())
	r, g, b := red(m.sum), green(m.sum), blue(m.sum)
	s.rr = float64(n*red(m.red) - r*r)
	s.rg = float64(n*green(m.red) - r*g)
	s.rb = float64(n*blue(m.red) - r*b)
	s.gg = float64(n*red(m.gb) - g*g)
	s.gb = float64(n*green(m.gb) - g*b)
	s.bb = float64(n*blue(m.gb) - b*b)
	if alpha {
		sum, squares := m.alphaSums()
		a := int64(sum)
		s.ra = float64(n*red(m.a) - r*a)
		s.ga = float64(n*green(m.a) - g*a)
		s.ba = float64(n*blue(m.a) - b*a)
		s.aa = float64(n*int64(squares) - a*a)
	}
	return s
}

// principalDirection returns the direction of the largest scatter of the pixels. It uses a few
// steps of power iteration, starting with the row of the channel that scatters most. Entries are
// below 2^25, and each step multiplies by less than 2^27, so that even without scaling all values
// stay far from the limits of float64.
func (s *scatter) principalDirection(alpha bool) vector {
	v := s.strongestRow()
	if alpha {
		for range 3 {
			v = s.scaleVector(&v)
		}
		return v
	}
	x, y, z := v[0], v[1], v[2]
	for range 3 {
		x, y, z = float64(s.rr*x)+float64(s.rg*y)+float64(s.rb*z),
			float64(s.rg*x)+float64(s.gg*y)+float64(s.gb*z),
			float64(s.rb*x)+float64(s.gb*y)+float64(s.bb*z)
	}
	return vector{x, y, z}
}

// A vector is a direction in the space of red, green, blue and alpha.
type vector [4]float64

// strongestRow returns the row of the channel with the largest variance.
func (s *scatter) strongestRow() vector {
	r, g, b := magnitudeBits(s.rr), magnitudeBits(s.gg), magnitudeBits(s.bb)
	switch max(r, g, b, magnitudeBits(s.aa)) {
	case g:
		return vector{s.rg, s.gg, s.gb, s.ga}
	case r:
		return vector{s.rr, s.rg, s.rb, s.ra}
	case b:
		return vector{s.rb, s.gb, s.bb, s.ba}
	}
	return vector{s.ra, s.ga, s.ba, s.aa}
}

func (s *scatter) scaleVector(v *vector) vector {
	x, y, z, w := v[0], v[1], v[2], v[3]
	return vector{
		float64(s.rr*x) + float64(s.rg*y) + float64(s.rb*z) + float64(s.ra*w),
		float64(s.rg*x) + float64(s.gg*y) + float64(s.gb*z) + float64(s.ga*w),
		float64(s.rb*x) + float64(s.gb*y) + float64(s.bb*z) + float64(s.ba*w),
		float64(s.ra*x) + float64(s.ga*y) + float64(s.ba*z) + float64(s.aa*w),
	}
}

// acrossDirection returns the part of the scatter S that is not along v. This part is S - uu'/v'u,
// where u = Sv.
func (s *scatter) acrossDirection(v *vector) (t scatter) {
	u := s.scaleVector(v)
	vu := float64(v[0]*u[0]) + float64(v[1]*u[1]) + float64(v[2]*u[2]) + float64(v[3]*u[3])
	if vu <= 0 {
		return *s
	}
	per := 1 / vu
	r, g, b, a := u[0]*per, u[1]*per, u[2]*per, u[3]*per
	t.rr = s.rr - float64(r*u[0])
	t.rg = s.rg - float64(r*u[1])
	t.rb = s.rb - float64(r*u[2])
	t.gg = s.gg - float64(g*u[1])
	t.gb = s.gb - float64(g*u[2])
	t.bb = s.bb - float64(b*u[2])
	t.ra = s.ra - float64(a*u[0])
	t.ga = s.ga - float64(a*u[1])
	t.ba = s.ba - float64(a*u[2])
	t.aa = s.aa - float64(a*u[3])
	return t
}

// A color is stored as three lanes of 22 bits in one word: red in the lowest lane, then green, then
// blue. A lane can hold the sum of sixteen products of two bytes, so one operation computes all
// three channels. To compute a dot product with one multiplication, the lanes of one word are
// reversed. The third lane of the product is then the dot product.
const (
	lane      = 22
	laneMask  = 1<<lane - 1
	lanesOfFF = 255 | 255<<lane | 255<<(2*lane)
	lanesOf32 = 32 | 32<<lane | 32<<(2*lane)
)

// lanesOf packs three values into lanes.
func lanesOf(r, g, b uint64) uint64 { return r | g<<lane | b<<(2*lane) }

// red, green and blue return the value of a lane.
func red(v uint64) int64   { return int64(v & laneMask) }
func green(v uint64) int64 { return int64(v >> lane & laneMask) }
func blue(v uint64) int64  { return int64(v >> (2 * lane)) }

// reverse swaps red and blue.
func reverse(v uint64) uint64 {
	return v>>(2*lane)&laneMask | v&(laneMask<<lane) | v<<(2*lane)
}

// dotLanes returns the dot product of two colors. The lanes of the second must be reversed.
func dotLanes(v, reversed uint64) uint64 { return v * reversed >> (2 * lane) }

// A block holds the pixels of a block: red, green and blue in lanes, and alpha.
type block struct {
	rgb [16]uint64
	a   [16]uint64
}

// rotated returns a block whose colors have a rotation of 0 to 3 applied. It also returns the
// channel that is stored in place of alpha.
func (b *block) rotated(rotation uint8) (px block, scalar [16]uint64) {
	if rotation == 0 {
		return *b, b.a
	}
	shift := lane * (rotation - 1) & 63
	for i, v := range &b.rgb {
		scalar[i] = v >> shift & 255
		px.rgb[i] = v&^(255<<shift) | b.a[i]<<shift
	}
	return px, scalar
}

// An axis is a direction in color space. Pixels are projected on it. If a channel decreases along
// the axis, its values v are replaced by 255-v, so that all components are positive. flip is 255
// for these channels.
type axis struct {
	flip, reversed uint64 // three lanes each; the components in reversed are below 1024
	flipA, a       uint64
}

// projectColor projects a color.
func (d *axis) projectColor(rgb uint64) uint64 { return (rgb ^ d.flip) * d.reversed >> (2 * lane) }

// at4 projects a color with alpha.
func (d *axis) at4(rgb, a uint64) uint64 {
	return (rgb^d.flip)*d.reversed>>(2*lane) + (a^d.flipA)*d.a
}

// wholeAxis scales a direction to integers.
func (v *vector) wholeAxis() (d axis) {
	most := max(magnitudeBits(v[0]), magnitudeBits(v[1]), magnitudeBits(v[2]), magnitudeBits(v[3]))
	if most == 0 {
		return d
	}
	scale := 1023 / math.Float64frombits(most)
	r, fr := wholeComponent(v[0] * scale)
	g, fg := wholeComponent(v[1] * scale)
	b, fb := wholeComponent(v[2] * scale)
	d.a, d.flipA = wholeComponent(v[3] * scale)
	d.reversed, d.flip = lanesOf(b, g, r), lanesOf(fr, fg, fb)
	return d
}

// magnitudeBits returns the bits of |v|, which are in the same order as the values. Comparing
// integers needs no special case for NaN.
func magnitudeBits(v float64) uint64 { return math.Float64bits(v) &^ (1 << 63) }

// wholeComponent returns |v| rounded down. flip is 255 if v is negative, otherwise 0.
func wholeComponent(v float64) (size, flip uint64) {
	n := int64(v)
	sign := uint64(n >> 63)
	return (uint64(n) ^ sign) - sign, sign & 255
}

// pixelsBeyond splits the pixels at their mean along a direction. It returns the set that does not
// contain pixel 0.
func (b *block) pixelsBeyond(d *axis) uint16 {
	var at [16]uint64
	var sum uint64
	for i, v := range &b.rgb {
		at[i] = d.at4(v, b.a[i])
		sum += at[i]
	}
	var beyond uint64
	for i, t := range &at {
		beyond |= (sum - 16*t) >> 63 << (i & 15)
	}
	return uint16(beyond^-(beyond&1)) >> 1
}
