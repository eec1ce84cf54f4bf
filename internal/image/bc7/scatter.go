package bc7

// A scatter is the covariance matrix of pixels, times their number squared:
// whole numbers below 2^25, so that nothing of it is rounded.
type scatter struct {
	rr, rg, rb, gg, gb, bb float64
	ra, ga, ba, aa         float64
}

// scatter returns how the pixels scatter, in alpha too or in color alone.
func (m *moments) scatter(alpha bool) (s scatter) {
	n := int64(m.count())
	r, g, b := red(m.sum), green(m.sum), blue(m.sum)
	s.rr = float64(n*red(m.red) - r*r)
	s.rg = float64(n*green(m.red) - r*g)
	s.rb = float64(n*blue(m.red) - r*b)
	s.gg = float64(n*red(m.gb) - g*g)
	s.gb = float64(n*green(m.gb) - g*b)
	s.bb = float64(n*blue(m.gb) - b*b)
	if alpha {
		sum, squares := m.alpha()
		a := int64(sum)
		s.ra = float64(n*red(m.a) - r*a)
		s.ga = float64(n*green(m.a) - g*a)
		s.ba = float64(n*blue(m.a) - b*a)
		s.aa = float64(n*int64(squares) - a*a)
	}
	return s
}

// principal returns the direction in which pixels scatter most: a few steps of the power
// iteration, from the row of the channel that scatters most. Entries are below 2^25, and
// each step multiplies by less than 2^27, so that even without scaling all numbers stay far
// from the limits of a float64.
func (s *scatter) principal(alpha bool) vector {
	v := s.row()
	if alpha {
		for range 3 {
			v = s.times(&v)
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

// A vector is a direction in red, green, blue and alpha.
type vector [4]float64

// row is the row of the channel that scatters most.
func (s *scatter) row() vector {
	r, g, b := size(s.rr), size(s.gg), size(s.bb)
	switch max(r, g, b, size(s.aa)) {
	case g:
		return vector{s.rg, s.gg, s.gb, s.ga}
	case r:
		return vector{s.rr, s.rg, s.rb, s.ra}
	case b:
		return vector{s.rb, s.gb, s.bb, s.ba}
	}
	return vector{s.ra, s.ga, s.ba, s.aa}
}

func (s *scatter) times(v *vector) vector {
	x, y, z, w := v[0], v[1], v[2], v[3]
	return vector{
		float64(s.rr*x) + float64(s.rg*y) + float64(s.rb*z) + float64(s.ra*w),
		float64(s.rg*x) + float64(s.gg*y) + float64(s.gb*z) + float64(s.ga*w),
		float64(s.rb*x) + float64(s.gb*y) + float64(s.bb*z) + float64(s.ba*w),
		float64(s.ra*x) + float64(s.ga*y) + float64(s.ba*z) + float64(s.aa*w),
	}
}

// across returns what scatters across a direction: with u = Sv it is S - uu'/v'u, in
// which v has no part any more.
func (s *scatter) across(v *vector) (t scatter) {
	u := s.times(v)
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
