package mesh

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// A writer enters what has been cooked into the document's text.
type writer struct {
	*cooking
	job       *recipe.Job
	accessors *accessors
	lodMeshes [][]int // of each mesh
	quantized bool    // KHR_mesh_quantization is needed
	buffers   laid
}

// written is a geometry's place in the output.
type written struct {
	attributes map[string]int // name -> accessor
	targets    []map[string]int
	indices    int // made for none
	lods       []int
}

// geometry writes all geometries, and the meshes that show them.
func (w *writer) geometry(ctx context.Context) error {
	places := map[*geometry]*written{}
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
			if err := places[g].enter(&w.primitives[i][j], g); err != nil {
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
func (w *writer) writeGeometry(ctx context.Context, g *geometry) (*written, error) {
	place := &written{attributes: map[string]int{}, targets: make([]map[string]int, g.targets), indices: made}
	for i := range place.targets {
		place.targets[i] = map[string]int{}
	}
	count := g.vertices()
	for i := range g.streams {
		s := &g.streams[i]
		of := vertices
		if s.octa {
			of = directions
		}
		number, err := w.accessors.replace(ctx, s.accessor, kindOf(w.doc, s.accessor, s.data.Width), of, s.data, s.name == "POSITION")
		if err != nil {
			return nil, err
		}
		if s.target == base {
			place.attributes[s.name] = number
		} else {
			place.targets[s.target][s.name] = number
		}
		w.quantized = w.quantized || needsQuantization(s)
		s.data = gltf.Array{} // is in the view now
	}
	if g.indices == nil {
		return place, nil
	}
	var err error
	of := loose
	if g.mode == triangles {
		of = indices
	}
	place.indices, err = w.accessors.replace(ctx, g.indexAccessor, "SCALAR", of, indexArray(g.indices, count), false)
	if err != nil {
		return nil, err
	}
	for _, l := range g.lods {
		number, err := w.accessors.replace(ctx, made, "SCALAR", indices, indexArray(l.indices, count), false)
		if err != nil {
			return nil, err
		}
		place.lods = append(place.lods, number)
	}
	return place, nil
}

// needsQuantization reports whether glTF 2.0 alone does not allow how a stream is
// stored.
func needsQuantization(s *stream) bool {
	switch s.name {
	case "POSITION", "NORMAL", "TANGENT":
		return s.data.Component != gltf.Float32
	}
	return false
}

// enter puts the numbers of a geometry's accessors into a primitive.
func (p *written) enter(primitive *gltf.Object, g *geometry) error {
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

// renumbered returns attributes with other accessors: those that were there in their
// order, made ones in a fixed one.
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

// extensions writes the lists of extensions.
func (w *writer) extensions(context.Context) error {
	lods := slices.ContainsFunc(w.lodMeshes, func(list []int) bool { return len(list) > 0 })
	w.doc.Declare(extQuantization, w.quantized, w.quantized)
	w.doc.Declare(extLOD, lods, false)
	w.doc.Undeclare(gltf.MeshoptEXT, gltf.MeshoptKHR) // those of the source
	packed := w.buffers.unpacked > 0
	w.doc.Declare(extMeshopt, packed, packed)
	w.doc.WriteExtensions()
	return nil
}
