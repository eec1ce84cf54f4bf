// Package tangent makes the missing normals and tangents of a mesh. The tangents follow
// MikkTSpace (Morten S. Mikkelsen, "Simulation of Wrinkled Surfaces Revisited", 2008, and
// its reference implementation). Tools that bake normal maps and engines that draw them
// agree on it: any other tangents show seams. The tangents equal the reference's to the
// last bit but for one slip of it: it leaves the edges at the highest numbered vertex
// unsorted, and so may take neighbors there for strangers.
//
// A mesh is a list of indices, three a triangle, into arrays of vertices. The arguments are
// never written to, and the result is the same on every machine. These are errors: infinite
// numbers and NaNs, an index that names no vertex, arrays that do not match the positions,
// and a context that ends.
package tangent

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/mesh/optimize"
)

// Generate returns the tangents of a mesh, x, y, z, w for each corner (as many as indices).
// Corners of one vertex may differ at mirrored texture coordinates, so unroll the vertices,
// one a corner, and weld them again. positions and normals have three numbers a vertex, uvs
// two. Generate takes about 45 bytes a corner and 50 a vertex, 16 a corner of them the
// result.
//
// x, y, z has length 1, w is 1 or -1: bitangent = w * cross(normal, tangent). The rule
// holds unchanged if v points up as in OpenGL and OBJ. glTF's v points down: negate w
// there. Corners without a tangent, as in triangles without area in the texture, get 1, 0,
// 0, like the reference.
func Generate(ctx context.Context, indices []uint32, positions, normals, uvs []float32) (tangents []float32, err error) {
	if err := checkMesh(indices, positions); err != nil {
		return nil, err
	}
	n := len(positions) / 3
	if len(normals) != 3*n || len(uvs) != 2*n {
		return nil, fmt.Errorf("%d vertices with %d numbers of normals and %d of texture coordinates: 3 and 2 each are needed", n, len(normals), len(uvs))
	}
	if err := checkFinite("normal", normals, 3); err != nil {
		return nil, err
	}
	if err := checkFinite("texture coordinate", uvs, 2); err != nil {
		return nil, err
	}
	welded, unique, err := optimize.Weld(ctx, n,
		optimize.FloatStream(positions, 3), optimize.FloatStream(normals, 3), optimize.FloatStream(uvs, 2))
	if err != nil {
		return nil, err
	}
	m := &mesh{
		ctx: ctx, indices: indices, positions: positions, normals: normals, uvs: uvs,
		corners: make([]uint32, len(indices)), unique: unique,
	}
	for i, v := range indices {
		if err := m.countWork(1); err != nil {
			return nil, err
		}
		m.corners[i] = welded[v]
	}
	if err := m.deriveFaces(); err != nil {
		return nil, err
	}
	if err := m.pairEdges(); err != nil {
		return nil, err
	}
	m.tangents = make([]float32, 4*len(indices))
	for c := range indices {
		if err := m.countWork(1); err != nil {
			return nil, err
		}
		copy(m.tangents[4*c:], []float32{1, 0, 0, -1})
	}
	if err := m.groupCorners(); err != nil {
		return nil, err
	}
	m.copyToDegenerate()
	return m.tangents, nil
}

// A mesh is the data of Generate's steps. A corner c is a place in indices; it also stands
// for the edge to the next corner of its triangle.
type mesh struct {
	ctx                     context.Context
	work                    int
	indices                 []uint32
	positions, normals, uvs []float32

	corners  []uint32 // welded vertex of each corner
	unique   int      // number of welded vertices
	faces    []face
	opposite []uint32 // opposite edge of each edge, or none
	tangents []float32
}

const none = ^uint32(0)

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

func (m *mesh) cornerPosition(c uint32) vec { return vec(m.positions[3*int(m.indices[c]):][:3]) }
func (m *mesh) normal(c uint32) vec         { return vec(m.normals[3*int(m.indices[c]):][:3]) }
func (m *mesh) uv(c uint32) (u, v float32) {
	t := m.uvs[2*int(m.indices[c]):][:2]
	return t[0], t[1]
}

// copyToDegenerate gives the corners of triangles with two corners at one point the
// tangent of the first good corner at their vertex.
func (m *mesh) copyToDegenerate() {
	first := make([]uint32, m.unique)
	for v := range first {
		first[v] = none
	}
	for c := len(m.corners) - 1; c >= 0; c-- {
		if m.faces[c/3].flags&degenerate == 0 {
			first[m.corners[c]] = uint32(c)
		}
	}
	for c, v := range m.corners {
		if from := first[v]; m.faces[c/3].flags&degenerate != 0 && from != none {
			copy(m.tangents[4*c:][:4], m.tangents[4*int(from):])
		}
	}
}

// countWork counts work, in units of some ten nanoseconds, and returns the error of the
// context if it has ended.
func (m *mesh) countWork(work int) error {
	if m.work += work; m.work < 1<<17 {
		return nil
	}
	m.work = 0
	return m.ctx.Err()
}

func checkMesh(indices []uint32, positions []float32) error {
	if err := optimize.CheckPositions(positions); err != nil {
		return err
	}
	return optimize.CheckTriangles(indices, len(positions)/3)
}

func checkFinite(what string, values []float32, width int) error {
	for i, x := range values {
		if x-x != 0 {
			return fmt.Errorf("vertex %d has the %s %v: it must be a finite number", i/width, what, x)
		}
	}
	return nil
}
