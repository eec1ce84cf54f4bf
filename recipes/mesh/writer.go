package mesh

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// A writer writes the results into the document.
type writer struct {
	*cooking
	job       *recipe.Job
	accessors *accessors
	lodMeshes [][]int // meshes of the levels of detail, by source mesh
	instanced []bool  // source nodes whose mesh is instanced; nil for none
	quantized bool    // whether the output needs KHR_mesh_quantization
	layout    gltf.Layout
}

// A geometryPlace lists the accessors of a geometry in the output.
type geometryPlace struct {
	attributes map[string]int // accessors by attribute
	targets    []map[string]int
	indices    int // accessor of the indices; the constant made if there are none
	lods       []int
}

// writeGeometries writes all geometries, and the meshes that show them.
func (w *writer) writeGeometries(ctx context.Context) error {
	places := map[*geometry]*geometryPlace{}
	for _, g := range w.geometries {
		place, err := w.writeGeometry(ctx, g)
		if err != nil {
			return err
		}
		places[g] = place
	}
	for i := range w.meshes {
		for j, g := range w.shows[i] {
			if g == nil {
				continue
			}
			if err := places[g].enterPrimitive(&w.primitives[i][j], g); err != nil {
				return fmt.Errorf("mesh %d primitive %d: %w", i, j, err)
			}
		}
		w.meshes[i].Set("primitives", listOf(w.primitives[i]))
	}
	w.lodMeshes = make([][]int, len(w.meshes))
	for i := range w.lodMeshes {
		if err := w.addLODs(i, places); err != nil {
			return err
		}
	}
	return nil
}

// writeGeometry writes the arrays of one geometry.
func (w *writer) writeGeometry(ctx context.Context, g *geometry) (*geometryPlace, error) {
	place := &geometryPlace{attributes: map[string]int{}, targets: make([]map[string]int, g.targets), indices: made}
	for i := range place.targets {
		place.targets[i] = map[string]int{}
	}
	count := g.vertices()
	for i := range g.streams {
		s := &g.streams[i]
		number, err := w.accessors.replaceAccessor(ctx, s.accessor, accessorType(w.doc, s.accessor, s.data.Width), s.use, s.data, s.name == "POSITION")
		if err != nil {
			return nil, err
		}
		if s.target == base {
			place.attributes[s.name] = number
		} else {
			place.targets[s.target][s.name] = number
		}
		w.quantized = w.quantized || needsQuantization(s)
		s.data = gltf.Array{} // free the data, because the view now holds it
	}
	if g.indices == nil {
		return place, nil
	}
	var err error
	of := gltf.OtherIndices
	if g.mode == triangles {
		of = gltf.TriangleIndices
	}
	place.indices, err = w.accessors.replaceAccessor(ctx, g.indexAccessor, "SCALAR", of, gltf.IndexArray(g.indices, count), false)
	if err != nil {
		return nil, err
	}
	for _, l := range g.lods {
		number, err := w.accessors.replaceAccessor(ctx, made, "SCALAR", gltf.TriangleIndices, gltf.IndexArray(l.indices, count), false)
		if err != nil {
			return nil, err
		}
		place.lods = append(place.lods, number)
	}
	return place, nil
}

// needsQuantization reports whether the storage of a stream needs KHR_mesh_quantization.
func needsQuantization(s *stream) bool {
	switch s.name {
	case "POSITION", "NORMAL", "TANGENT":
		return s.data.Component != gltf.Float32
	}
	return false
}

// enterPrimitive sets a geometry's accessors in a primitive.
func (p *geometryPlace) enterPrimitive(primitive *gltf.Object, g *geometry) error {
	attributes, err := primitive.Object("attributes")
	if err != nil {
		return err
	}
	primitive.Set("attributes", renumbered(attributes, p.attributes).Text())
	targets, err := primitive.Objects("targets")
	if err != nil {
		return err
	}
	for i := range targets {
		targets[i] = renumbered(targets[i], p.targets[i])
	}
	primitive.SetObjects("targets", targets)
	if p.indices != made {
		primitive.SetInt("indices", p.indices)
	}
	if g.mode == triangles {
		primitive.Delete("mode")
	}
	return nil
}

// renumbered returns attributes with new accessors. Existing attributes keep their order. New
// attributes follow in a fixed order.
func renumbered(attributes gltf.Object, accessors map[string]int) gltf.Object {
	o := make(gltf.Object, 0, len(attributes)+2)
	for _, a := range attributes {
		if n, ok := accessors[a.Key]; ok {
			o = append(o, gltf.Member{Key: a.Key, Value: fmt.Append(nil, n)})
		}
	}
	for _, name := range []string{"NORMAL", "TANGENT"} {
		if n, ok := accessors[name]; ok {
			o.SetInt(name, n)
		}
	}
	return o
}

func listOf(objects []gltf.Object) json.RawMessage {
	list := make([]json.RawMessage, len(objects))
	for i, o := range objects {
		list[i] = o.Text()
	}
	return gltf.ListText(list)
}

// declareExtensions declares the extensions of the output.
func (w *writer) declareExtensions(context.Context) error {
	lods := slices.ContainsFunc(w.lodMeshes, func(list []int) bool { return len(list) > 0 })
	w.doc.Declare(gltf.Quantization, w.quantized, w.quantized)
	w.doc.Declare(extLOD, lods, false)
	instanced := slices.Contains(w.instanced, true)
	w.doc.Declare(extInstancing, instanced, instanced)
	w.doc.Undeclare(gltf.MeshoptEXT, gltf.MeshoptKHR) // the compression extension of the source is no longer used
	if w.layout.IsCompressed() {
		w.doc.Declare(w.o.compression(), true, true)
	}
	w.doc.WriteExtensions()
	return nil
}

// addLODs adds a mesh for each level of detail of a mesh's geometries. A geometry with fewer
// levels repeats its last level.
func (w *writer) addLODs(mesh int, places map[*geometry]*geometryPlace) error {
	levels := 0
	for _, g := range w.shows[mesh] {
		if g != nil {
			levels = max(levels, len(g.lods))
		}
	}
	for level := 1; level <= levels; level++ {
		m := append(gltf.Object(nil), w.meshes[mesh]...)
		primitives := make([]gltf.Object, len(w.primitives[mesh]))
		moved, corners := float64(0), 0
		for j, g := range w.shows[mesh] {
			primitives[j] = append(gltf.Object(nil), w.primitives[mesh][j]...)
			if g == nil || g.mode != triangles {
				continue
			}
			shown := g.indices
			if n := min(level, len(g.lods)); n > 0 {
				shown = g.lods[n-1].indices
				moved = max(moved, g.lods[n-1].err)
				primitives[j].SetInt("indices", places[g].lods[n-1])
			}
			corners += len(shown)
		}
		m.Set("primitives", listOf(primitives))
		if m.Member("name") != nil {
			m.Set("name", gltf.Quote(fmt.Sprintf("%s_lod%d", w.doc.Meshes[mesh].Name, level)))
		}
		extras, err := m.Object("extras")
		if err != nil {
			extras = nil // extras are missing or not an object
		}
		var lod gltf.Object
		lod.SetInt("level", level)
		lod.SetInt("triangles", corners/3)
		lod.Set("error", gltf.Number(moved))
		extras.Set("lod", lod.Text())
		m.Set("extras", extras.Text())
		w.lodMeshes[mesh] = append(w.lodMeshes[mesh], len(w.meshes))
		w.meshes = append(w.meshes, m)
	}
	return nil
}

// moveMeshes moves each mesh that is on a grid or has levels of detail to a new child node.
func (w *writer) moveMeshes(context.Context) error {
	weights := map[int32]int{} // maps an old node to its new node for the morph target weights
	for i := range w.doc.Nodes {
		n := &w.doc.Nodes[i]
		if n.Mesh == nil || w.instanced != nil && w.instanced[i] {
			continue
		}
		grid := w.groups.gridOf(int(*n.Mesh))
		if n.Skin != nil {
			grid = nil // the matrices of the skin undo the grid
		}
		lods := w.lodMeshes[*n.Mesh]
		if w.named[i] || n.IsInstanced() || n.HasLODs() {
			lods = nil // an extension names the node, the node is instanced, or it has its own levels
		}
		if grid == nil && len(lods) == 0 {
			continue
		}
		var child gltf.Object
		for _, key := range []string{"mesh", "skin", "weights"} {
			if text := w.nodes[i].Member(key); text != nil {
				child.Set(key, text)
				w.nodes[i].Delete(key)
			}
		}
		if grid != nil {
			child.Set("translation", gltf.Singles(float64(grid.Min[0]), float64(grid.Min[1]), float64(grid.Min[2])))
			step := float64(grid.Step)
			child.Set("scale", gltf.Singles(step, step, step))
		}
		number := len(w.nodes)
		weights[int32(i)] = number
		children, err := w.nodes[i].List("children")
		if err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
		w.nodes[i].Set("children", gltf.ListText(append(children, fmt.Append(nil, number))))
		w.nodes = append(w.nodes, child)
		w.placeLODs(number, lods)
	}
	for i := range w.nodes {
		shortenTransform(&w.nodes[i])
	}
	w.doc.Root.SetObjects("meshes", w.meshes)
	w.doc.Root.SetObjects("nodes", w.nodes)
	return w.retargetChannels(weights)
}

// shortenTransform removes digits that exporters write after a float32. They do not change its
// value.
func shortenTransform(node *gltf.Object) {
	for _, key := range []string{"translation", "rotation", "scale", "matrix", "weights"} {
		var values []float64
		text := node.Member(key)
		if text == nil || json.Unmarshal(text, &values) != nil {
			continue
		}
		isDouble := func(x float64) bool { return float64(float32(x)) != x }
		if short := gltf.Singles(values...); len(short) < len(text) && !slices.ContainsFunc(values, isDouble) {
			node.Set(key, short)
		}
	}
}

// placeLODs adds a node for each level of detail. It lists these nodes at the node of the full
// mesh.
func (w *writer) placeLODs(node int, meshes []int) {
	var ids []json.RawMessage
	full := w.nodes[node]
	for _, m := range meshes {
		ids = append(ids, fmt.Append(nil, len(w.nodes)))
		n := append(gltf.Object(nil), full...)
		n.SetInt("mesh", m)
		w.nodes = append(w.nodes, n)
	}
	if len(ids) > 0 {
		w.nodes[node].Set("extensions", fmt.Appendf(nil, `{"%s":{"ids":%s}}`, extLOD, gltf.ListText(ids)))
	}
}

// retargetChannels redirects the channels that animate morph target weights to the new nodes in
// weights. It then writes the animations into the document.
func (w *writer) retargetChannels(weights map[int32]int) error {
	animations := make([]gltf.Object, len(w.clips))
	for i, k := range w.clips {
		if err := k.retargetClip(weights); err != nil {
			return fmt.Errorf("animation %d: %w", i, err)
		}
		animations[i] = k.text
	}
	w.doc.Root.SetObjects("animations", animations)
	return nil
}

func (k *clip) retargetClip(weights map[int32]int) error {
	var channels []json.RawMessage
	for j, ch := range k.source.Channels {
		if ch.Target.Node == nil || ch.Target.Path != "weights" {
			continue
		}
		to, moved := weights[*ch.Target.Node]
		if !moved {
			continue
		}
		var err error
		if channels == nil {
			if channels, err = k.text.List("channels"); err != nil {
				return err
			}
		}
		channel, err := gltf.ParseObject(channels[j])
		if err == nil {
			err = channel.Edit("target", func(target *gltf.Object) error {
				target.SetInt("node", to)
				return nil
			})
		}
		if err != nil {
			return err
		}
		channels[j] = channel.Text()
	}
	if channels != nil {
		k.text.Set("channels", gltf.ListText(channels))
	}
	return nil
}
