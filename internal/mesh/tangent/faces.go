package tangent

import (
	"math"
	"slices"
)

// A face is the properties of a whole triangle.
type face struct {
	s, t  vec // the directions in which u and v grow, of length 1, or 0
	flags uint8
}

const (
	assigned   = 1 << iota // corner 0 is in a group; corners 1 and 2 are shifted
	_                      // of corner 1
	_                      // of corner 2
	preserving             // the texture is not mirrored
	groupsAny              // no direction is known: it joins any group
	degenerate             // two corners lie at one point
)

const anyAssigned = 7

// derive finds the directions of all faces: equations 18 and 19 of the paper.
func (m *mesh) derive() error {
	m.faces = make([]face, len(m.corners)/3)
	for f := range m.faces {
		if err := m.look(4); err != nil {
			return err
		}
		face := &m.faces[f]
		c := uint32(3 * f)
		p0, p1, p2 := m.position(c), m.position(c+1), m.position(c+2)
		if p0 == p1 || p0 == p2 || p1 == p2 {
			face.flags |= degenerate
			continue
		}
		u0, v0 := m.uv(c)
		u1, v1 := m.uv(c + 1)
		u2, v2 := m.uv(c + 2)
		du1, dv1, du2, dv2 := u1-u0, v1-v0, u2-u0, v2-v0
		d1, d2 := p1.minus(p0), p2.minus(p0)
		area := float32(du1*dv2) - float32(dv1*du2)
		s := d1.times(dv2).minus(d2.times(dv1))
		t := d1.times(-du2).plus(d2.times(du1))
		sign := float32(-1)
		if area > 0 {
			face.flags |= preserving
			sign = 1
		}
		face.flags |= groupsAny
		if !notZero(area) {
			continue
		}
		lengthS, lengthT := s.length(), t.length()
		if notZero(lengthS) {
			face.s = s.times(sign / lengthS)
		}
		if notZero(lengthT) {
			face.t = t.times(sign / lengthT)
		}
		size := float32(math.Abs(float64(area)))
		if notZero(lengthS/size) && notZero(lengthT/size) {
			face.flags &^= groupsAny
		}
	}
	return nil
}

// pairEdges finds the opposite of each edge. Where more than two triangles meet at
// an edge, the first that runs one way has the first that runs the other, and so on.
func (m *mesh) pairEdges() error {
	m.opposite = make([]uint32, len(m.corners))
	for c := range m.opposite {
		m.opposite[c] = none
	}
	// The edges by their lower vertex: the edges of v are sorted[begin[v]:begin[v+1]], each
	// with the higher vertex and the corner.
	begin := make([]uint32, m.unique+1)
	if err := m.eachEdge(func(low, _, _ uint32) { begin[low]++ }); err != nil {
		return err
	}
	sum := uint32(0)
	for v, n := range begin {
		begin[v] = sum
		sum += n
	}
	sorted := make([]uint64, sum)
	err := m.eachEdge(func(low, high, c uint32) {
		sorted[begin[low]] = uint64(high)<<32 | uint64(c)
		begin[low]++
	})
	if err != nil {
		return err
	}
	from := uint32(0)
	for v := range m.unique {
		edges := sorted[from:begin[v]]
		from = begin[v]
		if err := m.look(1 + 4*len(edges)); err != nil {
			return err
		}
		slices.Sort(edges)
		for len(edges) > 0 {
			n := 1
			for n < len(edges) && edges[n]>>32 == edges[0]>>32 {
				n++
			}
			m.pair(edges[:n], uint32(v))
			edges = edges[n:]
		}
	}
	return nil
}

// eachEdge calls do for the edges of the faces that have an area.
func (m *mesh) eachEdge(do func(low, high, corner uint32)) error {
	for f := range m.faces {
		if err := m.look(3); err != nil {
			return err
		}
		if m.faces[f].flags&degenerate != 0 {
			continue
		}
		for c := uint32(3 * f); c < uint32(3*f+3); c++ {
			a, b := m.corners[c], m.corners[next(c)]
			do(min(a, b), max(a, b), c)
		}
	}
	return nil
}

// pair matches edges between the same two vertices, the lower of them low, in order.
func (m *mesh) pair(edges []uint64, low uint32) {
	up, down := 0, 0 // where to look for the next that begins at low, or ends there
	for {
		for up < len(edges) && m.corners[uint32(edges[up])] != low {
			up++
		}
		for down < len(edges) && m.corners[uint32(edges[down])] == low {
			down++
		}
		if up == len(edges) || down == len(edges) {
			return
		}
		a, b := uint32(edges[up]), uint32(edges[down])
		m.opposite[a], m.opposite[b] = b, a
		up++
		down++
	}
}
