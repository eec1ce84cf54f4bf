// Package tangent computes the missing normals and tangents of a mesh. The tangents follow
// MikkTSpace (Morten S. Mikkelsen, "Simulation of Wrinkled Surfaces Revisited", 2008, and its
// reference implementation). Tools that bake normal maps and engines that draw them use it by
// convention, because any other tangents show seams.
//
// The tangents equal the reference implementation's to the last bit, except for one of its bugs. It
// does not sort the edges at the highest numbered vertex, so it may not find adjacent triangles at
// this vertex.
//
// A mesh is a list of indices, three per triangle, into arrays of vertices. The arguments are never
// modified, and the result is the same on every machine. Functions return an error for infinities
// and NaNs, for an index out of range, for arrays that do not match the positions, and for a
// canceled context.
package tangent

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/mesh/optimize"
)

// Generate returns the tangents of a mesh, as x, y, z, w per corner (as many as indices). Corners
// of one vertex may have different tangents, for example where texture coordinates are mirrored. So
// give each corner its own vertex, and merge equal vertices again. positions and normals have three
// numbers per vertex, uvs two. Generate takes about 45 bytes per corner, including 16 for the
// result, and 50 per vertex.
//
// x, y, z is a unit vector, and w is 1 or -1: bitangent = w * cross(normal, tangent). This assumes
// that v points up, as in OpenGL and OBJ. In glTF v points down, so negate w. Corners without a
// tangent, such as corners of triangles without texture area, get 1, 0, 0, as in the reference
// implementation.
func Generate(ctx context.Context, indices []uint32, positions, normals, uvs []float32) (tangents []float32, err error) {
	if err := checkMesh(indices, positions); err != nil {
		return nil, err
	}
	n := len(positions) / 3
	if len(normals) != 3*n || len(uvs) != 2*n {
		return nil, fmt.Errorf("for %d vertices there are %d numbers of normals and %d of texture coordinates; each vertex needs 3 and 2", n, len(normals), len(uvs))
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

// mesh is the state of Generate. A corner c is an index in indices. It also identifies the edge to
// the next corner of its triangle.
type mesh struct {
	ctx                     context.Context
	work                    int
	indices                 []uint32
	positions, normals, uvs []float32

	corners  []uint32 // vertex of each corner after merging equal vertices
	unique   int      // number of distinct vertices
	faces    []face
	opposite []uint32 // opposite edge of each edge; none if there is no opposite
	tangents []float32
}

const none = ^uint32(0)

func (m *mesh) cornerPosition(c uint32) vec { return vec(m.positions[3*int(m.indices[c]):][:3]) }
func (m *mesh) normal(c uint32) vec         { return vec(m.normals[3*int(m.indices[c]):][:3]) }
func (m *mesh) uv(c uint32) (u, v float32) {
	t := m.uvs[2*int(m.indices[c]):][:2]
	return t[0], t[1]
}

// copyToDegenerate sets the tangents of degenerate triangles, which have two corners at the same
// position. Each of their corners gets the tangent of the first corner at its vertex that belongs
// to a triangle that is not degenerate.
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

// countWork counts work, in units of about ten nanoseconds. If the context is canceled, it returns
// the context's error.
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
