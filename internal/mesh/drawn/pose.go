package drawn

import (
	"context"
	"fmt"
	"slices"

	"github.com/assetcook/assetcook/internal/mesh/tangent"
)

// maxTargets bounds the morph targets that are applied to a geometry.
const maxTargets = 256

// morph returns the positions and normals of a geometry with its targets.
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

// matrices returns the transforms of a skin's joints, from mesh to world.
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
			bind := columns(inverse[16*i:][:16])
			list[i] = world.times(&bind)
		}
	}
	b.joints[skin] = list
	return list, nil
}

// world returns the transform of a node in the scene. Transforms of its ancestors are
// computed once.
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
		local := transform(&b.doc.Nodes[n])
		at = at.times(&local)
		b.worlds[n] = new(affine)
		*b.worlds[n] = at
	}
	return at
}

// blend returns how the joints move a vertex.
func (g *geometry) blend(vertex int, joints []affine) (affine, error) {
	var moved affine
	sum := 0.
	for set := range g.joints {
		for k := 4 * vertex; k < 4*vertex+4; k++ {
			if w := float64(g.weights[set][k]); w > 0 {
				j := g.joints[set][k]
				if int(j) >= len(joints) {
					return moved, fmt.Errorf("vertex %d moves with joint %d of %d", vertex, j, len(joints))
				}
				moved.plus(&joints[j], w)
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
