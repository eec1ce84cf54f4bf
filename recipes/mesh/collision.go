package mesh

import (
	"strings"
	"unicode"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// Words by which meshes for physics are called. The first are of nothing else: prefixes of
// Unreal, suffixes of Godot, and what people write; those of maybe are also called parts
// of ships, and in Godot meshes that are seen as well.
var (
	surelyCollision = map[string]bool{
		"collision": true, "collisions": true, "collider": true, "colliders": true, "colonly": true, "convcolonly": true,
		"ucx": true, "ubx": true, "usp": true, "ucp": true, "navmesh": true,
	}
	maybeCollision = map[string]bool{"col": true, "convcol": true, "coll": true, "hull": true, "physics": true, "phys": true}
)

// A calling says whether a name is that of a mesh for physics.
type calling uint8

const (
	anything calling = iota
	maybePhysics
	surelyPhysics
)

// callingOf looks at the words of a name, which all but letters part, and capitals.
func callingOf(name string) calling {
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

// callings returns what the names of meshes and of the nodes that show them say: for a
// node's name to count all nodes of a mesh must agree.
func (c *cooking) callings() []calling {
	list := make([]calling, len(c.meshes))
	nodes := make([]calling, len(c.meshes))
	shown := make([]bool, len(c.meshes))
	for i := range c.doc.Nodes {
		m := c.doc.Nodes[i].Mesh
		if m == nil {
			continue
		}
		called := callingOf(c.doc.Nodes[i].Name)
		if !shown[*m] || called < nodes[*m] {
			nodes[*m] = called
		}
		shown[*m] = true
	}
	for i := range list {
		list[i] = max(callingOf(c.doc.Meshes[i].Name), nodes[i])
	}
	return list
}

// isUnseen reports whether a primitive is for physics only, so that normals are not needed:
// it is called so, or has nothing that is seen of it, neither a material nor coordinates or
// colors, in a model that has materials.
func (c *cooking) isUnseen(p *gltf.Primitive, called calling) bool {
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
