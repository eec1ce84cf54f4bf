// Package simplify reduces the number of triangles of a mesh while preserving its appearance, for
// levels of detail. It collapses edges in the order of the resulting error, measured by quadrics
// (Garland and Heckbert, "Surface Simplification Using Quadric Error Metrics", 1997; for attributes
// Hoppe, "New Quadric Metric for Simplifying Meshes with Appearance Attributes", 1999). A vertex
// only moves onto one of its neighbors, so that all levels can use the vertices of the original
// mesh.
//
// The result is the same on every machine.
package simplify

import (
	"context"
	"fmt"
	"math"

	"github.com/assetcook/assetcook/internal/mesh/optimize"
)

// Options limit the simplification. Simplify stops when it reaches Target or MaxError, or when no
// edge can collapse without breaking the mesh.
type Options struct {
	// Target is the number of indices to reach, three per triangle. The last collapse, which
	// usually removes two triangles, may reduce the result further.
	Target int
	// MaxError is the largest error, relative to the mesh's extent: 0.01 is 1 % of Scale. Values
	// below a millionth, the rounding error of positions, count as a millionth. So 0 only collapses
	// edges without cost.
	MaxError float32
	// LockBorder keeps the vertices at open edges in place, because another mesh may be adjacent.
	LockBorder bool
	// Attributes are preserved in addition to the shape. Attributes that are not listed are
	// ignored.
	Attributes []Attribute
}

// An Attribute is a vertex attribute other than the position, such as a normal, a color or a
// texture coordinate.
type Attribute struct {
	Values []float32 // values of the attribute, Width per vertex
	Width  int       // number of components, 1 to 4
	// Weight is the cost of changing the attribute. Changing it by 1 on a patch of the surface
	// costs as much as moving the patch by Weight times its width. 0.5 is suitable for normals; 0
	// ignores the attribute.
	Weight float32
}

// maxNumbers is the maximum number of attribute values per vertex.
const maxNumbers = 32

// Simplify returns the triangles of the simplified mesh and its largest error. The error is the
// root mean square of how far the surface around a vertex has moved, including its attributes by
// their weights. It is relative to the mesh's extent; see [Scale]. positions holds x, y, z of each
// vertex.
//
// Vertices at the same position form a seam: they collapse together, along the seam. Open borders,
// seams and holes keep their topology, and no triangle flips over. Triangles with two corners at
// the same position are removed. Simplify takes about 40 bytes per index and 190 per vertex;
// attributes take 90 more per vertex and 40 per attribute value.
func Simplify(ctx context.Context, indices []uint32, positions []float32, o Options) (out []uint32, reached float32, err error) {
	if err := checkSimplify(indices, positions, &o); err != nil {
		return nil, 0, err
	}
	m, err := newMesh(ctx, indices, positions, &o)
	if err != nil {
		return nil, 0, err
	}
	limit := max(float64(o.MaxError), 1e-6)
	limit = min(float64(limit*limit), math.MaxFloat32) // the limit stays below the cost of forbidden collapses
	if err := m.collapseUntil(o.Target, limit); err != nil {
		return nil, 0, err
	}
	return m.triangles, float32(math.Sqrt(m.reached)), nil
}

// Scale returns the extent of a mesh, which is the longest side of its bounding box. The error that
// [Simplify] returns, times Scale, is a distance in the units of the positions.
func Scale(positions []float32) float32 {
	_, extent := boundingBox(positions)
	return float32(min(extent, math.MaxFloat32))
}

// boundingBox returns the minimum corner of the bounding box and its longest side.
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
		return fmt.Errorf("the largest error, %v, is out of range; 0.01 is 1 %% of the mesh's extent", o.MaxError)
	}
	numbers := 0
	for i, a := range o.Attributes {
		if a.Width < 1 || a.Width > 4 || len(a.Values) != len(positions)/3*a.Width {
			return fmt.Errorf("attribute %d has %d numbers, which do not match %d numbers per vertex for %d vertices", i, len(a.Values), a.Width, len(positions)/3)
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
		return fmt.Errorf("a vertex has %d numbers of attributes; up to %d are possible", numbers, maxNumbers)
	}
	return nil
}

// A mesh is simplified in passes. A pass sorts the edges by the cost of their collapse, and
// collapses cheap edges that do not touch each other.
//
// Vertices at the same position are called its wedges. Shape and topology belong to positions,
// attributes to wedges.
type mesh struct {
	ctx  context.Context
	work int
	// effort is the remaining work that is allowed, given the size of the mesh. A typical mesh
	// takes less than half of it. A mesh that allows only one collapse per pass would take
	// quadratic time.
	effort int64

	triangles []uint32 // corners of the remaining triangles, as wedges
	position  []uint32 // position of each wedge
	at        []vector // coordinates of each position, scaled to the range from 0 to 1
	shape     []quadric
	facing    []vector    // sum of the original normals at each position, weighted by area
	worn      *appearance // attributes of the wedges; nil if there are none
	reached   float64     // square of the largest error so far

	lockBorder bool

	// These are the results of connectTriangles.
	place  []uint32 // position of each corner
	begin  []uint32 // start of each position's list: the corners at position p are around[begin[p]:begin[p+1]]
	around []uint32 // corners, as indices in triangles
	kind   []uint8  // kind of each position
	seam   []bool   // set for a position with two wedges
	edges  []edge

	// These are temporary data of rankEdges and collapseEdges.
	order   []uint32 // edges, sorted by cost
	to      []uint32 // destination of each position in this pass
	wedgeTo []uint32 // wedge that replaces each wedge in this pass
	touched []bool   // set for a position that has taken part in this pass
	mark    []uint32 // last stamp that marked each position
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
	m.edges = make([]edge, 0, len(m.triangles)/2) // a closed surface needs no larger capacity
	m.order = make([]uint32, 0, len(m.triangles)/2)
	m.kind = make([]uint8, count)
	m.seam = make([]bool, count)
	m.to = make([]uint32, count)
	m.wedgeTo = make([]uint32, vertices)
	m.touched = make([]bool, count)
	m.mark = make([]uint32, count)
	return m, nil
}

// collapseUntil collapses edges whose squared error is at most limit, until target indices are left
// or no edge can collapse.
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

// spendEffort counts work, in units of about ten nanoseconds. If the context is canceled, it
// returns the context's error.
func (m *mesh) spendEffort(work int) error {
	m.effort -= int64(work)
	if m.work += work; m.work < 1<<17 {
		return nil
	}
	m.work = 0
	return m.ctx.Err()
}

// cornersAt returns the corners that were at a position when the pass started.
func (m *mesh) cornersAt(p uint32) []uint32 { return m.around[m.begin[p]:m.begin[p+1]] }
