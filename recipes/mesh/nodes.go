package mesh

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// addLODs makes a mesh for each level of detail that the geometries of a mesh have. A
// geometry with fewer levels shows its last one.
func (w *writer) addLODs(mesh int, places map[*geometry]*written) error {
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
			extras = nil // there are none, or no object
		}
		var lod gltf.Object
		lod.SetInt("level", level)
		lod.SetInt("triangles", corners/3)
		lod.Set("error", jsonNumber(moved))
		extras.Set("lod", lod.Text())
		m.Set("extras", extras.Text())
		w.lodMeshes[mesh] = append(w.lodMeshes[mesh], len(w.meshes))
		w.meshes = append(w.meshes, m)
	}
	return nil
}

// moveMeshes moves meshes that are on a grid, or have levels of detail, from their nodes to
// new ones below them.
func (w *writer) moveMeshes(context.Context) error {
	weights := map[int32]int{} // nodes whose morph target weights have moved, and where
	for i := range w.doc.Nodes {
		n := &w.doc.Nodes[i]
		if n.Mesh == nil {
			continue
		}
		grid := w.groups.grid(int(*n.Mesh))
		if n.Skin != nil {
			grid = nil // the skin's matrices do it
		}
		lods := w.lodMeshes[*n.Mesh]
		if w.named[i] || n.IsInstanced() || n.HasLODs() {
			lods = nil // the node is named, or has copies or levels of its own
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
			child.Set("translation", numbers(float64(grid.Min[0]), float64(grid.Min[1]), float64(grid.Min[2])))
			step := float64(grid.Step)
			child.Set("scale", numbers(step, step, step))
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
	w.doc.Root.SetObjects("meshes", w.meshes)
	w.doc.Root.SetObjects("nodes", w.nodes)
	return w.moveChannels(weights)
}

// placeLODs adds a node for each level of detail and lists them at the node of the full
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

// moveChannels has the channels that animate morph target weights follow them.
func (w *writer) moveChannels(weights map[int32]int) error {
	animations, err := w.doc.Objects("animations")
	if err != nil {
		return err
	}
	for i := range w.doc.Animations {
		var channels []json.RawMessage
		for j, ch := range w.doc.Animations[i].Channels {
			if ch.Target.Node == nil || ch.Target.Path != "weights" {
				continue
			}
			to, moved := weights[*ch.Target.Node]
			if !moved {
				continue
			}
			if channels == nil {
				if channels, err = animations[i].List("channels"); err != nil {
					return fmt.Errorf("animation %d: %w", i, err)
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
				return fmt.Errorf("animation %d: %w", i, err)
			}
			channels[j] = channel.Text()
		}
		if channels != nil {
			animations[i].Set("channels", gltf.ListText(channels))
		}
	}
	w.doc.Root.SetObjects("animations", animations)
	return nil
}
