package mesh

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/assetcook/assetcook/internal/mesh/model"
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
		m := append(model.Object(nil), w.meshes[mesh]...)
		primitives := make([]model.Object, len(w.primitives[mesh]))
		moved, corners := float64(0), 0
		for j, g := range w.shows[mesh] {
			primitives[j] = append(model.Object(nil), w.primitives[mesh][j]...)
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
		var name string
		if text := m.Member("name"); text != nil && json.Unmarshal(text, &name) == nil {
			m.Set("name", model.Quote(fmt.Sprintf("%s_lod%d", name, level)))
		}
		extras, err := model.ParseObject(orEmpty(m.Member("extras")))
		if err != nil {
			extras = nil // there are none, or no object
		}
		var lod model.Object
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
		if w.named[i] || extension(w.nodes[i], extInstancing) != nil || extension(w.nodes[i], extLOD) != nil {
			lods = nil // the node is named, or has copies or levels of its own
		}
		if grid == nil && len(lods) == 0 {
			continue
		}
		var child model.Object
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
		children, err := model.ParseList(w.nodes[i].Member("children"))
		if err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
		w.nodes[i].Set("children", model.ListText(append(children, fmt.Append(nil, number))))
		w.nodes = append(w.nodes, child)
		w.placeLODs(number, lods)
	}
	w.doc.SetObjects("meshes", w.meshes)
	w.doc.SetObjects("nodes", w.nodes)
	return w.moveChannels(weights)
}

// placeLODs adds a node for each level of detail and lists them at the node of the full
// mesh.
func (w *writer) placeLODs(node int, meshes []int) {
	var ids []json.RawMessage
	full := w.nodes[node]
	for _, m := range meshes {
		ids = append(ids, fmt.Append(nil, len(w.nodes)))
		n := append(model.Object(nil), full...)
		n.SetInt("mesh", m)
		w.nodes = append(w.nodes, n)
	}
	if len(ids) > 0 {
		w.nodes[node].Set("extensions", fmt.Appendf(nil, `{"%s":{"ids":%s}}`, extLOD, model.ListText(ids)))
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
				if channels, err = model.ParseList(animations[i].Member("channels")); err != nil {
					return fmt.Errorf("animation %d: %w", i, err)
				}
			}
			channel, err := model.ParseObject(channels[j])
			if err != nil {
				return fmt.Errorf("animation %d: %w", i, err)
			}
			target, err := model.ParseObject(channel.Member("target"))
			if err != nil {
				return fmt.Errorf("animation %d: %w", i, err)
			}
			target.SetInt("node", to)
			channel.Set("target", target.Text())
			channels[j] = channel.Text()
		}
		if channels != nil {
			animations[i].Set("channels", model.ListText(channels))
		}
	}
	w.doc.SetObjects("animations", animations)
	return nil
}
