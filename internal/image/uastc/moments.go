package uastc

import "math"

// A point is a pixel with red, green, blue and alpha. Unused channels are 0.
type point [4]int32

// moments holds sums over pixels. It sums the channels, and their products in the order rr, rg, rb,
// ra, gg, gb, ga, bb, ba, aa. All sums are below 2^21.
type moments struct {
	n       int32
	sum     [4]int32
	product [10]int32
}

func (m *moments) addToMoments(p *point) {
	m.n++
	k := 0
	for i := range 4 {
		m.sum[i] += p[i]
		for j := i; j < 4; j++ {
			m.product[k] += p[i] * p[j]
			k++
		}
	}
}

// addMoments adds the sums of o.
func (m *moments) addMoments(o *moments) {
	m.n += o.n
	for i := range m.sum {
		m.sum[i] += o.sum[i]
	}
	for i := range m.product {
		m.product[i] += o.product[i]
	}
}

// lessPart returns the moments of the pixels in m but not in o.
func (m *moments) lessPart(o *moments) (d moments) {
	d.n = m.n - o.n
	for i := range m.sum {
		d.sum[i] = m.sum[i] - o.sum[i]
	}
	for i := range m.product {
		d.product[i] = m.product[i] - o.product[i]
	}
	return d
}

// rows holds, for each row of four pixels, the moments of each subset of its pixels.
type rows [4][16]moments

func (r *rows) fillRows(px *[16]point) {
	for y := range r {
		r[y][0] = moments{}
		for x := range 4 {
			var one moments
			one.addToMoments(&px[4*y+x])
			for set := range 1 << x {
				r[y][set|1<<x] = r[y][set]
				r[y][set|1<<x].addMoments(&one)
			}
		}
	}
}

// sumOfRows returns the moments of the pixels in a mask.
func (r *rows) sumOfRows(mask uint16) moments {
	m := r[0][mask&15]
	m.addMoments(&r[1][mask>>4&15])
	m.addMoments(&r[2][mask>>8&15])
	m.addMoments(&r[3][mask>>12])
	return m
}

// A scatter is the covariance of pixels times the square of their number. Entries of unused
// channels are 0.
type scatter [10]float64

// scatterOfChannels returns the scatter of the channels whose bits are set.
func (m *moments) scatterOfChannels(channels uint8) (s scatter) {
	k := 0
	for i := range 4 {
		for j := i; j < 4; j++ {
			if (channels>>i)&(channels>>j)&1 != 0 {
				s[k] = float64(int64(m.n)*int64(m.product[k]) - int64(m.sum[i])*int64(m.sum[j]))
			}
			k++
		}
	}
	return s
}

// residueOf estimates the squared error of pixels whose line is not known yet. It returns their
// total scatter, and the part of the scatter along one line. This part is the norm of the
// covariance matrix, which approximates its largest eigenvalue. The norm is exact if all other
// eigenvalues are 0, otherwise slightly too large.
func (s *scatter) residueOf(n int32) (all, line float64) {
	if n == 0 {
		return 0, 0
	}
	diagonal := float64(s[0]*s[0]) + float64(s[4]*s[4]) + float64(s[7]*s[7]) + float64(s[9]*s[9])
	rest := float64(s[1]*s[1]) + float64(s[2]*s[2]) + float64(s[3]*s[3]) +
		float64(s[5]*s[5]) + float64(s[6]*s[6]) + float64(s[8]*s[8])
	per := 1 / float64(n)
	all = float64((s[0] + s[4] + s[7] + s[9]) * per)
	return all, float64(math.Sqrt(diagonal+2*rest) * per)
}

// A vector is a direction in red, green, blue and alpha.
type vector [4]float64

func (s *scatter) productWith(v *vector) vector {
	x, y, z, w := v[0], v[1], v[2], v[3]
	return vector{
		float64(s[0]*x) + float64(s[1]*y) + float64(s[2]*z) + float64(s[3]*w),
		float64(s[1]*x) + float64(s[4]*y) + float64(s[5]*z) + float64(s[6]*w),
		float64(s[2]*x) + float64(s[5]*y) + float64(s[7]*z) + float64(s[8]*w),
		float64(s[3]*x) + float64(s[6]*y) + float64(s[8]*z) + float64(s[9]*w),
	}
}

// principalVector returns the direction of the largest scatter of the pixels. It uses a few steps
// of power iteration, starting with the row of the channel that scatters most. The largest
// component is 1 or -1, unless all pixels are equal.
func (s *scatter) principalVector() vector {
	v := vector{s[0], s[1], s[2], s[3]}
	switch max(s[0], s[4], s[7], s[9]) {
	case s[4]:
		v = vector{s[1], s[4], s[5], s[6]}
	case s[0]:
	case s[7]:
		v = vector{s[2], s[5], s[7], s[8]}
	default:
		v = vector{s[3], s[6], s[8], s[9]}
	}
	for range 4 {
		top := max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]), math.Abs(v[3]))
		if top == 0 {
			return v
		}
		v = vector{v[0] / top, v[1] / top, v[2] / top, v[3] / top}
		v = s.productWith(&v)
	}
	top := max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]), math.Abs(v[3]))
	if top == 0 {
		return vector{}
	}
	return vector{v[0] / top, v[1] / top, v[2] / top, v[3] / top}
}

// acrossVector returns the part of the scatter S that is not along v. This part is S - uu'/v'u,
// where u = Sv.
func (s *scatter) acrossVector(v *vector) scatter {
	u := s.productWith(v)
	vu := float64(v[0]*u[0]) + float64(v[1]*u[1]) + float64(v[2]*u[2]) + float64(v[3]*u[3])
	if vu <= 0 {
		return *s
	}
	t := *s
	k := 0
	for i := range 4 {
		for j := i; j < 4; j++ {
			t[k] -= float64(u[i]*u[j]) / vu
			k++
		}
	}
	return t
}

// An axis is a direction with integer components.
type axis [4]int32

func (v *vector) roundedAxis() (d axis) {
	for i, x := range v {
		d[i] = int32(float64(x * 1024))
	}
	return d
}

func (d *axis) projectPoint(p *point) int32 {
	return d[0]*p[0] + d[1]*p[1] + d[2]*p[2] + d[3]*p[3]
}

// pointsBeyond returns the pixels beyond the mean along an axis.
func pointsBeyond(px *[16]point, m *moments, d *axis) (set uint16) {
	mean := d.projectPoint((*point)(&m.sum))
	for i := range px {
		if m.n*d.projectPoint(&px[i]) > mean {
			set |= 1 << i
		}
	}
	return set
}
