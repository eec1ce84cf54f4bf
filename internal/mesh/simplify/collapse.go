package simplify

import (
	"math"

	"github.com/assetcook/assetcook/internal/mesh/optimize"
)

// rankEdges keeps the edges whose collapse is possible, each in its cheaper direction, sorted by
// cost. It drops edges whose squared error exceeds limit.
func (m *mesh) rankEdges(limit float64) error {
	kept := m.edges[:0]
	for i := range m.edges {
		if err := m.spendEffort(12 + 4*m.worn.countNumbers()); err != nil {
			return err
		}
		e := m.edges[i]
		there, back := m.collapseCost(&e, false), m.collapseCost(&e, true)
		if back < there {
			e.from, e.to = e.to, e.from
			// The field out must hold a corner at position from, and back a corner at position to.
			// So reversing the edge swaps the two.
			e.out, e.back = e.back, e.out
			there = back
		}
		if there <= limit {
			e.cost = float32(there)
			kept = append(kept, e)
		}
	}
	m.edges = kept
	return m.sortEdges()
}

// collapseCost returns the squared error of moving e.from onto e.to, or e.to onto e.from if reverse
// is set. It returns infinity if the move is forbidden.
func (m *mesh) collapseCost(e *edge, reverse bool) float64 {
	mv, ok := m.moves(e, reverse)
	if !ok {
		return math.Inf(1)
	}
	p, q := e.from, e.to
	if reverse {
		p, q = q, p
	}
	cost := m.shape[p].meanSquareAt(m.at[q])
	if m.worn != nil {
		cost += m.worn.attributeCost(m, mv.from[0], mv.to[0])
		if mv.from[1] != mv.from[0] {
			cost += m.worn.attributeCost(m, mv.from[1], mv.to[1])
		}
	}
	return cost
}

// sortEdges sorts the edges by cost. It is a stable counting sort that treats costs within 1 % as
// equal.
func (m *mesh) sortEdges() error {
	var begin [1<<15 + 1]uint32
	key := func(e *edge) uint32 { return math.Float32bits(e.cost) >> 16 }
	for i := range m.edges {
		begin[key(&m.edges[i])+1]++
	}
	for i := range len(begin) - 1 {
		begin[i+1] += begin[i]
	}
	if cap(m.order) < len(m.edges) {
		m.order = make([]uint32, len(m.edges))
	}
	m.order = m.order[:len(m.edges)]
	for i := range m.edges {
		k := key(&m.edges[i])
		m.order[begin[k]] = uint32(i)
		begin[k]++
	}
	return m.spendEffort(2 * len(m.edges))
}

// collapseEdges collapses the cheapest edges until goal triangles are removed from the list. An
// edge is skipped until the next pass if one of its positions has taken part in a collapse, because
// its cost has changed. More expensive edges are skipped as well, because cheaper ones may appear.
func (m *mesh) collapseEdges(goal int) (removed int, err error) {
	for p := range m.to {
		m.to[p] = uint32(p)
	}
	if err := m.spendEffort(len(m.to)); err != nil {
		return 0, err
	}
	clear(m.touched)
	clear(m.mark)
	m.stamp = 0
	for v := range m.wedgeTo {
		m.wedgeTo[v] = uint32(v)
	}
	for i, index := range m.order {
		if removed >= goal || removed > 0 && i > len(m.order)/3 {
			break
		}
		e := &m.edges[index]
		if err := m.spendEffort(2); err != nil {
			return 0, err
		}
		if m.touched[e.from] || m.touched[e.to] {
			continue
		}
		n, ok := m.healthy(e.from, e.to)
		if err := m.spendEffort(4 * int(m.begin[e.from+1]-m.begin[e.from]+m.begin[e.to+1]-m.begin[e.to])); err != nil {
			return 0, err
		}
		if !ok {
			continue
		}
		m.touched[e.from], m.touched[e.to] = true, true
		m.to[e.from] = e.to
		mv, _ := m.moves(e, false)
		for k, v := range mv.from {
			m.wedgeTo[v] = mv.to[k]
			if m.worn != nil && (k == 0 || v != mv.from[0]) {
				m.worn.mergeWedges(v, mv.to[k])
			}
		}
		m.shape[e.to].addQuadric(&m.shape[e.from])
		m.facing[e.to] = m.facing[e.to].plus(m.facing[e.from])
		removed += n
		m.reached = max(m.reached, float64(e.cost))
	}
	kept := m.triangles[:0]
	for c := 0; c < len(m.triangles); c += 3 {
		a, b, d := m.wedgeTo[m.triangles[c]], m.wedgeTo[m.triangles[c+1]], m.wedgeTo[m.triangles[c+2]]
		if p, q, r := m.position[a], m.position[b], m.position[d]; p != q && q != r && p != r {
			kept = append(kept, a, b, d)
		}
	}
	m.triangles = kept
	return removed, m.spendEffort(len(kept))
}

// others returns the other two current positions of a corner's triangle, in order.
func (m *mesh) others(c uint32) (a, b uint32) {
	return m.to[m.place[optimize.NextCorner(c)]], m.to[m.place[optimize.PreviousCorner(c)]]
}

// healthy reports whether p may move onto q, and how many common triangles this removes. Neither p
// nor q may have taken part in this pass. No remaining triangle may flip.
//
// The surface must keep its topology. This is so if all shared neighbors of p and q are in common
// triangles (Dey and others, "Topology Preserving Edge Contraction", 1999).
func (m *mesh) healthy(p, q uint32) (removed int, ok bool) {
	near, shared := m.stamp+1, m.stamp+2
	m.stamp += 2
	stay := 0
	for _, c := range m.cornersAt(p) {
		a, b := m.others(c)
		if a == b {
			continue // the triangle has already been removed in this pass
		}
		if a == q || b == q {
			removed++
		} else if m.flips(p, q, a, b) {
			return 0, false
		} else {
			stay++
		}
		m.mark[a], m.mark[b] = near, near
	}
	common := 0
	for _, c := range m.cornersAt(q) {
		a, b := m.others(c)
		if a == b {
			continue
		}
		if a != p && b != p {
			stay++
		}
		for _, n := range [2]uint32{a, b} {
			if m.mark[n] == near && n != p {
				m.mark[n] = shared
				common++
			}
		}
	}
	if common != removed || stay == 0 { // the collapse would remove a separate triangle
		return 0, false
	}
	// Suppose that p and q each have a triangle with the two shared neighbors. The collapse would
	// turn both into one triangle, as in the last collapse of a tetrahedron.
	return removed, !m.spans(p, q, shared) || !m.spans(q, p, shared)
}

// spans reports whether a triangle at p, but not at q, has two marked neighbors.
func (m *mesh) spans(p, q, mark uint32) bool {
	for _, c := range m.cornersAt(p) {
		a, b := m.others(c)
		if a != b && a != q && b != q && m.mark[a] == mark && m.mark[b] == mark {
			return true
		}
	}
	return false
}

// steepest is the cosine of the largest angle that one collapse may turn a triangle. With a right
// angle, two collapses could flip it.
const steepest = 0.25

// backward limits how far the original triangles around p and q may face away from the new
// triangles. It is the fraction of their area that faces backward, minus the fraction that faces
// forward. Several small turns may add up to such a fraction. On thin edges, and in large regions,
// the two fractions cancel out.
const backward = 0.25

// flips reports whether the triangle p, a, b turns too far when p moves to q.
func (m *mesh) flips(p, q, a, b uint32) bool {
	at := m.at[a]
	side := m.at[b].minus(at)
	before, after := m.at[p].minus(at).cross(side), m.at[q].minus(at).cross(side)
	before, after = before.times(-1), after.times(-1) // the order a, p, b reverses the triangle, so reverse it again
	size, newSize := before.dot(before), after.dot(after)
	if size == 0 {
		return false // a triangle without area cannot turn
	}
	if before.dot(after) <= float64(steepest*math.Sqrt(float64(size*newSize))) {
		return true
	}
	began, area := m.facing[p].plus(m.facing[q]), m.shape[p].weight+m.shape[q].weight
	shows := after.dot(began) / math.Sqrt(newSize)
	return shows < -float64(backward*area) && shows < before.dot(began)/math.Sqrt(size)
}

// An appearance is the attribute part of the quadric error. On a triangle, each attribute is a
// linear function of the point, g'p + d. The error of a wedge at a point p is the squared
// difference between its attribute and that function, weighted by the area.
type appearance struct {
	width  int
	values []float64 // attribute values times their weights; width values per wedge
	// sums holds, for each wedge, the part of the error that depends only on the point, weighted by
	// area.
	sums []quadric
	// slopes holds, for each value of each wedge, the sum of area times g and d.
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

// countNumbers returns the number of attribute values per wedge.
func (a *appearance) countNumbers() int {
	if a == nil {
		return 0
	}
	return a.width
}

func (a *appearance) valuesOf(wedge uint32) []float64 { return a.values[int(wedge)*a.width:][:a.width] }

func (a *appearance) slopesOf(wedge uint32) []slope { return a.slopes[int(wedge)*a.width:][:a.width] }

// addTriangle adds a triangle to the sums of its wedges. n is the cross product of two sides of the
// triangle.
func (a *appearance) addTriangle(m *mesh, triangle []uint32, n vector) {
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
	// These variables are gradients of the barycentric coordinates of corners 1 and 2.
	g1 := p[2].minus(p[0]).cross(n).times(1 / square)
	g2 := n.cross(p[1].minus(p[0])).times(1 / square)
	v0, v1, v2 := a.valuesOf(triangle[0]), a.valuesOf(triangle[1]), a.valuesOf(triangle[2])
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

// attributeCost returns the error of replacing wedge from by wedge to.
func (a *appearance) attributeCost(m *mesh, from, to uint32) float64 {
	p := m.at[m.position[to]]
	sum := &a.sums[from]
	e := sum.squareAt(p)
	values, slopes := a.valuesOf(to), a.slopesOf(from)
	for k, x := range values {
		s := &slopes[k]
		e += float64(x * (float64(x*sum.weight) - float64(2*(s.g.dot(p)+s.d))))
	}
	return max(e, 0)
}

// mergeWedges adds the sums of wedge from to wedge to.
func (a *appearance) mergeWedges(from, to uint32) {
	a.sums[to].addQuadric(&a.sums[from])
	slopes := a.slopesOf(to)
	for k, s := range a.slopesOf(from) {
		slopes[k].g = slopes[k].g.plus(s.g)
		slopes[k].d += s.d
	}
}
