package mesh

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/quantize"
)

// A joinedMesh lists the nodes whose meshes become one mesh. Their meshes have primitives with the
// same materials and attributes, in any order.
type joinedMesh struct {
	nodes      []int32 // nodes in ascending order; the first shows the joined mesh
	transforms []transform
}

// findJoinedMeshes returns the meshes to join, in the order of their first nodes.
func (c *cooking) findJoinedMeshes() ([]*joinedMesh, error) {
	pinned, err := c.pinnedNodes()
	if err != nil {
		return nil, err
	}
	looks, err := readLooks(c.doc)
	if err != nil {
		return nil, err
	}
	shown, members := make([]int, len(c.meshes)), make([]int, len(c.meshes)) // nodes of each mesh, meshes of each group
	for i := range c.doc.Nodes {
		if n := &c.doc.Nodes[i]; n.Mesh != nil {
			shown[*n.Mesh]++
		}
	}
	for _, group := range c.groups.of {
		members[group]++
	}
	scenes := c.scenesOfNodes()
	type place struct {
		parent         int32
		scenes, shapes string
	}
	parents, known := c.doc.Parents(), map[place]*joinedMesh{}
	var list []*joinedMesh
	for i := range c.doc.Nodes {
		n := &c.doc.Nodes[i]
		if n.Mesh == nil || shown[*n.Mesh] > 1 || members[c.groups.of[*n.Mesh]] > 1 || pinned[i] || parents[i] < 0 && scenes[i] == "" || !hasOnlyTransform(c.nodes[i]) {
			continue
		}
		shapes, ok := c.shapesOfMesh(int(*n.Mesh), looks)
		if !ok {
			continue
		}
		t, ok := transformOf(n)
		if !ok {
			continue
		}
		at := place{parents[i], scenes[i], strings.Join(slices.Sorted(maps.Keys(shapes)), "; ")}
		if known[at] == nil {
			known[at] = &joinedMesh{}
			list = append(list, known[at])
		}
		known[at].nodes = append(known[at].nodes, int32(i))
		known[at].transforms = append(known[at].transforms, t)
	}
	return slices.DeleteFunc(list, func(m *joinedMesh) bool { return len(m.nodes) < 2 }), nil
}

// shapesOfMesh returns the indices of a mesh's primitives by the description of their material and
// attributes. ok is false if the mesh cannot be joined: if it has a name or other members, or if
// two of its primitives have the same description.
func (c *cooking) shapesOfMesh(mesh int, looks []look) (shapes map[string]int, ok bool) {
	if c.doc.Meshes[mesh].Name != "" || !hasOnlyMembers(c.meshes[mesh], "name", "primitives") || !c.isRepeatable(mesh, looks) {
		return nil, false
	}
	shapes = map[string]int{}
	for j, g := range c.shows[mesh] {
		if !hasOnlyMembers(c.primitives[mesh][j], "attributes", "indices", "material", "mode") {
			return nil, false
		}
		shape := fmt.Sprint("material ", string(c.primitives[mesh][j].Member("material")))
		for _, name := range g.streamNames() {
			s := g.findStream(name)
			switch kind, _, _ := strings.Cut(name, "_"); kind {
			case "POSITION", "NORMAL", "TANGENT":
				if s.data.Component != gltf.Float32 {
					return nil, false
				}
			case "TEXCOORD", "COLOR":
			default:
				return nil, false // the attribute may depend on the transform
			}
			shape += fmt.Sprint(", ", name, s.data.Component, s.data.Normalized, s.data.Width)
		}
		if _, twice := shapes[shape]; twice {
			return nil, false
		}
		shapes[shape] = j
	}
	return shapes, true
}

// streamNames returns the names of a geometry's attributes in ascending order.
func (g *geometry) streamNames() []string {
	var names []string
	for _, s := range g.streams {
		names = append(names, s.name)
	}
	slices.Sort(names)
	return names
}

// hasOnlyMembers reports whether all members of an object have one of the given keys.
func hasOnlyMembers(o gltf.Object, keys ...string) bool {
	return !slices.ContainsFunc(o, func(m gltf.Member) bool { return !slices.Contains(keys, m.Key) })
}

// joinMeshes joins the meshes of nodes that nothing refers to. The first node of each joined mesh
// shows it without a transform. The other nodes leave their parents and scenes, and prune removes
// them.
func (c *cooking) joinMeshes(ctx context.Context) error {
	if !c.o.Join {
		return nil
	}
	list, err := c.findJoinedMeshes()
	if err != nil || len(list) == 0 {
		return err
	}
	looks, err := readLooks(c.doc)
	if err != nil {
		return err
	}
	gone := make([]bool, len(c.nodes))
	for _, m := range list {
		if err := c.joinMesh(ctx, m, looks); err != nil {
			return err
		}
		for i, n := range m.nodes {
			node := &c.doc.Nodes[n]
			if i > 0 {
				gone[n], node.Mesh, c.nodes[n] = true, nil, gltf.Object{}
				continue
			}
			node.Matrix, node.Translation, node.Rotation, node.Scale = nil, nil, nil, nil
			for _, key := range []string{"matrix", "translation", "rotation", "scale"} {
				c.nodes[n].Delete(key)
			}
		}
		c.joined = append(c.joined, len(m.nodes))
	}
	used := map[*geometry]bool{}
	for _, list := range c.shows {
		for _, g := range list {
			used[g] = true
		}
	}
	c.geometries = slices.DeleteFunc(c.geometries, func(g *geometry) bool { return !used[g] })
	return c.removeFromTrees(gone)
}

// joinMesh makes the geometries of a joined mesh. All meshes of its nodes show them.
func (c *cooking) joinMesh(ctx context.Context, m *joinedMesh, looks []look) error {
	first := int(*c.doc.Nodes[m.nodes[0]].Mesh)
	shapes, _ := c.shapesOfMesh(first, looks)
	joined := map[string]*geometry{}
	for shape, j := range shapes {
		joined[shape] = c.shows[first][j].emptyCopy(first)
	}
	for i, n := range m.nodes {
		mesh := int(*c.doc.Nodes[n].Mesh)
		shapes, _ := c.shapesOfMesh(mesh, looks)
		for shape, j := range shapes {
			if err := joined[shape].appendMoved(ctx, c.shows[mesh][j], &m.transforms[i]); err != nil {
				return fmt.Errorf("mesh %d primitive %d: %w", mesh, j, err)
			}
		}
	}
	for _, n := range m.nodes {
		mesh := int(*c.doc.Nodes[n].Mesh)
		shapes, _ := c.shapesOfMesh(mesh, looks)
		for shape, j := range shapes {
			c.shows[mesh][j] = joined[shape]
		}
	}
	c.groups.boxes[first] = quantize.Empty()
	for _, g := range c.shows[first] {
		c.groups.extendGroup(g)
		c.geometries = append(c.geometries, g)
	}
	return nil
}

// emptyCopy returns a geometry with the same attributes and without vertices.
func (g *geometry) emptyCopy(group int) *geometry {
	e := &geometry{mode: triangles, indices: []uint32{}, indexAccessor: made, group: group, lockBorder: g.lockBorder, stats: g.stats}
	e.stats.sourceVertices = 0
	for _, name := range g.streamNames() {
		s := *g.findStream(name)
		s.accessor, s.data = made, gltf.NewArray(s.data.Component, s.data.Normalized, s.data.Width, 0)
		e.streams = append(e.streams, s)
	}
	return e
}

// appendMoved appends the triangles of another geometry with the same attributes, moved by a
// transform.
func (g *geometry) appendMoved(ctx context.Context, from *geometry, t *transform) error {
	base := uint32(g.vertices())
	have, more := float64(len(g.indices)), float64(len(from.indices))
	g.stats.before = (float64(g.stats.before*have) + float64(from.stats.before*more)) / max(have+more, 1)
	for _, v := range from.indices {
		g.indices = append(g.indices, base+v)
	}
	g.stats.sourceVertices += from.stats.sourceVertices
	for i := range g.streams {
		s := &g.streams[i]
		data := from.findStream(s.name).data
		if kind := s.name; kind == "POSITION" || kind == "NORMAL" || kind == "TANGENT" {
			values := data.Floats()
			for k := 0; k+data.Width <= len(values); k += data.Width {
				if k%(1<<14) == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				t.moveVector(kind, values[k:][:3])
			}
			data = gltf.FloatArray(values, data.Width)
			if err := data.Finite(ctx, "vertex"); err != nil {
				return err
			}
		}
		s.data.Data = append(s.data.Data, data.Data...)
		s.data.Count += data.Count
	}
	return nil
}

// moveVector applies a transform to a position, a normal or a tangent.
func (t *transform) moveVector(attribute string, v []float32) {
	var x [3]float64
	for k := range x {
		if x[k] = float64(v[k]); attribute == "NORMAL" {
			x[k] /= t.scale[k]
		} else {
			x[k] = float64(x[k] * t.scale[k])
		}
	}
	x = t.rotate(x)
	if attribute == "POSITION" {
		for k := range x {
			x[k] += t.move[k]
		}
	} else if length := math.Sqrt(float64(x[0]*x[0]) + float64(x[1]*x[1]) + float64(x[2]*x[2])); length > 0 {
		for k := range x {
			x[k] /= length
		}
	}
	for k := range x {
		v[k] = float32(x[k])
	}
}
