package simplify

import "github.com/assetcook/assetcook/internal/mesh/optimize"

// An edge joins the positions in from and to. out is a corner at position from, and the next corner
// of its triangle is at position to. back is the same in the opposite direction. At an open border,
// either out or back is none.
type edge struct {
	from, to  uint32
	out, back uint32
	cost      float32 // cost of moving position from onto position to
}

const none = ^uint32(0)

// These are the kinds of positions.
const (
	gone     = iota // has no triangles
	interior        // is surrounded by triangles
	border          // is on two open edges
	fixed           // must not move
)

// crowd is the maximum number of triangles at a position that takes part in a collapse. The work
// grows with the square of this number.
const crowd = 1 << 10

// connectTriangles finds the triangles at each position, its kind, and the edges.
func (m *mesh) connectTriangles() error {
	if err := m.findCorners(); err != nil {
		return err
	}
	clear(m.kind)
	m.edges = m.edges[:0]
	r := rim{slot: m.mark}
	clear(r.slot)
	m.stamp = 0
	for p := range uint32(len(m.at)) {
		corners := m.cornersAt(p)
		if err := m.spendEffort(1 + 6*len(corners)); err != nil {
			return err
		}
		if len(corners) > 0 {
			m.classifyPosition(p, corners, r.neighbors(m, corners))
		}
	}
	return nil
}

// findCorners lists the corners at each position.
func (m *mesh) findCorners() error {
	count := len(m.at)
	clear(m.begin)
	m.place = m.place[:len(m.triangles)]
	for c, v := range m.triangles {
		if err := m.spendEffort(1); err != nil {
			return err
		}
		m.place[c] = m.position[v]
		m.begin[m.place[c]+1]++
	}
	for p := range count {
		m.begin[p+1] += m.begin[p]
	}
	for c := len(m.place) - 1; c >= 0; c-- { // backwards, so that each list is in ascending order
		if err := m.spendEffort(1); err != nil {
			return err
		}
		p := m.place[c]
		m.begin[p+1]--
		m.around[m.begin[p+1]] = uint32(c)
	}
	// Now begin[p+1] is the start of the list of p, so shift all starts back by one.
	copy(m.begin, m.begin[1:])
	m.begin[count] = uint32(len(m.triangles))
	return nil
}

// A neighbor is a position that shares edges with a given position. out and back are the last
// corners of the edges to the neighbor and from it. outs and returns count these edges.
type neighbor struct {
	position      uint32
	out, back     uint32
	outs, returns int
}

// A rim lists the neighbors of a position. Its memory is reused for other positions.
type rim struct {
	list []neighbor
	slot []uint32 // 1 + index in list, by position; all 0 between two uses
}

// neighbors returns the neighbors of the position that has the given corners, in their order.
func (r *rim) neighbors(m *mesh, corners []uint32) []neighbor {
	r.list = r.list[:0]
	meet := func(q uint32) *neighbor {
		if r.slot[q] == 0 {
			r.list = append(r.list, neighbor{position: q, out: none, back: none})
			r.slot[q] = uint32(len(r.list))
		}
		return &r.list[r.slot[q]-1]
	}
	for _, c := range corners {
		n := meet(m.place[optimize.NextCorner(c)])
		n.out, n.outs = c, n.outs+1
		n = meet(m.place[optimize.PreviousCorner(c)])
		n.back, n.returns = optimize.PreviousCorner(c), n.returns+1
	}
	for _, n := range r.list {
		r.slot[n.position] = 0
	}
	return r.list
}

// classifyPosition sets the kind of a position. It adds the edges from this position to positions
// with higher numbers.
func (m *mesh) classifyPosition(p uint32, corners []uint32, around []neighbor) {
	open, tangled := 0, len(corners) > crowd
	for _, n := range around {
		switch {
		case n.outs == 1 && n.returns == 1:
		case n.outs+n.returns == 1:
			open++
		default:
			tangled = true
			continue
		}
		if p < n.position {
			m.edges = append(m.edges, edge{from: p, to: n.position, out: n.out, back: n.back})
		}
	}
	wedges := m.wedges(corners)
	m.seam[p] = wedges > 1
	switch {
	case tangled || open > 2 || wedges > 2:
		m.kind[p] = fixed
	case open == 0:
		m.kind[p] = interior
	case open == 2 && !m.lockBorder:
		m.kind[p] = border
	default:
		m.kind[p] = fixed
	}
}

// wedges returns the number of distinct wedges at the corners of a position, but at most three.
func (m *mesh) wedges(corners []uint32) int {
	first := m.triangles[corners[0]]
	second := first
	for _, c := range corners {
		switch v := m.triangles[c]; {
		case v == first || v == second:
		case second == first:
			second = v
		default:
			return 3
		}
	}
	if second != first {
		return 2
	}
	return 1
}

// A move describes how a position moves along an edge. It maps the wedges at the old position to
// wedges at the new position. A position on a seam has two wedges. For other positions, both
// elements of from and of to are equal.
type move struct {
	from, to [2]uint32
}

// moves returns the move of e.from onto e.to, or of e.to onto e.from if reverse is set. ok is false
// if a wedge does not have exactly one target, or if the kinds of the positions forbid the move.
func (m *mesh) moves(e *edge, reverse bool) (mv move, ok bool) {
	p, q := e.from, e.to
	if reverse {
		p, q = q, p
	}
	switch m.kind[p] {
	case interior:
	case border:
		if e.out != none && e.back != none {
			return mv, false // the edge crosses the mesh from one point of the border to another
		}
	default:
		return mv, false
	}
	if m.begin[q+1]-m.begin[q] > crowd {
		return mv, false
	}
	// Each triangle at the edge determines the target of one wedge.
	n := 0
	if e.out != none {
		mv.from[n], mv.to[n] = m.triangles[e.out], m.triangles[optimize.NextCorner(e.out)]
		n++
	}
	if e.back != none {
		mv.from[n], mv.to[n] = m.triangles[optimize.NextCorner(e.back)], m.triangles[e.back]
		n++
	}
	if n == 1 {
		mv.from[1], mv.to[1] = mv.from[0], mv.to[0]
	}
	if reverse {
		mv.from, mv.to = mv.to, mv.from
	}
	if mv.from[0] == mv.from[1] {
		// There is one wedge, or there are two and the second has no target.
		return mv, mv.to[0] == mv.to[1] && !m.seam[p]
	}
	return mv, true
}
