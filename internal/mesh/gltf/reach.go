package gltf

import (
	"math"
	"slices"
)

// Reaches returns, for each node, the size of what moves with it in units of its parent:
// how far meshes and nodes below it are apart at most, as they are without animations.
func (d *Document) Reaches() []float64 {
	reach := make([]float64, len(d.Nodes)) // of everything below, and of its own mesh
	order, parent := make([]int32, 0, len(d.Nodes)), d.Parents()
	for i, p := range parent {
		if p < 0 {
			order = append(order, int32(i))
		}
	}
	for at := 0; at < len(order); at++ {
		order = append(order, d.Nodes[order[at]].Children...)
	}
	for _, i := range slices.Backward(order) {
		n := &d.Nodes[i]
		if n.Mesh != nil && n.Skin == nil {
			reach[i] = max(reach[i], d.meshReach(*n.Mesh))
		}
		far, scale := placed(n)
		reach[i] = float64(reach[i] * scale)
		if p := parent[i]; p >= 0 {
			reach[p] = max(reach[p], far+reach[i])
		}
	}
	for i := range reach {
		reach[i] *= 2
	}
	return reach
}

// meshReach returns the distance of a mesh's corners from its middle, as far as its
// document says.
func (d *Document) meshReach(mesh int32) float64 {
	most := 0.
	for i := range d.Meshes[mesh].Primitives {
		a, ok := d.Meshes[mesh].Primitives[i].Attributes["POSITION"]
		if !ok || d.Accessors[a].Min == nil || d.Accessors[a].Max == nil {
			continue
		}
		low, high := *d.Accessors[a].Min, *d.Accessors[a].Max
		var box [3]float64
		unit := 1.
		if position := &d.Accessors[a]; position.Normalized {
			bits := 8 * ComponentSize(position.ComponentType)
			if position.ComponentType == Int8 || position.ComponentType == Int16 {
				bits--
			}
			unit = math.Exp2(float64(bits)) - 1
		}
		for k := range min(len(low), len(high), 3) {
			box[k] = (high[k] - low[k]) / 2 / unit
		}
		most = max(most, length(box[:]))
	}
	return most
}

// placed returns how far a node is from its parent, and by how much it scales at most.
func placed(n *Node) (far, scale float64) {
	scale = 1
	switch {
	case n.Matrix != nil:
		m := n.Matrix
		far, scale = length(m[12:][:3]), 0
		for column := 0; column < 12; column += 4 {
			scale = max(scale, length(m[column:][:3]))
		}
		return far, scale
	case n.Scale != nil:
		scale = max(math.Abs(n.Scale[0]), math.Abs(n.Scale[1]), math.Abs(n.Scale[2]))
	}
	if n.Translation != nil {
		far = length(n.Translation[:])
	}
	return far, scale
}
