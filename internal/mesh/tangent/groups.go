package tangent

import "slices"

// A member is a corner of a group, with the directions of its face in the plane of
// the normal that all corners of the group share.
type member struct {
	corner uint32
	s, t   vec
	part   vec // of the tangents that it counts for: s, as long as the corner is wide
	any    bool
}

// groupCorners joins the corners at each vertex that share edges and are mirrored alike,
// and gives each group one tangent: the mean of its faces' tangents, weighted by their
// angles.
func (m *mesh) groupCorners() error {
	var group []uint32
	var members []member
	for c := range uint32(len(m.corners)) {
		f := &m.faces[c/3]
		if f.flags&(degenerate|groupsAny|assigned<<(c%3)) != 0 {
			continue
		}
		f.flags |= assigned << (c % 3)
		group = m.walk(append(group[:0], c), f.flags&preserving)
		slices.Sort(group)
		n := m.normal(c)
		members = members[:0]
		for _, c := range group {
			members = append(members, m.member(c, n))
		}
		if err := m.look(20 * len(group)); err != nil {
			return err
		}
		if err := m.settle(members, f.flags&preserving != 0); err != nil {
			return err
		}
	}
	return nil
}

// member returns a corner as a member of its group, whose normal is n. One without a
// direction counts for no tangent.
func (m *mesh) member(c uint32, n vec) member {
	f := &m.faces[c/3]
	g := member{corner: c, s: f.s.flat(n), t: f.t.flat(n), any: f.flags&groupsAny != 0}
	if !g.any {
		p := m.position(c)
		a := m.position(previous(c)).minus(p).flat(n)
		b := m.position(next(c)).minus(p).flat(n)
		cos := min(max(a.dot(b), -1), 1)
		g.part = g.s.times(float32(acos(float64(cos))))
	}
	return g
}

// walk goes from the corner in the group around its vertex, to the left and then to
// the right, as far as edges are shared and the texture is mirrored alike.
func (m *mesh) walk(group []uint32, mirror uint8) []uint32 {
	start := group[0]
	for left := m.opposite[start]; left != none; {
		c := next(left)
		if !m.join(c, mirror) {
			break
		}
		group = append(group, c)
		left = m.opposite[c]
	}
	for c := m.opposite[previous(start)]; c != none; c = m.opposite[previous(c)] {
		if !m.join(c, mirror) {
			break
		}
		group = append(group, c)
	}
	return group
}

// join adds a corner to a group, if it is free and mirrored alike. A face without a
// direction takes that direction from the first group that it joins.
func (m *mesh) join(c uint32, mirror uint8) bool {
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

// manyFaces bounds the comparison of all corners at a vertex with each other.
const manyFaces = 512

// settle gives the members of a group their tangents. All get the same, unless some are
// exactly opposite: a corner then leaves out the opposite ones. At a vertex of more than
// manyFaces faces no corner is left out.
func (m *mesh) settle(group []member, preserving bool) error {
	if len(group) > manyFaces || oneSided(group) {
		s := mean(group, func(member) bool { return true })
		for _, g := range group {
			m.set(g.corner, s, preserving)
		}
		return nil
	}
	for _, g := range group {
		s := mean(group, func(h member) bool {
			return g.any || g.corner == h.corner || g.s.dot(h.s) > -1 && g.t.dot(h.t) > -1
		})
		if err := m.look(len(group)); err != nil {
			return err
		}
		m.set(g.corner, s, preserving)
	}
	return nil
}

// oneSided tells whether no two members can be opposite, because all lie on one side.
func oneSided(group []member) bool {
	for _, g := range group[1:] {
		if !(g.s.dot(group[0].s) > 0.01 && g.t.dot(group[0].t) > 0.01) {
			return false
		}
	}
	return true
}

// mean returns the tangent of those members that count.
func mean(group []member, counts func(member) bool) vec {
	var sum vec
	for _, g := range group {
		if !g.any && counts(g) {
			sum = sum.plus(g.part)
		}
	}
	return sum.unit()
}

// set stores the tangent of a corner. Where the sum came to nothing, or overflowed,
// there is none.
func (m *mesh) set(c uint32, s vec, preserving bool) {
	if l := s.dot(s); !(l > 0.5 && l < 2) {
		s = vec{1, 0, 0}
	}
	w := float32(-1)
	if preserving {
		w = 1
	}
	copy(m.tangents[4*int(c):][:4], []float32{s[0], s[1], s[2], w})
}
