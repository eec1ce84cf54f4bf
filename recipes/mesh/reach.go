package mesh

import (
	"math"
	"slices"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// reaches returns, for each node, the size of what moves with it in units of its parent:
// how far meshes and nodes below it are apart at most, as they are without animations.
func reaches(doc *gltf.Document) []float64 {
	reach := make([]float64, len(doc.Nodes)) // of what is below, and its own mesh
	order, parent := make([]int32, 0, len(doc.Nodes)), doc.Parents()
	for i, p := range parent {
		if p < 0 {
			order = append(order, int32(i))
		}
	}
	for at := 0; at < len(order); at++ {
		order = append(order, doc.Nodes[order[at]].Children...)
	}
	for _, i := range slices.Backward(order) {
		n := &doc.Nodes[i]
		if n.Mesh != nil && n.Skin == nil {
			reach[i] = max(reach[i], meshReach(doc, *n.Mesh))
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
func meshReach(doc *gltf.Document, mesh int32) float64 {
	most := 0.
	for i := range doc.Meshes[mesh].Primitives {
		a, ok := doc.Meshes[mesh].Primitives[i].Attributes["POSITION"]
		if !ok || doc.Accessors[a].Min == nil || doc.Accessors[a].Max == nil {
			continue
		}
		low, high := *doc.Accessors[a].Min, *doc.Accessors[a].Max
		var box [3]float64
		unit := 1.
		if position := &doc.Accessors[a]; position.Normalized {
			bits := 8 * gltf.ComponentSize(position.ComponentType)
			if position.ComponentType == gltf.Int8 || position.ComponentType == gltf.Int16 {
				bits--
			}
			unit = math.Exp2(float64(bits)) - 1
		}
		for k := range min(len(low), len(high), 3) {
			box[k] = (high[k] - low[k]) / 2 / unit
		}
		most = max(most, length(box))
	}
	return most
}

// placed returns how far a node is from its parent, and by how much it scales at most.
func placed(n *gltf.Node) (far, scale float64) {
	scale = 1
	switch {
	case n.Matrix != nil:
		m := n.Matrix
		far, scale = length([3]float64(m[12:])), 0
		for column := 0; column < 12; column += 4 {
			scale = max(scale, length([3]float64(m[column:])))
		}
		return far, scale
	case n.Scale != nil:
		scale = max(math.Abs(n.Scale[0]), math.Abs(n.Scale[1]), math.Abs(n.Scale[2]))
	}
	if n.Translation != nil {
		far = length(*n.Translation)
	}
	return far, scale
}

func length(v [3]float64) float64 {
	sum := 0.
	for _, x := range v {
		sum += float64(x * x)
	}
	return math.Sqrt(sum)
}
