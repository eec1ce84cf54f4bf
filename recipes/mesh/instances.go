package mesh

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/quantize"
)

const extInstancing = "EXT_mesh_gpu_instancing"

// A repeatedMesh lists the nodes that become one instanced node. They have the same mesh, and the
// same parent or the same scenes.
type repeatedMesh struct {
	nodes      []int32 // nodes in ascending order; the first becomes the instanced node
	transforms []transform
}

// findRepeatedMeshes returns the meshes that become instanced, in the order of their first nodes.
func (c *cooking) findRepeatedMeshes() ([]*repeatedMesh, error) {
	if c.o.Instances == 0 {
		return nil, nil
	}
	pinned, err := c.pinnedNodes()
	if err != nil {
		return nil, err
	}
	looks, err := readLooks(c.doc)
	if err != nil {
		return nil, err
	}
	repeatable := make([]bool, len(c.shows)) // c.meshes may also have levels of detail
	for i := range repeatable {
		repeatable[i] = c.isRepeatable(i, looks)
	}
	scenes := c.scenesOfNodes()
	type place struct {
		mesh, parent int32
		scenes       string
	}
	parents, known := c.doc.Parents(), map[place]*repeatedMesh{}
	var list []*repeatedMesh
	for i := range c.doc.Nodes {
		n := &c.doc.Nodes[i]
		if n.Mesh == nil || !repeatable[*n.Mesh] || pinned[i] || parents[i] < 0 && scenes[i] == "" || !hasOnlyTransform(c.nodes[i]) {
			continue
		}
		t, ok := transformOf(n)
		if !ok {
			continue
		}
		at := place{*n.Mesh, parents[i], scenes[i]}
		if known[at] == nil {
			known[at] = &repeatedMesh{}
			list = append(list, known[at])
		}
		known[at].nodes = append(known[at].nodes, int32(i))
		known[at].transforms = append(known[at].transforms, t)
	}
	return slices.DeleteFunc(list, func(r *repeatedMesh) bool { return len(r.nodes) < c.o.Instances }), nil
}

// scenesOfNodes returns the scenes that list each node, as a text.
func (c *cooking) scenesOfNodes() []string {
	scenes := make([]string, len(c.doc.Nodes))
	for i, s := range c.doc.Scenes {
		for _, n := range s.Nodes {
			scenes[n] += fmt.Sprint(i, " ")
		}
	}
	return scenes
}

// pinnedNodes reports which nodes other parts of the document refer to, such as animations and
// skins. If an unknown extension may refer to nodes, all nodes are pinned.
func (c *cooking) pinnedNodes() ([]bool, error) {
	pinned := slices.Clone(c.named)
	r := gltf.References{Visit: func(l gltf.List, n int, inTree bool) (int, bool) {
		if l == gltf.Nodes && !inTree && n < len(pinned) {
			pinned[n] = true
		}
		return n, true
	}}
	for _, m := range c.doc.Root {
		l, isList := gltf.ListOf(m.Key)
		if !isList {
			if _, err := r.Member(m); err != nil {
				return nil, err
			}
			continue
		}
		elements, err := gltf.ParseList(m.Value)
		if err != nil {
			return nil, err
		}
		for _, e := range elements {
			if _, err := r.Element(e, l); err != nil {
				return nil, err
			}
		}
	}
	if r.Unknown != "" {
		for i := range pinned {
			pinned[i] = true
		}
	}
	return pinned, nil
}

// isRepeatable reports whether a mesh may be instanced or joined. It must consist of triangles that the
// recipe has rewritten. Blended triangles would lose their order. Levels of detail and weights of
// morph targets belong to single nodes.
func (c *cooking) isRepeatable(mesh int, looks []look) bool {
	for j, g := range c.shows[mesh] {
		if g == nil || g.mode != triangles || g.targets > 0 || len(g.lods) > 0 || lookOf(looks, &c.doc.Meshes[mesh].Primitives[j]).blend {
			return false
		}
	}
	return true
}

// hasOnlyTransform reports whether a node has only a mesh and a transform, and no name.
func hasOnlyTransform(node gltf.Object) bool {
	return hasOnlyMembers(node, "mesh", "translation", "rotation", "scale", "matrix", "name") && (node.Member("name") == nil || string(node.Member("name")) == `""`)
}

// A transform scales, then rotates by a quaternion, then translates.
type transform struct {
	move  [3]float64
	turn  [4]float64
	scale [3]float64
}

// transformOf returns the transform of a node. ok is false for a mirrored or flat node, because
// engines choose the winding of all instances by one node, and for a matrix that is not exactly a
// transform.
func transformOf(n *gltf.Node) (t transform, ok bool) {
	t = transform{turn: [4]float64{3: 1}, scale: [3]float64{1, 1, 1}}
	if n.Matrix != nil {
		if t, ok = decomposeMatrix(n.Matrix); !ok {
			return t, false
		}
	}
	if n.Translation != nil {
		t.move = *n.Translation
	}
	if n.Rotation != nil {
		t.turn = *n.Rotation
		length := math.Sqrt(float64(t.turn[0]*t.turn[0]) + float64(t.turn[1]*t.turn[1]) + float64(t.turn[2]*t.turn[2]) + float64(t.turn[3]*t.turn[3]))
		for k := range t.turn {
			t.turn[k] /= length
		}
	}
	if n.Scale != nil {
		t.scale = *n.Scale
	}
	return t, float64(t.scale[0]*t.scale[1])*t.scale[2] > 0
}

// decomposeMatrix returns the transform of a matrix, which is stored by columns. ok is false if the
// matrix mirrors, or if its elements differ from the transform by more than rounding.
func decomposeMatrix(m *[16]float64) (t transform, ok bool) {
	t.move = [3]float64(m[12:15])
	var r [3][3]float64 // columns of the rotation
	largest := float64(0)
	for column := range r {
		c := m[4*column:][:3]
		t.scale[column] = math.Sqrt(float64(c[0]*c[0]) + float64(c[1]*c[1]) + float64(c[2]*c[2]))
		largest = max(largest, t.scale[column])
		for row := range c {
			r[column][row] = c[row] / t.scale[column]
		}
	}
	t.turn = rotationOf(r)
	for column := range r {
		axis := [3]float64{}
		axis[column] = t.scale[column]
		for row, x := range t.rotate(axis) {
			if !(math.Abs(x-m[4*column+row]) <= 1e-6*largest) {
				return t, false
			}
		}
	}
	return t, true
}

// rotationOf returns the unit quaternion for a rotation matrix, which is given by its columns. It
// divides by the largest component, as Shepperd proposed in 1978.
func rotationOf(r [3][3]float64) (q [4]float64) {
	x, y, z := r[0][0], r[1][1], r[2][2]
	squares := [4]float64{1 + x - y - z, 1 - x + y - z, 1 - x - y + z, 1 + x + y + z} // four times the squares
	largest := 0
	for k := range squares {
		if squares[k] > squares[largest] {
			largest = k
		}
	}
	// Each product of two components is a sum or a difference of two elements.
	sum := func(a, b int) float64 { return r[a][b] + r[b][a] }
	products := [4][4]float64{
		{squares[0], sum(0, 1), sum(0, 2), r[1][2] - r[2][1]},
		{sum(0, 1), squares[1], sum(1, 2), r[2][0] - r[0][2]},
		{sum(0, 2), sum(1, 2), squares[2], r[0][1] - r[1][0]},
		{r[1][2] - r[2][1], r[2][0] - r[0][2], r[0][1] - r[1][0], squares[3]},
	}[largest]
	length := float64(0)
	for _, p := range products {
		length += float64(p * p)
	}
	for k, p := range products {
		q[k] = p / math.Sqrt(length)
	}
	return q
}

// rotate returns a rotated vector.
func (t *transform) rotate(v [3]float64) [3]float64 {
	x, y, z, w := t.turn[0], t.turn[1], t.turn[2], t.turn[3]
	twice := func(a, b, c, d float64) float64 { return float64(2 * (float64(a*b) + float64(c*d))) }
	rows := [3][3]float64{
		{1 - twice(y, y, z, z), twice(x, y, -z, w), twice(x, z, y, w)},
		{twice(x, y, z, w), 1 - twice(x, x, z, z), twice(y, z, -x, w)},
		{twice(x, z, -y, w), twice(y, z, x, w), 1 - twice(x, x, y, y)},
	}
	var out [3]float64
	for k, r := range rows {
		out[k] = float64(r[0]*v[0]) + float64(r[1]*v[1]) + float64(r[2]*v[2])
	}
	return out
}

// onGrid returns the transform for positions that are integers on a grid.
func (t transform) onGrid(grid *quantize.Grid) transform {
	if grid == nil {
		return t
	}
	var corner [3]float64
	for k := range corner {
		corner[k] = float64(t.scale[k] * float64(grid.Min[k]))
		t.scale[k] = float64(t.scale[k] * float64(grid.Step))
	}
	for k, x := range t.rotate(corner) {
		t.move[k] += x
	}
	return t
}

// writeInstances replaces the nodes that repeat a mesh. The transforms of the instances undo the
// grid of the mesh.
func (w *writer) writeInstances(ctx context.Context) error {
	list, err := w.findRepeatedMeshes()
	if err != nil || len(list) == 0 {
		return err
	}
	w.instanced = make([]bool, len(w.nodes))
	gone := make([]bool, len(w.nodes))
	for _, r := range list {
		attributes, ok, err := w.instanceAttributes(ctx, r)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		for i, n := range r.nodes {
			mesh := w.nodes[n].Member("mesh")
			w.nodes[n], w.instanced[n], gone[n] = gltf.Object{}, true, i > 0
			if i == 0 {
				w.nodes[n].Set("mesh", mesh)
				w.nodes[n].Set("extensions", fmt.Appendf(nil, `{"%s":{"attributes":%s}}`, extInstancing, attributes.Text()))
			}
		}
	}
	return w.removeFromTrees(gone)
}

// instanceAttributes writes the accessors of an instanced node. ok is false if a number exceeds the
// range of float32.
func (w *writer) instanceAttributes(ctx context.Context, r *repeatedMesh) (attributes gltf.Object, ok bool, err error) {
	grid := w.groups.gridOf(int(*w.doc.Nodes[r.nodes[0]].Mesh))
	moves, turns, scales := make([]float32, 0, 3*len(r.nodes)), make([]float32, 0, 4*len(r.nodes)), make([]float32, 0, 3*len(r.nodes))
	for _, t := range r.transforms {
		t = t.onGrid(grid)
		for k := range t.move {
			moves, scales = append(moves, float32(t.move[k])), append(scales, float32(t.scale[k]))
		}
		for _, x := range t.turn {
			turns = append(turns, float32(x))
		}
	}
	for _, x := range slices.Concat(moves, turns, scales) {
		if math.IsInf(float64(x), 0) || x != x {
			return nil, false, nil
		}
	}
	for _, a := range []struct {
		name, kind string
		values     []float32
		standard   []float32 // values of an attribute that is left out
	}{
		{"TRANSLATION", "VEC3", moves, nil},
		{"ROTATION", "VEC4", turns, []float32{0, 0, 0, 1}},
		{"SCALE", "VEC3", scales, []float32{1, 1, 1}},
	} {
		if holdsOnly(a.values, a.standard) {
			continue
		}
		number, err := w.accessors.replaceAccessor(ctx, made, a.kind, gltf.Other, gltf.FloatArray(a.values, len(a.values)/len(r.nodes)), false)
		if err != nil {
			return nil, false, err
		}
		attributes.SetInt(a.name, number)
	}
	return attributes, true, nil
}

// holdsOnly reports whether all elements equal the given one. It is false if element is empty.
func holdsOnly(values, element []float32) bool {
	if len(element) == 0 {
		return false
	}
	for i, x := range values {
		if x != element[i%len(element)] {
			return false
		}
	}
	return true
}

// removeFromTrees removes nodes from the lists of their parents and scenes. Prune then removes the
// nodes.
func (c *cooking) removeFromTrees(gone []bool) error {
	isGone := func(text json.RawMessage) bool {
		var n int
		return json.Unmarshal(text, &n) == nil && n >= 0 && n < len(gone) && gone[n]
	}
	remove := func(o *gltf.Object, key string) error {
		list, err := o.List(key)
		if kept := slices.DeleteFunc(slices.Clone(list), isGone); len(kept) < len(list) {
			o.Set(key, gltf.ListText(kept)) // the first instance stays, so the list is not empty
		}
		return err
	}
	for i := range c.nodes {
		if err := remove(&c.nodes[i], "children"); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
	}
	scenes, err := c.doc.Objects("scenes")
	if err != nil {
		return err
	}
	for i := range scenes {
		if err := remove(&scenes[i], "nodes"); err != nil {
			return fmt.Errorf("scene %d: %w", i, err)
		}
	}
	c.doc.Root.SetObjects("scenes", scenes)
	return nil
}
