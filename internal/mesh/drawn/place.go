package drawn

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// mesh draws all copies of one mesh.
func (b *builder) mesh(ctx context.Context, shown []showing, l *Level) error {
	number := shown[0].mesh
	m := &b.doc.Meshes[number]
	for i := range m.Primitives {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := &m.Primitives[i]
		if p.Topology() < gltf.Triangles {
			l.Undrawn++
			continue
		}
		if err := b.primitive(ctx, p, shown, l); err != nil {
			return fmt.Errorf("mesh %d primitive %d: %w", number, i, err)
		}
	}
	return nil
}

// primitive draws a primitive of a mesh once for each node that shows the mesh.
func (b *builder) primitive(ctx context.Context, p *gltf.Primitive, shown []showing, l *Level) error {
	total := b.triangles(p)
	n := int(min(total, int64(b.left)))
	if total > 0 && (n == 0 || b.doc.Accessors[p.Attributes["POSITION"]].Count > maxVertices) {
		l.clip(total, len(shown))
		return nil
	}
	if total == 0 {
		return nil
	}
	skinned := false
	for i := range shown {
		skinned = skinned || shown[i].skin >= 0
	}
	g, err := b.load(ctx, p, n, skinned)
	if err != nil {
		return err
	}
	defer b.picker.Forget(g.picked)
	vertices, triangles := l.Vertices(), l.Triangles()
	pose := pose{geometry: g}
	for i := range shown {
		if b.left < n {
			l.clip(total, len(shown)-i)
			break
		}
		b.left -= n
		l.clip(total-int64(n), 1)
		if err := b.draw(ctx, &pose, &shown[i], l); err != nil {
			return err
		}
	}
	b.part(p, shown[0].mesh, Part{MadeNormals: g.made, Vertices: l.Vertices() - vertices, Triangles: l.Triangles() - triangles}, l)
	return nil
}

// clip counts triangles that are left out, in some copies.
func (l *Level) clip(triangles int64, copies int) {
	const most = 1 << 40
	l.Clipped = min(l.Clipped+min(triangles, most)*int64(min(copies, 2*maxNodes)), 1<<60)
}

// part ends a part.
func (b *builder) part(p *gltf.Primitive, mesh int32, part Part, l *Level) {
	if len(l.Parts) == maxParts {
		last := &l.Parts[maxParts-1]
		last.Vertices += part.Vertices
		last.Triangles += part.Triangles
		return
	}
	part.Mesh = short(b.doc.Meshes[mesh].Name)
	part.Color = [4]float32{1, 1, 1, 1}
	if p.Material != nil {
		m := &b.doc.Materials[*p.Material]
		part.Material = short(m.Name)
		if m.PBR != nil && m.PBR.Color != nil {
			part.Color = *m.PBR.Color
		}
	}
	l.Parts = append(l.Parts, part)
}

// short cuts a name.
func short(name string) string {
	const longest = 100
	if len(name) > longest {
		name = name[:longest] + "..."
	}
	return strings.ToValidUTF8(name, "")
}

// A pose is the morph of a geometry that was shown last.
type pose struct {
	*geometry
	weights            []float64
	positions, normals []float32 // nil before the first one
}

// is reports whether the pose has the given weights.
func (p *pose) is(weights []float64) bool {
	return p.positions != nil && len(p.weights) == len(weights) && (len(weights) == 0 || &p.weights[0] == &weights[0])
}

// draw appends the geometry of a pose for one node.
func (b *builder) draw(ctx context.Context, p *pose, s *showing, l *Level) (err error) {
	if !p.is(s.weights) {
		p.weights = s.weights
		if p.positions, p.normals, err = b.morph(ctx, p.geometry, s.weights); err != nil {
			return err
		}
	}
	var joints []affine
	if s.skin >= 0 && len(p.joints) > 0 {
		if joints, err = b.matrices(ctx, s.skin); err != nil {
			return err
		}
	}
	at, turn := s.at, s.at.normals()
	first := uint32(l.Vertices())
	err = gltf.Chunks(ctx, len(p.positions)/3, func(from, to int) error {
		for v := from; v < to; v++ {
			if joints != nil {
				moved, err := p.blend(v, joints)
				if err != nil {
					return err
				}
				at, turn = moved, moved.normals()
			}
			position, normal := p.positions[3*v:][:3], p.normals[3*v:][:3]
			x, y, z := at.point(float64(position[0]), float64(position[1]), float64(position[2]))
			for _, c := range [3]float64{x, y, z} {
				if !(math.Abs(c) <= math.MaxFloat32) {
					return fmt.Errorf("vertex %d is at %v in the scene, want a number of 32 bits", v, c)
				}
				l.Positions = append(l.Positions, float32(c))
			}
			n := unit(turn.point(float64(normal[0]), float64(normal[1]), float64(normal[2])))
			l.Normals = append(l.Normals, n[:]...)
		}
		return nil
	})
	mirrored := at.mirrors()
	for i := 0; i+2 < len(p.indices); i += 3 {
		c := [3]uint32(p.indices[i:])
		if mirrored {
			c[1], c[2] = c[2], c[1]
		}
		l.Indices = append(l.Indices, first+c[0], first+c[1], first+c[2])
	}
	return err
}

// unit returns a vector of length 1, 0, 0, 1 for one without direction.
func unit(x, y, z float64) [3]float32 {
	length := math.Sqrt(x*x + y*y + z*z)
	if !(length > 0) || math.IsInf(length, 0) {
		return [3]float32{0, 0, 1}
	}
	return [3]float32{float32(x / length), float32(y / length), float32(z / length)}
}
