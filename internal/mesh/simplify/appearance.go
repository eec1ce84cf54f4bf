package simplify

// An appearance is the attribute part of the quadric error. On a triangle, each attribute is a
// linear function of the point, g'p + d. The error of a wedge at a point p is the squared
// difference of its attribute from that function, weighted by the area.
type appearance struct {
	width  int
	values []float64 // width numbers a wedge, times their weights
	// sums holds of each wedge the part of the error that depends on the point only,
	// and in weight the area.
	sums []quadric
	// slopes holds of each number of each wedge the sum of area times g and d.
	slopes []slope
}

type slope struct {
	g vector
	d float64
}

func newAppearance(vertices int, attributes []Attribute) *appearance {
	a := new(appearance)
	for _, attribute := range attributes {
		if attribute.Weight > 0 {
			a.width += attribute.Width
		}
	}
	if a.width == 0 {
		return nil
	}
	a.values = make([]float64, 0, vertices*a.width)
	for v := range vertices {
		for _, attribute := range attributes {
			if attribute.Weight > 0 {
				for _, x := range attribute.Values[v*attribute.Width:][:attribute.Width] {
					a.values = append(a.values, float64(x)*float64(attribute.Weight))
				}
			}
		}
	}
	a.sums = make([]quadric, vertices)
	a.slopes = make([]slope, vertices*a.width)
	return a
}

// numbers is how many an attribute has, 0 for none.
func (a *appearance) numbers() int {
	if a == nil {
		return 0
	}
	return a.width
}

func (a *appearance) of(wedge uint32) []float64 { return a.values[int(wedge)*a.width:][:a.width] }

func (a *appearance) slopesOf(wedge uint32) []slope { return a.slopes[int(wedge)*a.width:][:a.width] }

// measure adds a triangle to its wedges. n is the cross product of its sides.
func (a *appearance) measure(m *mesh, triangle []uint32, n vector) {
	if a == nil {
		return
	}
	var p [3]vector
	for k, v := range triangle {
		p[k] = m.at[m.position[v]]
	}
	square := n.dot(n)
	if square == 0 {
		return
	}
	area := float64(n.length() / 2)
	// The gradients of the weights of the corners 1 and 2.
	g1 := p[2].minus(p[0]).cross(n).times(1 / square)
	g2 := n.cross(p[1].minus(p[0])).times(1 / square)
	v0, v1, v2 := a.of(triangle[0]), a.of(triangle[1]), a.of(triangle[2])
	for k := range a.width {
		g := g1.times(v1[k] - v0[k]).plus(g2.times(v2[k] - v0[k]))
		d := v0[k] - g.dot(p[0])
		for _, v := range triangle {
			a.sums[v].addPlane(g, d, area)
			s := &a.slopesOf(v)[k]
			s.g = s.g.plus(g.times(area))
			s.d += float64(d * area)
		}
	}
	for _, v := range triangle {
		a.sums[v].weight += area
	}
}

// cost returns the error where wedge from is replaced by wedge to.
func (a *appearance) cost(m *mesh, from, to uint32) float64 {
	p := m.at[m.position[to]]
	sum := &a.sums[from]
	e := sum.at(p)
	values, slopes := a.of(to), a.slopesOf(from)
	for k, x := range values {
		s := &slopes[k]
		e += float64(x * (float64(x*sum.weight) - float64(2*(s.g.dot(p)+s.d))))
	}
	return max(e, 0)
}

// merge adds the triangles of wedge from to wedge to.
func (a *appearance) merge(from, to uint32) {
	a.sums[to].add(&a.sums[from])
	slopes := a.slopesOf(to)
	for k, s := range a.slopesOf(from) {
		slopes[k].g = slopes[k].g.plus(s.g)
		slopes[k].d += s.d
	}
}
