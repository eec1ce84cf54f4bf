package tangent

import (
	"math"
	"slices"

	"github.com/assetcook/assetcook/internal/mesh/optimize"
)

// A face holds the derived properties of a triangle.
type face struct {
	s, t  vec // unit directions of growing u and v, or zero vectors
	flags uint8
}

const (
	assigned   = 1 << iota // set if corner 0 belongs to a group
	_                      // set if corner 1 belongs to a group
	_                      // set if corner 2 belongs to a group
	preserving             // set if the texture is not mirrored
	groupsAny              // set if the direction is unknown, so that corners may join any group
	degenerate             // set if two corners are at the same position
)

const anyAssigned = 7

// deriveFaces computes the directions of all faces by equations 18 and 19 of the paper.
func (m *mesh) deriveFaces() error {
	m.faces = make([]face, len(m.corners)/3)
	for f := range m.faces {
		if err := m.countWork(4); err != nil {
			return err
		}
		face := &m.faces[f]
		c := uint32(3 * f)
		p0, p1, p2 := m.cornerPosition(c), m.cornerPosition(c+1), m.cornerPosition(c+2)
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

// pairEdges finds the opposite of each edge. If more than two triangles share an edge, it pairs the
// first edge in one direction with the first edge in the other direction, and so on.
func (m *mesh) pairEdges() error {
	m.opposite = make([]uint32, len(m.corners))
	for c := range m.opposite {
		m.opposite[c] = none
	}
	// The edges are sorted by their lower vertex. The edges of v are sorted[begin[v]:begin[v+1]].
	// Each entry holds the higher vertex and the corner.
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
		if err := m.countWork(1 + 4*len(edges)); err != nil {
			return err
		}
		slices.Sort(edges)
		for len(edges) > 0 {
			n := 1
			for n < len(edges) && edges[n]>>32 == edges[0]>>32 {
				n++
			}
			m.pairOpposite(edges[:n], uint32(v))
			edges = edges[n:]
		}
	}
	return nil
}

// eachEdge calls do for each edge of the faces that have an area.
func (m *mesh) eachEdge(do func(low, high, corner uint32)) error {
	for f := range m.faces {
		if err := m.countWork(3); err != nil {
			return err
		}
		if m.faces[f].flags&degenerate != 0 {
			continue
		}
		for c := uint32(3 * f); c < uint32(3*f+3); c++ {
			a, b := m.corners[c], m.corners[optimize.NextCorner(c)]
			do(min(a, b), max(a, b), c)
		}
	}
	return nil
}

// pairOpposite pairs edges between the same two vertices, in order. low is the lower vertex of all
// edges.
func (m *mesh) pairOpposite(edges []uint64, low uint32) {
	up, down := 0, 0 // next edge to check that starts at low, and next edge that ends at low
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

// A member is a corner of a group. It holds the directions of its face, projected on the plane that
// is perpendicular to the group's normal.
type member struct {
	corner uint32
	s, t   vec
	part   vec // contribution to the group's tangent: s times the angle at the corner
	any    bool
}

// groupCorners groups the corners at a vertex whose faces share edges and have the same mirroring.
// Each group gets one tangent: the mean of the tangents of its faces, weighted by their angles.
func (m *mesh) groupCorners() error {
	var group []uint32
	var members []member
	for c := range uint32(len(m.corners)) {
		f := &m.faces[c/3]
		if f.flags&(degenerate|groupsAny|assigned<<(c%3)) != 0 {
			continue
		}
		f.flags |= assigned << (c % 3)
		group = m.walkGroup(append(group[:0], c), f.flags&preserving)
		slices.Sort(group)
		n := m.normal(c)
		members = members[:0]
		for _, c := range group {
			members = append(members, m.memberOf(c, n))
		}
		if err := m.countWork(20 * len(group)); err != nil {
			return err
		}
		if err := m.setGroupTangents(members, f.flags&preserving != 0); err != nil {
			return err
		}
	}
	return nil
}

// memberOf returns corner c as a member of a group whose normal is n. A corner without a direction
// contributes nothing to the tangent.
func (m *mesh) memberOf(c uint32, n vec) member {
	f := &m.faces[c/3]
	g := member{corner: c, s: f.s.flattenTo(n), t: f.t.flattenTo(n), any: f.flags&groupsAny != 0}
	if !g.any {
		p := m.cornerPosition(c)
		a := m.cornerPosition(optimize.PreviousCorner(c)).minus(p).flattenTo(n)
		b := m.cornerPosition(optimize.NextCorner(c)).minus(p).flattenTo(n)
		cos := min(max(a.dot(b), -1), 1)
		g.part = g.s.times(float32(acos(float64(cos))))
	}
	return g
}

// walkGroup adds the corners around the vertex of a group's first corner, first to the left, then
// to the right. It stops where faces share no edge or have different mirroring.
func (m *mesh) walkGroup(group []uint32, mirror uint8) []uint32 {
	start := group[0]
	for left := m.opposite[start]; left != none; {
		c := optimize.NextCorner(left)
		if !m.joinGroup(c, mirror) {
			break
		}
		group = append(group, c)
		left = m.opposite[c]
	}
	for c := m.opposite[optimize.PreviousCorner(start)]; c != none; c = m.opposite[optimize.PreviousCorner(c)] {
		if !m.joinGroup(c, mirror) {
			break
		}
		group = append(group, c)
	}
	return group
}

// joinGroup adds a corner to a group, if the corner has no group yet and has the same mirroring. A
// face without a direction adopts the mirroring of the first group that it joins.
func (m *mesh) joinGroup(c uint32, mirror uint8) bool {
	f := &m.faces[c/3]
	if f.flags&(assigned<<(c%3)) != 0 {
		return false
	}
	if f.flags&groupsAny != 0 && f.flags&anyAssigned == 0 {
		f.flags = f.flags&^preserving | mirror
	}
	if f.flags&preserving != mirror {
		return false
	}
	f.flags |= assigned << (c % 3)
	return true
}

// manyFaces limits the number of corners at a vertex that are compared with each other.
const manyFaces = 512

// setGroupTangents sets the tangents of a group's members. All members get the same tangent, unless
// some are exactly opposite. Then each corner ignores the members opposite to it. At a vertex with
// more than manyFaces faces, no member is ignored.
func (m *mesh) setGroupTangents(group []member, preserving bool) error {
	if len(group) > manyFaces || oneSided(group) {
		s := meanTangent(group, func(member) bool { return true })
		for _, g := range group {
			m.setTangent(g.corner, s, preserving)
		}
		return nil
	}
	for _, g := range group {
		s := meanTangent(group, func(h member) bool {
			return g.any || g.corner == h.corner || g.s.dot(h.s) > -1 && g.t.dot(h.t) > -1
		})
		if err := m.countWork(len(group)); err != nil {
			return err
		}
		m.setTangent(g.corner, s, preserving)
	}
	return nil
}

// oneSided reports whether the directions of all members are less than a right angle from the
// directions of the first, so that no two are opposite.
func oneSided(group []member) bool {
	for _, g := range group[1:] {
		if !(g.s.dot(group[0].s) > 0.01 && g.t.dot(group[0].t) > 0.01) {
			return false
		}
	}
	return true
}

// meanTangent returns the mean tangent of the members that the function counts accepts.
func meanTangent(group []member, counts func(member) bool) vec {
	var sum vec
	for _, g := range group {
		if !g.any && counts(g) {
			sum = sum.plus(g.part)
		}
	}
	return sum.unit()
}

// setTangent stores the tangent of a corner. It stores 1, 0, 0 if the sum of the tangents is zero
// or has overflowed.
func (m *mesh) setTangent(c uint32, s vec, preserving bool) {
	if l := s.dot(s); !(l > 0.5 && l < 2) {
		s = vec{1, 0, 0}
	}
	w := float32(-1)
	if preserving {
		w = 1
	}
	copy(m.tangents[4*int(c):][:4], []float32{s[0], s[1], s[2], w})
}
