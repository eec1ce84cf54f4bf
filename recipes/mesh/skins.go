package mesh

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/quantize"
)

// skinMeshes returns for each skin a mesh that it moves, -1 if there is none.
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

// fewestJoints returns for each mesh how many joints the smallest skin that moves it has,
// 0 for none.
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

// skinGrid returns the grid of the meshes that a skin moves, nil if there is none.
func (c *cooking) skinGrid(skin int) *quantize.Grid {
	if mesh := c.skinned[skin]; mesh >= 0 {
		return c.groups.grid(mesh)
	}
	return nil
}

// skins has the inverse bind matrices of skins undo the grids of their meshes, whose
// nodes are not looked at.
func (w *writer) skins(ctx context.Context) error {
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
			array, err := w.inverseBind(ctx, m.accessor, m.joints)
			if err != nil {
				return fmt.Errorf("skin %d: %w", i, err)
			}
			undo(array, grid)
			if err := array.Finite(ctx, "inverse bind matrix"); err != nil {
				return fmt.Errorf("skin %d: its mesh is too large: %w", i, err)
			}
			if number, err = w.accessors.replace(ctx, int32(m.accessor), "MAT4", matrices, array, false); err != nil {
				return err
			}
			known[m] = number
		}
		objects[i].SetInt("inverseBindMatrices", number)
	}
	w.doc.Root.SetObjects("skins", objects)
	return nil
}

// inverseBind reads the matrices of a skin, which are the identity if it has none.
func (w *writer) inverseBind(ctx context.Context, accessor, joints int) (gltf.Array, error) {
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
	n, err := repairMatrices(array)
	w.repairs.noteRepair(lastRow, fmt.Sprintf("accessor %d", accessor), n)
	return array, err
}

// undo multiplies matrices, which are stored by columns, by that which turns the
// numbers of a grid into positions.
func undo(matrices gltf.Array, grid *quantize.Grid) {
	for i := range matrices.Count {
		var m [16]float32
		element := matrices.Element(i)
		for k := range m {
			m[k] = math.Float32frombits(binary.LittleEndian.Uint32(element[4*k:]))
		}
		for row := range 4 {
			moved := float64(m[12+row])
			for axis := range 3 {
				x := float64(m[4*axis+row])
				moved += float64(x * float64(grid.Min[axis]))
				m[4*axis+row] = float32(float64(x * float64(grid.Step)))
			}
			m[12+row] = float32(moved)
		}
		for k, x := range m {
			binary.LittleEndian.PutUint32(element[4*k:], math.Float32bits(x))
		}
	}
}
