package mesh

import (
	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/quantize"
)

// Meshes share a grid if they share vertices, or a skin, whose matrices can undo only
// one. groups finds them.
type groups struct {
	of    []int  // each mesh's group, by the number of one of its meshes
	plain []bool // by group: positions stay as they are
	grids []*quantize.Grid
	boxes []quantize.Box
	reach []float32 // of morph targets
}

// findGroups groups a document's meshes. asIs says which meshes cannot be put on a grid.
func findGroups(doc *gltf.Document, asIs []bool) *groups {
	n := len(doc.Meshes)
	gr := &groups{
		of: make([]int, n), plain: make([]bool, n), grids: make([]*quantize.Grid, n),
		boxes: make([]quantize.Box, n), reach: make([]float32, n),
	}
	for i := range gr.of {
		gr.of[i] = i
		gr.boxes[i] = quantize.Empty()
	}
	byAccessor, bySkin := map[int32]int{}, map[int32]int{}
	join := func(first map[int32]int, key int32, mesh int) {
		if other, ok := first[key]; ok {
			gr.join(mesh, other)
		} else {
			first[key] = mesh
		}
	}
	for i := range doc.Meshes {
		for j := range doc.Meshes[i].Primitives {
			if a, ok := doc.Meshes[i].Primitives[j].Attributes["POSITION"]; ok {
				join(byAccessor, a, i)
			}
		}
	}
	for i := range doc.Nodes {
		if node := &doc.Nodes[i]; node.Mesh != nil && node.Skin != nil {
			join(bySkin, *node.Skin, int(*node.Mesh))
		}
	}
	for i := range gr.of {
		gr.of[i] = gr.root(i)
		if asIs[i] {
			gr.plain[gr.of[i]] = true
		}
	}
	return gr
}

func (gr *groups) root(mesh int) int {
	for gr.of[mesh] != mesh {
		gr.of[mesh] = gr.of[gr.of[mesh]]
		mesh = gr.of[mesh]
	}
	return mesh
}

// join makes one group of two; its number is the lower one.
func (gr *groups) join(a, b int) {
	a, b = gr.root(a), gr.root(b)
	gr.of[max(a, b)] = min(a, b)
}

// extendGroup enters the positions of a geometry into the extent of its group.
func (gr *groups) extendGroup(g *geometry) {
	for _, s := range g.streams {
		switch {
		case s.name != "POSITION":
		case s.data.Component != gltf.Float32:
			gr.plain[g.group] = true
		case s.target == base:
			gr.boxes[g.group].Add(s.data.Floats())
		default:
			low, high := s.data.Bounds()
			for k := range low {
				gr.reach[g.group] = max(gr.reach[g.group], float32(-low[k]), float32(high[k]))
			}
		}
	}
}

// makeGrids lays the grids of all groups that can have one.
func (gr *groups) makeGrids(bits int) {
	for i, plain := range gr.plain {
		if gr.of[i] != i || plain || bits == 0 {
			continue
		}
		if grid, ok := quantize.NewGrid(gr.boxes[i], gr.reach[i], bits); ok {
			gr.grids[i] = &grid
		}
	}
}

// grid returns the grid of a mesh, nil if its positions stay as they are.
func (gr *groups) grid(mesh int) *quantize.Grid { return gr.grids[gr.of[mesh]] }
