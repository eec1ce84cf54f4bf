package mesh

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/quantize"
)

// surveyAccessors finds the users of each source accessor. An accessor is free if all its users get
// new elements. Such users are geometries, skins whose meshes are on a grid, and animations. uses
// holds the use of the other accessors.
func (c *cooking) surveyAccessors() (free []bool, uses []gltf.Use) {
	n := len(c.doc.Accessors)
	held, freed := make([]bool, n), make([]bool, n)
	uses = make([]gltf.Use, n)
	for i := range c.doc.Meshes {
		for j := range c.doc.Meshes[i].Primitives {
			note := func(accessor int32, u gltf.Use) {
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
					note(attributes[name], gltf.VertexData)
				}
			}
			if p.Indices != nil {
				note(*p.Indices, gltf.OtherIndices)
			}
		}
	}
	for i, s := range c.doc.Skins {
		if s.InverseBindMatrices != nil {
			if c.skinGrid(i) != nil {
				freed[*s.InverseBindMatrices] = true
			} else {
				held[*s.InverseBindMatrices] = true
				uses[*s.InverseBindMatrices] = gltf.Matrices
			}
		}
	}
	for _, k := range c.clips {
		for j, s := range k.source.Samplers {
			to := held
			if k.motions[j] != nil {
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

// drawnAccessors returns the accessors that meshes and skins use.
func drawnAccessors(doc *gltf.Document) (list []int32) {
	for i := range doc.Meshes {
		for j := range doc.Meshes[i].Primitives {
			p := &doc.Meshes[i].Primitives[j]
			if p.Indices != nil {
				list = append(list, *p.Indices)
			}
			for _, attributes := range p.AttributeSets() {
				list = slices.AppendSeq(list, maps.Values(attributes))
			}
		}
	}
	for _, s := range doc.Skins {
		if s.InverseBindMatrices != nil {
			list = append(list, *s.InverseBindMatrices)
		}
	}
	return list
}

// skinMeshes returns for each skin a mesh that uses it, or -1 if none does.
func skinMeshes(doc *gltf.Document) []int {
	list := make([]int, len(doc.Skins))
	for i := range list {
		list[i] = -1
	}
	for i := range doc.Nodes {
		if n := &doc.Nodes[i]; n.Skin != nil && n.Mesh != nil {
			list[*n.Skin] = int(*n.Mesh)
		}
	}
	return list
}

// fewestJoints returns for each mesh the number of joints in the smallest skin that deforms it. It
// is 0 for a mesh without a skin.
func fewestJoints(doc *gltf.Document) []int {
	fewest := make([]int, len(doc.Meshes))
	for i := range doc.Nodes {
		if n := &doc.Nodes[i]; n.Skin != nil && n.Mesh != nil {
			joints, have := len(doc.Skins[*n.Skin].Joints), &fewest[*n.Mesh]
			if *have == 0 || joints < *have {
				*have = joints
			}
		}
	}
	return fewest
}

// skinGrid returns the grid of a skin's meshes. It is nil if they have none.
func (c *cooking) skinGrid(skin int) *quantize.Grid {
	if mesh := c.skinned[skin]; mesh >= 0 {
		return c.groups.gridOf(mesh)
	}
	return nil
}

// writeSkins multiplies the inverse bind matrices of skins by the grids of their meshes, because
// viewers ignore the nodes of skinned meshes.
func (w *writer) writeSkins(ctx context.Context) error {
	objects, err := w.doc.Objects("skins")
	if err != nil {
		return err
	}
	type undone struct{ accessor, joints, group int }
	known := map[undone]int{}
	for i := range w.doc.Skins {
		grid := w.skinGrid(i)
		if grid == nil {
			continue
		}
		s := &w.doc.Skins[i]
		m := undone{accessor: made, joints: len(s.Joints), group: w.groups.of[w.skinned[i]]}
		if s.InverseBindMatrices != nil {
			m.accessor = int(*s.InverseBindMatrices)
		}
		number, ok := known[m]
		if !ok {
			array, err := w.readInverseBind(ctx, m.accessor, m.joints)
			if err != nil {
				return fmt.Errorf("skin %d: %w", i, err)
			}
			grid.Undo(array)
			if err := array.Finite(ctx, "inverse bind matrix"); err != nil {
				return fmt.Errorf("skin %d: its mesh is too large: %w", i, err)
			}
			if number, err = w.accessors.replaceAccessor(ctx, int32(m.accessor), "MAT4", gltf.Matrices, array, false); err != nil {
				return err
			}
			known[m] = number
		}
		objects[i].SetInt("inverseBindMatrices", number)
	}
	w.doc.Root.SetObjects("skins", objects)
	return nil
}

// readInverseBind reads the inverse bind matrices of a skin. They are identities if the skin has no
// accessor.
func (w *writer) readInverseBind(ctx context.Context, accessor, joints int) (gltf.Array, error) {
	if accessor == made {
		array := gltf.NewArray(gltf.Float32, false, 16, joints)
		one := math.Float32bits(1)
		for i := range joints {
			for k := 0; k < 16; k += 5 {
				binary.LittleEndian.PutUint32(array.Data[64*i+4*k:], one)
			}
		}
		return array, nil
	}
	array, err := w.doc.First(ctx, int32(accessor), joints)
	if err != nil {
		return array, err
	}
	if err := array.Finite(ctx, "element"); err != nil {
		return array, err
	}
	n, err := array.RepairMatrices()
	w.repairs.noteRepair(lastRow, fmt.Sprintf("accessor %d", accessor), n)
	return array, err
}
