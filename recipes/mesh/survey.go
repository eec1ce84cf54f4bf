package mesh

import (
	"maps"
	"slices"
)

// survey looks who uses each accessor of the source. One is free if all who use it get
// other numbers: geometries, skins whose meshes are on a grid, and animations. uses says what the
// others are for.
func (c *cooking) survey() (free []bool, uses []use) {
	n := len(c.doc.Accessors)
	held, freed := make([]bool, n), make([]bool, n)
	uses = make([]use, n)
	for i := range c.doc.Meshes {
		for j := range c.doc.Meshes[i].Primitives {
			note := func(accessor int32, u use) {
				if c.shows[i][j] != nil {
					freed[accessor] = true
					return
				}
				held[accessor] = true
				uses[accessor] = u
			}
			p := &c.doc.Meshes[i].Primitives[j]
			for _, attributes := range p.AttributeSets() {
				for _, name := range slices.Sorted(maps.Keys(attributes)) {
					note(attributes[name], vertices)
				}
			}
			if p.Indices != nil {
				note(*p.Indices, loose)
			}
		}
	}
	for i, s := range c.doc.Skins {
		if s.InverseBindMatrices != nil {
			if c.skinGrid(i) != nil {
				freed[*s.InverseBindMatrices] = true
			} else {
				held[*s.InverseBindMatrices] = true
				uses[*s.InverseBindMatrices] = matrices
			}
		}
	}
	for i := range c.doc.Animations {
		for j, s := range c.doc.Animations[i].Samplers {
			to := held
			if c.motions[i] != nil && c.motions[i][j] != nil {
				to = freed
			}
			to[*s.Input], to[*s.Output] = true, true
		}
	}
	for _, accessor := range c.released {
		freed[accessor] = true
	}
	for i := range c.doc.Nodes {
		for _, accessor := range c.doc.Nodes[i].Instances() {
			if accessor >= 0 && int(accessor) < n {
				held[accessor] = true
			}
		}
	}
	free = make([]bool, n)
	for i := range free {
		free[i] = freed[i] && !held[i]
	}
	return free, uses
}
