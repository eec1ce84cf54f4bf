package drawn

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// maxNodes is the limit of three numbers: nodes of a document, nodes visited for a level, and
// copies of meshes in a level.
const maxNodes = 1 << 18

// checkNodes limits the number of nodes. It also checks the indices in extensions, which
// Document.Check does not.
func (b *builder) checkNodes() error {
	nodes := b.doc.Nodes
	joints := 0
	for i := range b.doc.Skins {
		joints += len(b.doc.Skins[i].Joints)
	}
	if len(nodes) > maxNodes || joints > maxNodes {
		return fmt.Errorf("the model has %d nodes and %d joints, more than %d together", len(nodes), joints, maxNodes)
	}
	for i := range nodes {
		for _, id := range nodes[i].LODs() {
			if id < 0 || int(id) >= len(nodes) {
				return fmt.Errorf("node %d: MSFT_lod names node %d of %d", i, id, len(nodes))
			}
		}
		instances := nodes[i].Instances()
		for _, name := range slices.Sorted(maps.Keys(instances)) {
			if a := instances[name]; a < 0 || int(a) >= len(b.doc.Accessors) {
				return fmt.Errorf("node %d: EXT_mesh_gpu_instancing %.40q names accessor %d of %d", i, name, a, len(b.doc.Accessors))
			}
		}
	}
	return nil
}

// countLevels returns the number of levels of detail.
func (b *builder) countLevels() int {
	n := 1
	for i := range b.doc.Nodes {
		n = max(n, 1+len(b.doc.Nodes[i].LODs()))
	}
	return min(n, MaxLevels)
}

// roots returns the root nodes of the scene. Without a scene, it returns all nodes that have no
// parent and are not a level of detail of another node.
func (b *builder) roots() []int32 {
	if len(b.doc.Scenes) > 0 {
		scene := int32(0)
		if b.doc.Scene != nil {
			scene = *b.doc.Scene
		}
		return b.doc.Scenes[scene].Nodes
	}
	lods := make([]bool, len(b.parent))
	for i := range b.doc.Nodes {
		for _, id := range b.doc.Nodes[i].LODs() {
			lods[id] = true
		}
	}
	var roots []int32
	for i, p := range b.parent {
		if p < 0 && !lods[i] {
			roots = append(roots, int32(i))
		}
	}
	return roots
}

// A meshPlacement is one copy of a mesh in the scene.
type meshPlacement struct {
	mesh, skin int32 // indices of the mesh and of the skin; the skin is -1 if there is none
	weights    []float64
	at         affine
}

// shownMeshes returns the placements of meshes in a level of detail, sorted by mesh.
func (b *builder) shownMeshes(ctx context.Context, level int) ([]meshPlacement, error) {
	type step struct {
		node   int32
		chosen bool // set below a node whose level was selected, so that the levels of this node are ignored
		above  affine
	}
	var steps []step
	push := func(nodes []int32, chosen bool, above affine) {
		for _, n := range slices.Backward(nodes) {
			steps = append(steps, step{n, chosen, above})
		}
	}
	push(b.roots(), false, identity)
	var list []meshPlacement
	for visited := 0; len(steps) > 0; visited++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if visited == maxNodes || len(list) > maxNodes || len(steps) > maxNodes {
			return nil, fmt.Errorf("the model has more than %d nodes and instances to show", maxNodes)
		}
		s := steps[len(steps)-1]
		steps = steps[:len(steps)-1]
		node := &b.doc.Nodes[s.node]
		if ids := node.LODs(); !s.chosen && level > 0 && len(ids) > 0 {
			push(ids[min(level, len(ids))-1:][:1], true, s.above)
			continue
		}
		if node.IsHidden() {
			continue
		}
		local := localTransform(node)
		at := s.above.multiplyAffine(&local)
		push(node.Children, s.chosen, at)
		if node.Mesh == nil {
			continue
		}
		show := meshPlacement{mesh: *node.Mesh, skin: -1, weights: b.doc.Meshes[*node.Mesh].Weights, at: at}
		if node.Weights != nil {
			show.weights = *node.Weights
		}
		if node.Skin != nil {
			show.skin, show.at = *node.Skin, identity // only joints determine the position of a skinned mesh
		}
		if len(node.Instances()) == 0 {
			list = append(list, show)
			continue
		}
		var err error
		if list, err = b.instances(ctx, list, show, node.Instances()); err != nil {
			return nil, fmt.Errorf("node %d: EXT_mesh_gpu_instancing: %w", s.node, err)
		}
	}
	slices.SortStableFunc(list, func(a, b meshPlacement) int { return cmp.Compare(a.mesh, b.mesh) })
	return list, nil
}

// instances appends one placement of the mesh per instance.
func (b *builder) instances(ctx context.Context, list []meshPlacement, show meshPlacement, attributes map[string]int32) ([]meshPlacement, error) {
	count := int64(-1)
	values := map[string][]float32{}
	for _, name := range []string{"TRANSLATION", "ROTATION", "SCALE"} {
		width := 3
		if name == "ROTATION" {
			width = 4
		}
		accessor, ok := attributes[name]
		if !ok {
			continue
		}
		a := &b.doc.Accessors[accessor]
		switch {
		case gltf.Components(a.Type) != width || a.Type == "MAT2":
			return nil, fmt.Errorf("the type of %s is %.20s", name, a.Type)
		case count >= 0 && a.Count != count:
			return nil, fmt.Errorf("the attributes have %d and %d elements; they must have the same number", count, a.Count)
		case a.Count > maxNodes:
			return nil, fmt.Errorf("there are %d instances, more than %d", a.Count, maxNodes)
		}
		count = a.Count
		array, err := b.doc.First(ctx, accessor, int(count))
		if err != nil {
			return nil, err
		}
		values[name] = array.Floats()
	}
	if count < 0 {
		return append(list, show), nil
	}
	for i := range int(count) {
		move, turn, scale := [3]float64{}, [4]float64{3: 1}, [3]float64{1, 1, 1}
		read := func(name string, to []float64) {
			for k := range to {
				if v := values[name]; v != nil {
					to[k] = float64(v[i*len(to)+k])
				}
			}
		}
		read("TRANSLATION", move[:])
		read("ROTATION", turn[:])
		read("SCALE", scale[:])
		local := composeTransform(move, turn, scale)
		copied := show
		copied.at = show.at.multiplyAffine(&local)
		list = append(list, copied)
	}
	return list, nil
}

// localTransform returns the transform from a node to its parent.
func localTransform(n *gltf.Node) affine {
	if n.Matrix != nil {
		return affineOf(n.Matrix[:])
	}
	move, turn, scale := [3]float64{}, [4]float64{3: 1}, [3]float64{1, 1, 1}
	if n.Translation != nil {
		move = *n.Translation
	}
	if n.Rotation != nil {
		turn = *n.Rotation
	}
	if n.Scale != nil {
		scale = *n.Scale
	}
	return composeTransform(move, turn, scale)
}

// An affine is an affine transform, stored as three columns and the translation.
type affine [12]float64

var identity = affine{0: 1, 4: 1, 8: 1}

// multiplyAffine returns the transform that applies b, then a.
func (a *affine) multiplyAffine(b *affine) affine {
	var c affine
	for column := range 4 {
		for row := range 3 {
			x := a[row]*b[3*column] + a[3+row]*b[3*column+1] + a[6+row]*b[3*column+2]
			if column == 3 {
				x += a[9+row]
			}
			c[3*column+row] = x
		}
	}
	return c
}

func (a *affine) transformPoint(x, y, z float64) (px, py, pz float64) {
	return a[0]*x + a[3]*y + a[6]*z + a[9], a[1]*x + a[4]*y + a[7]*z + a[10], a[2]*x + a[5]*y + a[8]*z + a[11]
}

// normals returns the transform for normals: the scaled inverse transpose.
func (a *affine) normals() affine {
	n := affine{
		a[4]*a[8] - a[5]*a[7], a[5]*a[6] - a[3]*a[8], a[3]*a[7] - a[4]*a[6],
		a[7]*a[2] - a[8]*a[1], a[8]*a[0] - a[6]*a[2], a[6]*a[1] - a[7]*a[0],
		a[1]*a[5] - a[2]*a[4], a[2]*a[3] - a[0]*a[5], a[0]*a[4] - a[1]*a[3],
	}
	largest := 0.
	for _, x := range n {
		largest = max(largest, math.Abs(x))
	}
	if a.mirrors() {
		largest = -largest
	}
	if largest == 0 {
		return identity // the transform is singular
	}
	for i := range n {
		n[i] /= largest
	}
	return n
}

// mirrors reports whether the transform reverses the winding of triangles.
func (a *affine) mirrors() bool {
	return a[0]*(a[4]*a[8]-a[5]*a[7])+a[1]*(a[5]*a[6]-a[3]*a[8])+a[2]*(a[3]*a[7]-a[4]*a[6]) < 0
}

// addShare adds another transform, multiplied by share.
func (a *affine) addShare(b *affine, share float64) {
	for i := range a {
		a[i] += b[i] * share
	}
}

// affineOf returns the affine part of a 4x4 matrix, stored by columns.
func affineOf[T float32 | float64](m []T) (a affine) {
	for column := range 4 {
		for row := range 3 {
			a[3*column+row] = float64(m[4*column+row])
		}
	}
	return a
}

// composeTransform returns the transform that scales, then rotates by the quaternion turn, then
// translates.
func composeTransform(move [3]float64, turn [4]float64, scale [3]float64) affine {
	if l := math.Sqrt(turn[0]*turn[0] + turn[1]*turn[1] + turn[2]*turn[2] + turn[3]*turn[3]); l > 0 {
		for i := range turn {
			turn[i] /= l
		}
	} else {
		turn = [4]float64{3: 1}
	}
	x, y, z, w := turn[0], turn[1], turn[2], turn[3]
	a := affine{
		1 - 2*(y*y+z*z), 2 * (x*y + z*w), 2 * (x*z - y*w),
		2 * (x*y - z*w), 1 - 2*(x*x+z*z), 2 * (y*z + x*w),
		2 * (x*z + y*w), 2 * (y*z - x*w), 1 - 2*(x*x+y*y),
		move[0], move[1], move[2],
	}
	for i := range 9 {
		a[i] *= scale[i/3]
	}
	return a
}
