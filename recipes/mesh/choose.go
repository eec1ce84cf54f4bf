package mesh

import (
	"strings"
	"unicode"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/quantize"
)

// choosePrimitives returns the primitives to rewrite. It also returns the meshes that cannot be on
// a grid.
func (c *cooking) choosePrimitives() (change [][]bool, asIs []bool, err error) {
	change, asIs = make([][]bool, len(c.meshes)), make([]bool, len(c.meshes))
	c.named = namedNodes(c.doc)
	move := c.mayMove()
	if _, found := findExtensionKey(c.doc, namesMesh); found {
		clear(move)
	}
	for i := range c.meshes {
		harmless, err := hasOnlyHarmless(c.meshes[i])
		if err != nil {
			return nil, nil, err
		}
		asIs[i] = !move[i]
		change[i] = make([]bool, len(c.primitives[i]))
		for j := range c.primitives[i] {
			fine, err := hasOnlyHarmless(c.primitives[i][j])
			if err != nil {
				return nil, nil, err
			}
			change[i][j] = harmless && fine && hasVertices(c.doc, &c.doc.Meshes[i].Primitives[j])
			asIs[i] = asIs[i] || !change[i][j]
		}
	}
	return change, asIs, nil
}

// hasVertices reports whether a primitive's vertices are stored in a buffer.
func hasVertices(doc *gltf.Document, p *gltf.Primitive) bool {
	position, ok := p.Attributes["POSITION"]
	return ok && doc.Accessors[position].BufferView != nil
}

// mayMove reports for each mesh whether its nodes can scale grid positions back. That requires
// three things. Some node shows the mesh. No extension instances or names such a node. No animation
// pointer targets weights that would move to another node.
func (c *cooking) mayMove() []bool {
	doc := c.doc
	move := make([]bool, len(doc.Meshes))
	held := make([]bool, len(doc.Meshes))
	for i := range doc.Nodes {
		mesh := doc.Nodes[i].Mesh
		if mesh == nil {
			continue
		}
		move[*mesh] = true
		if doc.Nodes[i].IsInstanced() || c.named[i] {
			held[*mesh] = true
		}
	}
	pointers := strings.Contains(string(doc.Root.Member("animations")), "/weights")
	for i := range move {
		move[i] = move[i] && !held[i] && !(pointers && hasTargets(doc, i))
	}
	return move
}

func hasTargets(doc *gltf.Document, mesh int) bool {
	for i := range doc.Meshes[mesh].Primitives {
		if len(doc.Meshes[mesh].Primitives[i].Targets) > 0 {
			return true
		}
	}
	return false
}

// Words in the names of collision meshes. surelyCollision has Unreal's prefixes, Godot's suffixes
// and common words. The words in maybeCollision also occur in names of ship parts and, in Godot, of
// visible meshes.
var (
	surelyCollision = map[string]bool{
		"collision": true, "collisions": true, "collider": true, "colliders": true, "colonly": true, "convcolonly": true,
		"ucx": true, "ubx": true, "usp": true, "ucp": true, "navmesh": true,
	}
	maybeCollision = map[string]bool{"col": true, "convcol": true, "coll": true, "hull": true, "physics": true, "phys": true}
)

// A nameClass is the likelihood that a name belongs to a collision mesh.
type nameClass uint8

const (
	anything nameClass = iota
	maybePhysics
	surelyPhysics
)

// classOfName classifies a name by its words. Capitals start words, and all characters except
// letters separate them.
func classOfName(name string) nameClass {
	var words []string
	for _, run := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }) {
		words = append(words, run)
		from, upper := 0, true
		for i, r := range run {
			if unicode.IsUpper(r) && !upper {
				words = append(words, run[from:i])
				from = i
			}
			upper = unicode.IsUpper(r)
		}
		words = append(words, run[from:])
	}
	found := anything
	for _, w := range words {
		switch w = strings.ToLower(w); {
		case surelyCollision[w]:
			return surelyPhysics
		case maybeCollision[w]:
			found = maybePhysics
		}
	}
	return found
}

// classifyNames classifies meshes by their own names and by the names of their nodes. Node names
// count only if all nodes of the mesh agree.
func (c *cooking) classifyNames() []nameClass {
	list := make([]nameClass, len(c.meshes))
	nodes := make([]nameClass, len(c.meshes))
	shown := make([]bool, len(c.meshes))
	for i := range c.doc.Nodes {
		m := c.doc.Nodes[i].Mesh
		if m == nil {
			continue
		}
		called := classOfName(c.doc.Nodes[i].Name)
		if !shown[*m] || called < nodes[*m] {
			nodes[*m] = called
		}
		shown[*m] = true
	}
	for i := range list {
		list[i] = max(classOfName(c.doc.Meshes[i].Name), nodes[i])
	}
	return list
}

// isUnseen reports whether a primitive serves only for physics, and so needs no normals. Either its
// name says so, or it has no material, texture coordinates or colors in a model with materials.
func (c *cooking) isUnseen(p *gltf.Primitive, called nameClass) bool {
	switch {
	case called == surelyPhysics:
		return true
	case p.Material != nil:
		return false
	case called == maybePhysics:
		return true
	}
	for name := range p.Attributes {
		if strings.HasPrefix(name, "TEXCOORD_") || strings.HasPrefix(name, "COLOR_") {
			return false
		}
	}
	return len(c.doc.Materials) > 0
}

// groups are the sets of meshes that need a common grid because they share vertices or a skin.
// The matrices of a skin can undo only one grid.
type groups struct {
	of    []int  // group of each mesh: the lowest mesh index in the group
	plain []bool // marks groups whose positions stay unchanged
	grids []*quantize.Grid
	boxes []quantize.Box
	reach []float32 // largest displacement by a morph target
}

// findGroups groups a document's meshes. asIs marks the meshes that cannot be on a grid.
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
			gr.joinGroups(mesh, other)
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
		gr.of[i] = gr.groupRoot(i)
		if asIs[i] {
			gr.plain[gr.of[i]] = true
		}
	}
	return gr
}

func (gr *groups) groupRoot(mesh int) int {
	for gr.of[mesh] != mesh {
		gr.of[mesh] = gr.of[gr.of[mesh]]
		mesh = gr.of[mesh]
	}
	return mesh
}

// joinGroups merges two groups under the lower index.
func (gr *groups) joinGroups(a, b int) {
	a, b = gr.groupRoot(a), gr.groupRoot(b)
	gr.of[max(a, b)] = min(a, b)
}

// extendGroup extends the bounding box of a geometry's group by its positions.
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

// makeGrids makes the grids of all groups that can have one.
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

// gridOf returns the grid of a mesh. It is nil if the positions of the mesh stay unchanged.
func (gr *groups) gridOf(mesh int) *quantize.Grid { return gr.grids[gr.of[mesh]] }
