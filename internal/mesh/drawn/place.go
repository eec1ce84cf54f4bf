package drawn

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/tangent"
)

// drawMesh draws all copies of one mesh.
func (b *builder) drawMesh(ctx context.Context, shown []meshPlacement, l *Level) error {
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
		if err := b.drawPrimitive(ctx, p, shown, l); err != nil {
			return fmt.Errorf("mesh %d primitive %d: %w", number, i, err)
		}
	}
	return nil
}

// drawPrimitive draws a primitive of a mesh for each node that shows the mesh.
func (b *builder) drawPrimitive(ctx context.Context, p *gltf.Primitive, shown []meshPlacement, l *Level) error {
	total := b.triangles(p)
	n := int(min(total, int64(b.left)))
	if total > 0 && (n == 0 || b.doc.Accessors[p.Attributes["POSITION"]].Count > maxVertices) {
		l.countClipped(total, len(shown))
		return nil
	}
	if total == 0 {
		return nil
	}
	skinned := false
	for i := range shown {
		skinned = skinned || shown[i].skin >= 0
	}
	g, err := b.loadTriangles(ctx, p, n, skinned)
	if err != nil {
		return err
	}
	defer b.picker.Forget(g.picked)
	vertices, triangles := l.Vertices(), l.Triangles()
	pose := pose{geometry: g}
	for i := range shown {
		if b.left < n {
			l.countClipped(total, len(shown)-i)
			break
		}
		b.left -= n
		l.countClipped(total-int64(n), 1)
		if err := b.drawPose(ctx, &pose, &shown[i], l); err != nil {
			return err
		}
	}
	b.endPart(p, shown[0].mesh, Part{MadeNormals: g.made, Vertices: l.Vertices() - vertices, Triangles: l.Triangles() - triangles}, l)
	return nil
}

// countClipped counts the triangles of omitted copies.
func (l *Level) countClipped(triangles int64, copies int) {
	const most = 1 << 40
	l.Clipped = min(l.Clipped+min(triangles, most)*int64(min(copies, 2*maxNodes)), 1<<60)
}

// endPart adds a finished part to a level.
func (b *builder) endPart(p *gltf.Primitive, mesh int32, part Part, l *Level) {
	if len(l.Parts) == maxParts {
		last := &l.Parts[maxParts-1]
		last.Vertices += part.Vertices
		last.Triangles += part.Triangles
		return
	}
	part.Mesh = shortenName(b.doc.Meshes[mesh].Name)
	part.Color = [4]float32{1, 1, 1, 1}
	if p.Material != nil {
		m := &b.doc.Materials[*p.Material]
		part.Material = shortenName(m.Name)
		if m.PBR != nil && m.PBR.Color != nil {
			part.Color = *m.PBR.Color
		}
	}
	l.Parts = append(l.Parts, part)
}

// shortenName shortens a name.
func shortenName(name string) string {
	const longest = 100
	if len(name) > longest {
		name = name[:longest] + "..."
	}
	return strings.ToValidUTF8(name, "")
}

// A pose is a geometry with morph targets applied, cached for further copies with the same weights.
type pose struct {
	*geometry
	weights            []float64
	positions, normals []float32 // nil before the first copy
}

// hasWeights reports whether the pose was computed with the given weights.
func (p *pose) hasWeights(weights []float64) bool {
	return p.positions != nil && len(p.weights) == len(weights) && (len(weights) == 0 || &p.weights[0] == &weights[0])
}

// drawPose appends the triangles of a pose for one placement.
func (b *builder) drawPose(ctx context.Context, p *pose, s *meshPlacement, l *Level) (err error) {
	if !p.hasWeights(s.weights) {
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
				moved, err := p.blendJoints(v, joints)
				if err != nil {
					return err
				}
				at, turn = moved, moved.normals()
			}
			position, normal := p.positions[3*v:][:3], p.normals[3*v:][:3]
			x, y, z := at.transformPoint(float64(position[0]), float64(position[1]), float64(position[2]))
			for _, c := range [3]float64{x, y, z} {
				if !(math.Abs(c) <= math.MaxFloat32) {
					return fmt.Errorf("vertex %d is at %v in the scene, outside the range of 32-bit floats", v, c)
				}
				l.Positions = append(l.Positions, float32(c))
			}
			n := unitNormal(turn.transformPoint(float64(normal[0]), float64(normal[1]), float64(normal[2])))
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

// unitNormal normalizes a vector. It returns 0, 0, 1 for a vector of length 0.
func unitNormal(x, y, z float64) [3]float32 {
	length := math.Sqrt(x*x + y*y + z*z)
	if !(length > 0) || math.IsInf(length, 0) {
		return [3]float32{0, 0, 1}
	}
	return [3]float32{float32(x / length), float32(y / length), float32(z / length)}
}

// maxTargets limits the number of morph targets that are applied to a geometry.
const maxTargets = 256

// morph returns the positions and normals of a geometry with its morph targets applied.
func (b *builder) morph(ctx context.Context, g *geometry, weights []float64) (positions, normals []float32, err error) {
	positions, normals = g.positions, g.normals
	applied := 0
	for i, target := range g.targets {
		if i >= len(weights) || weights[i] == 0 || applied == maxTargets {
			continue
		}
		if applied++; applied == 1 {
			positions, normals = append([]float32(nil), positions...), append([]float32(nil), normals...)
		}
		for name, to := range map[string][]float32{"POSITION": positions, "NORMAL": normals} {
			by, err := b.floats(ctx, g, target, name)
			if err != nil {
				return nil, nil, fmt.Errorf("target %d: %w", i, err)
			}
			for k, x := range by {
				to[k] += x * float32(weights[i])
			}
		}
	}
	if g.made && applied > 0 {
		normals, err = tangent.Normals(ctx, g.indices, positions)
	}
	return positions, normals, err
}

// matrices returns the joint transforms of a skin, from mesh space to world space.
func (b *builder) matrices(ctx context.Context, skin int32) ([]affine, error) {
	if b.joints == nil {
		b.joints = make([][]affine, len(b.doc.Skins))
	}
	if b.joints[skin] != nil {
		return b.joints[skin], nil
	}
	s := &b.doc.Skins[skin]
	list := make([]affine, len(s.Joints))
	var inverse []float32
	if s.InverseBindMatrices != nil {
		count := min(len(list), int(min(b.doc.Accessors[*s.InverseBindMatrices].Count, maxNodes)))
		array, err := b.doc.First(ctx, *s.InverseBindMatrices, count)
		if err != nil {
			return nil, err
		}
		inverse = array.Floats()
	}
	for i, joint := range s.Joints {
		world := b.world(joint)
		list[i] = world
		if 16*i+16 <= len(inverse) {
			bind := affineOf(inverse[16*i:][:16])
			list[i] = world.multiplyAffine(&bind)
		}
	}
	b.joints[skin] = list
	return list, nil
}

// world returns the world transform of a node. It caches the transforms of its ancestors.
func (b *builder) world(node int32) affine {
	if b.worlds == nil {
		b.worlds = make([]*affine, len(b.parent))
	}
	var way []int32
	for ; node >= 0 && b.worlds[node] == nil; node = b.parent[node] {
		way = append(way, node)
	}
	at := identity
	if node >= 0 {
		at = *b.worlds[node]
	}
	for _, n := range slices.Backward(way) {
		local := localTransform(&b.doc.Nodes[n])
		at = at.multiplyAffine(&local)
		b.worlds[n] = new(affine)
		*b.worlds[n] = at
	}
	return at
}

// blendJoints returns the transform of a vertex, blended from its joints.
func (g *geometry) blendJoints(vertex int, joints []affine) (affine, error) {
	var moved affine
	sum := 0.
	for set := range g.joints {
		for k := 4 * vertex; k < 4*vertex+4; k++ {
			if w := float64(g.weights[set][k]); w > 0 {
				j := g.joints[set][k]
				if int(j) >= len(joints) {
					return moved, fmt.Errorf("vertex %d moves with joint %d, but there are %d", vertex, j, len(joints))
				}
				moved.addShare(&joints[j], w)
				sum += w
			}
		}
	}
	if sum == 0 {
		return identity, nil
	}
	for i := range moved {
		moved[i] /= sum
	}
	return moved, nil
}
