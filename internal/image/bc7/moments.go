package bc7

import "math/bits"

// moments are the sums over some pixels that tell how they scatter. They are exact,
// and sums of sums are plain additions, whatever lanes they hold.
type moments struct {
	sum uint64 // red, green, blue
	red uint64 // red squared, red times green, red times blue
	gb  uint64 // green squared, green times blue, blue squared
	a   uint64 // red, green, blue times alpha
	n   uint64 // alpha from bit 0 on, its squares from bit 16 on, the number of pixels from bit 40 on
}

const (
	countShift  = 40
	squareShift = 16
)

// add counts a pixel without its alpha.
func (m *moments) add(p uint64) {
	g, b := p>>lane&255, p>>(2*lane)
	m.sum += p
	m.red += p * (p & 255)
	m.gb += p>>lane*g + b*b<<(2*lane) // the lane of b above g's is g*b
	m.n += 1 << countShift
}

// addAlpha counts the alpha of a pixel.
func (m *moments) addAlpha(rgb, a uint64) {
	m.a += rgb * a
	m.n += a + a*a<<squareShift
}

// without returns the moments of the pixels in m but not in o.
func (m *moments) without(o *moments) moments {
	return moments{m.sum - o.sum, m.red - o.red, m.gb - o.gb, m.a - o.a, m.n - o.n}
}

// count is the number of pixels.
func (m *moments) count() uint64 { return m.n >> countShift }

// alpha returns the sum of the alphas, and of their squares.
func (m *moments) alpha() (sum, squares uint64) {
	return m.n & (1<<squareShift - 1), m.n >> squareShift & (1<<(countShift-squareShift) - 1)
}

// squares is the sum of the squares of red, green and blue, and of alpha.
func (m *moments) squares(alpha bool) int64 {
	sum := red(m.red) + red(m.gb) + blue(m.gb)
	if alpha {
		_, aa := m.alpha()
		sum += int64(aa)
	}
	return sum
}

// rows has the moments of every choice of pixels from each row of a block, so that the
// moments of any set of pixels are a sum of four.
type rows [4][16]moments

// fill works them out.
func (r *rows) fill(b *block, alpha bool) {
	for y := range r {
		row := &r[y]
		for set := 1; set < 16; set++ {
			sum := &row[set&15]
			if set&(set-1) == 0 {
				i := (4*y + bits.TrailingZeros8(uint8(set))) & 15
				*sum = moments{}
				sum.add(b.rgb[i])
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

// of returns the moments of the pixels in a mask.
func (r *rows) of(mask uint16, alpha bool) (m moments) {
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
