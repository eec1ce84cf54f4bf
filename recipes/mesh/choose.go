package mesh

import (
	"strings"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// choose says which primitives are to change, and which meshes have to stay off grids.
func (c *cooking) choose() (change [][]bool, asIs []bool, err error) {
	change, asIs = make([][]bool, len(c.meshes)), make([]bool, len(c.meshes))
	c.named = namedNodes(c.doc)
	move := c.mayMove()
	if _, found := findKey(c.doc, namesMesh); found {
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

// hasVertices reports whether the vertices of a primitive are in the file.
func hasVertices(doc *gltf.Document, p *gltf.Primitive) bool {
	position, ok := p.Attributes["POSITION"]
	return ok && doc.Accessors[position].BufferView != nil
}

// mayMove reports, for each mesh, whether nodes can undo what a grid does to it: it is
// on some node, on none that repeats it by an extension or is named by one, and no
// animation pointer names the weights that would move to another node.
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
