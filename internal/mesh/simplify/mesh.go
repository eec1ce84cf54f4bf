package simplify

import (
	"context"

	"github.com/assetcook/assetcook/internal/mesh/optimize"
)

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
	position  []uint32 // of each wedge, its position
	at        []vector // of each position, scaled to 0 to 1
	shape     []quadric
	facing    []vector    // of each position, the sum of the normals that went into shape, by area
	worn      *appearance // nil without attributes
	reached   float64     // the largest error, squared

	lockBorder bool

	// What connect finds.
	place  []uint32 // of each corner, its position
	begin  []uint32 // the corners at position p are around[begin[p]:begin[p+1]]
	around []uint32 // corners: places in triangles
	kind   []uint8  // of each position
	seam   []bool   // of each position: it has two wedges
	edges  []edge

	// Scratch of rank and collapse.
	order   []uint32 // of edges, the cheapest first
	to      []uint32 // where a position went in this pass
	wedgeTo []uint32 // where a wedge went in this pass
	touched []bool   // of each position: it took part in this pass
	mark    []uint32 // of each position, the last stamp that it got
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
	least, extent := box(positions)
	scale := 0.0
	if extent > 0 {
		scale = 1 / extent
	}
	m.at = make([]vector, count)
	for v, p := range m.position {
		m.at[p] = at(positions, v).minus(least).times(scale)
	}
	if err := m.spend(vertices); err != nil {
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
	if err := m.spend(len(indices)); err != nil {
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

// reduce collapses edges up to a limit, a squared error, until target indices are
// left or nothing can.
func (m *mesh) reduce(target int, limit float64) error {
	if err := m.measure(); err != nil {
		return err
	}
	for len(m.triangles) > target && m.effort > 0 {
		if err := m.connect(); err != nil {
			return err
		}
		if err := m.rank(limit); err != nil {
			return err
		}
		removed, err := m.collapse((len(m.triangles) - target + 2) / 3)
		if err != nil {
			return err
		}
		if removed == 0 {
			break
		}
	}
	return nil
}

// spend counts work, in units of some ten nanoseconds, and returns the error of the
// context if it has ended.
func (m *mesh) spend(work int) error {
	m.effort -= int64(work)
	if m.work += work; m.work < 1<<17 {
		return nil
	}
	m.work = 0
	return m.ctx.Err()
}

// next and previous are the other corners of the triangle of a corner.
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

// corners returns the corners at a position, as they were when the pass began.
func (m *mesh) corners(p uint32) []uint32 { return m.around[m.begin[p]:m.begin[p+1]] }
