// Package simplify makes a mesh of fewer triangles that looks like the given one, for
// levels of detail. It collapses edges in the order of the resulting error, measured by
// quadrics (Garland and Heckbert, "Surface Simplification Using Quadric Error Metrics",
// 1997; for attributes Hoppe, "New Quadric Metric for Simplifying Meshes with Appearance
// Attributes", 1999). A vertex only ever moves onto one of its neighbors, so that all
// levels share the vertices of the first.
//
// The result is the same on every machine.
package simplify

import (
	"context"
	"fmt"
	"math"

	"github.com/assetcook/assetcook/internal/mesh/optimize"
)

// Options bound the simplification. Simplify stops at Target or MaxError, whichever is
// first, or if no edge can collapse without breaking the mesh.
type Options struct {
	// Target is how many indices to reach, three a triangle. The result may end one
	// collapse below, two triangles as a rule.
	Target int
	// MaxError is relative to the mesh's extent: 0.01 is 1 % of Scale. Values below a
	// millionth, the rounding of positions, count as a millionth: 0 collapses free edges.
	MaxError float32
	// LockBorder keeps the vertices at open edges, where another mesh may join.
	LockBorder bool
	// Attributes shall look alike besides the shape. Other attributes are ignored.
	Attributes []Attribute
}

// An Attribute is a property of each vertex besides its position: a normal, a color, a texture
// coordinate.
type Attribute struct {
	Values []float32 // Width numbers per vertex
	Width  int       // 1 to 4
	// Weight is the cost of a difference of 1 on a part of the surface: it costs as much as a movement of
	// that part by Weight times its own width. 0.5 is right for normals, 0 ignores the attribute.
	Weight float32
}

// maxNumbers is the largest total of numbers in the attributes of a vertex.
const maxNumbers = 32

// Simplify returns the triangles of a mesh with fewer of them, and the error that it
// made, relative to the mesh's extent as [Scale] has it: the root of the mean square
// of how far the surface around a vertex moved, and its attributes by their weights,
// where it is worst. positions holds x, y, z of each vertex.
//
// Vertices at one position are a seam: they collapse together, along the seam. Open
// borders, seams and holes keep their topology, and no triangle flips over. Triangles
// with two corners at one position are left out. It takes about 40 bytes an index and
// 190 a vertex, and with attributes 90 a vertex more and 40 for each of their numbers.
func Simplify(ctx context.Context, indices []uint32, positions []float32, o Options) (out []uint32, reached float32, err error) {
	if err := checkSimplify(indices, positions, &o); err != nil {
		return nil, 0, err
	}
	m, err := newMesh(ctx, indices, positions, &o)
	if err != nil {
		return nil, 0, err
	}
	limit := max(float64(o.MaxError), 1e-6)
	limit = min(float64(limit*limit), math.MaxFloat32) // below the cost of what may not be
	if err := m.collapseUntil(o.Target, limit); err != nil {
		return nil, 0, err
	}
	return m.triangles, float32(math.Sqrt(m.reached)), nil
}

// Scale is the extent of a mesh, the longest side of the box around its positions:
// the error of [Simplify] times this is a distance in the units of the positions.
func Scale(positions []float32) float32 {
	_, extent := boundingBox(positions)
	return float32(min(extent, math.MaxFloat32))
}

// boundingBox returns the least corner of the box around positions and its longest side.
func boundingBox(positions []float32) (least vector, extent float64) {
	if len(positions) < 3 {
		return
	}
	least = vectorAt(positions, 0)
	most := least
	for v := range len(positions) / 3 {
		p := vectorAt(positions, v)
		least = vector{min(least.x, p.x), min(least.y, p.y), min(least.z, p.z)}
		most = vector{max(most.x, p.x), max(most.y, p.y), max(most.z, p.z)}
	}
	size := most.minus(least)
	return least, max(size.x, size.y, size.z)
}

func checkSimplify(indices []uint32, positions []float32, o *Options) error {
	if err := optimize.CheckPositions(positions); err != nil {
		return err
	}
	if err := optimize.CheckTriangles(indices, len(positions)/3); err != nil {
		return err
	}
	if !(o.MaxError >= 0) {
		return fmt.Errorf("an error of %v at most: 0.01 is 1 %% of the mesh's extent", o.MaxError)
	}
	numbers := 0
	for i, a := range o.Attributes {
		if a.Width < 1 || a.Width > 4 || len(a.Values) != len(positions)/3*a.Width {
			return fmt.Errorf("attribute %d has %d numbers of %d a vertex for %d vertices", i, len(a.Values), a.Width, len(positions)/3)
		}
		if !(a.Weight >= 0 && a.Weight <= 1e6) {
			return fmt.Errorf("attribute %d has the weight %v: 0 to 1000000 are possible", i, a.Weight)
		}
		for k, x := range a.Values {
			if x-x != 0 {
				return fmt.Errorf("vertex %d has %v in attribute %d: it must be a finite number", k/a.Width, x, i)
			}
		}
		numbers += a.Width
	}
	if numbers > maxNumbers {
		return fmt.Errorf("attributes of %d numbers a vertex: up to %d are possible", numbers, maxNumbers)
	}
	return nil
}

// A mesh is simplified in passes. A pass ranks the edges by the cost of their collapse, and
// collapses cheap edges that do not touch each other.
//
// Vertices at one position are called its wedges. Shape and topology belong to positions,
// attributes to wedges.
type mesh struct {
	ctx  context.Context
	work int
	// effort is the remaining work that a mesh of this size may take. A healthy mesh takes
	// less than half; a mesh that lets a single edge go in each pass would take the square
	// of its size.
	effort int64

	triangles []uint32 // remaining triangles, as wedges
	position  []uint32 // position of each wedge
	at        []vector // coordinates of each position, scaled to 0 to 1
	shape     []quadric
	facing    []vector    // sum of the normals in shape by position, weighted by area
	worn      *appearance // attributes; nil for none
	reached   float64     // largest error so far, squared

	lockBorder bool

	// Results of connectTriangles.
	place  []uint32 // position of each corner
	begin  []uint32 // corners at position p are around[begin[p]:begin[p+1]]
	around []uint32 // corners, as places in triangles
	kind   []uint8  // kind of each position
	seam   []bool   // set for positions with two wedges
	edges  []edge

	// Scratch of rankEdges and collapseEdges.
	order   []uint32 // edges, the cheapest first
	to      []uint32 // new position of each position in this pass
	wedgeTo []uint32 // new wedge of each wedge in this pass
	touched []bool   // set for positions that took part in this pass
	mark    []uint32 // last stamp of each position
	stamp   uint32
}

func newMesh(ctx context.Context, indices []uint32, positions []float32, o *Options) (*mesh, error) {
	vertices := len(positions) / 3
	m := &mesh{ctx: ctx, effort: 1<<20 + 600*int64(len(indices)), lockBorder: o.LockBorder}
	var count int
	var err error
	m.position, count, err = optimize.Weld(ctx, vertices, optimize.FloatStream(positions, 3))
	if err != nil {
		return nil, err
	}
	least, extent := boundingBox(positions)
	scale := 0.0
	if extent > 0 {
		scale = 1 / extent
	}
	m.at = make([]vector, count)
	for v, p := range m.position {
		m.at[p] = vectorAt(positions, v).minus(least).times(scale)
	}
	if err := m.spendEffort(vertices); err != nil {
		return nil, err
	}
	m.triangles = make([]uint32, 0, len(indices))
	for i := 0; i < len(indices); i += 3 {
		t := indices[i : i+3]
		a, b, c := m.position[t[0]], m.position[t[1]], m.position[t[2]]
		if a != b && b != c && a != c {
			m.triangles = append(m.triangles, t...)
		}
	}
	if err := m.spendEffort(len(indices)); err != nil {
		return nil, err
	}
	m.shape = make([]quadric, count)
	m.facing = make([]vector, count)
	m.worn = newAppearance(vertices, o.Attributes)
	m.begin = make([]uint32, count+1)
	m.place = make([]uint32, len(m.triangles))
	m.around = make([]uint32, len(m.triangles))
	m.edges = make([]edge, 0, len(m.triangles)/2) // enough for a closed surface
	m.order = make([]uint32, 0, len(m.triangles)/2)
	m.kind = make([]uint8, count)
	m.seam = make([]bool, count)
	m.to = make([]uint32, count)
	m.wedgeTo = make([]uint32, vertices)
	m.touched = make([]bool, count)
	m.mark = make([]uint32, count)
	return m, nil
}

// collapseUntil collapses edges up to a limit, a squared error, until target indices are left or no
// edge can collapse.
func (m *mesh) collapseUntil(target int, limit float64) error {
	if err := m.sumQuadrics(); err != nil {
		return err
	}
	for len(m.triangles) > target && m.effort > 0 {
		if err := m.connectTriangles(); err != nil {
			return err
		}
		if err := m.rankEdges(limit); err != nil {
			return err
		}
		removed, err := m.collapseEdges((len(m.triangles) - target + 2) / 3)
		if err != nil {
			return err
		}
		if removed == 0 {
			break
		}
	}
	return nil
}

// spendEffort counts work, in units of some ten nanoseconds, and returns the error of the
// context if it has ended.
func (m *mesh) spendEffort(work int) error {
	m.effort -= int64(work)
	if m.work += work; m.work < 1<<17 {
		return nil
	}
	m.work = 0
	return m.ctx.Err()
}

// next returns the next corner in a corner's triangle.
func next(c uint32) uint32 {
	if c%3 == 2 {
		return c - 2
	}
	return c + 1
}

func previous(c uint32) uint32 {
	if c%3 == 0 {
		return c + 2
	}
	return c - 1
}

// cornersAt returns the corners at a position, as they were when the pass began.
func (m *mesh) cornersAt(p uint32) []uint32 { return m.around[m.begin[p]:m.begin[p+1]] }
