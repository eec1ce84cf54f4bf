package gltf

import (
	"math"
	"slices"
)

// checkNodeTrees checks that nodes form trees and that scenes list only root nodes.
func (c *check) checkNodeTrees() {
	d := c.doc
	const none = -1
	parent := make([]int32, len(d.Nodes))
	for i := range parent {
		parent[i] = none
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		c.checkOptionalIndex(n.Mesh, len(d.Meshes), "mesh", "node %d", i)
		c.checkOptionalIndex(n.Camera, len(d.Cameras), "camera", "node %d", i)
		c.checkOptionalIndex(n.Skin, len(d.Skins), "skin", "node %d", i)
		c.checkTransform(n, i)
		c.checkShownMesh(n, i)
		for j := range n.Children {
			if !c.checkRequiredIndex(&n.Children[j], len(d.Nodes), "node", "node %d child %d", i, j) {
				continue
			}
			child := n.Children[j]
			if parent[child] != none {
				c.faults.addFault("node %d is a child of both node %d and node %d", child, parent[child], i)
				continue
			}
			parent[child] = int32(i)
		}
	}
	c.parent = parent
	if i := onCycle(parent); i >= 0 {
		c.faults.addFault("node %d is its own ancestor", i)
		c.parent = nil
	}
	inScene := make([]int32, len(d.Nodes)) // last scene that lists each node, counted from 1; 0 if none does
	for i := range d.Scenes {
		for j, n := range d.Scenes[i].Nodes {
			if c.checkRequiredIndex(&d.Scenes[i].Nodes[j], len(d.Nodes), "node", "scene %d", i) && parent[n] != none {
				c.faults.addFault("scene %d: node %d is not a root, but a child of node %d", i, n, parent[n])
			}
			if isIn(n, len(d.Nodes)) {
				if inScene[n] == int32(i+1) {
					c.faults.addFault("scene %d lists node %d twice", i, n)
				}
				inScene[n] = int32(i + 1)
			}
		}
	}
	c.checkOptionalIndex(d.Scene, len(d.Scenes), "scene", "document")
}

// onCycle returns a node that is its own ancestor, or -1. It visits each node once, because it
// stops at nodes that it has visited before.
func onCycle(parent []int32) int {
	seen := make([]int32, len(parent)) // number of the walk that visited each node, counted from 1; 0 for unvisited nodes
	for i := range parent {
		walk := int32(i + 1)
		n := int32(i)
		for n >= 0 && seen[n] == 0 {
			seen[n] = walk
			n = parent[n]
		}
		if n >= 0 && seen[n] == walk {
			return int(n)
		}
	}
	return -1
}

// UnitSlack is the tolerated deviation of a length from 1, for rotations, normals and tangents.
const UnitSlack = 0.005

// checkTransform checks the transform of a node.
func (c *check) checkTransform(n *Node, i int) {
	if n.Rotation != nil {
		switch l := vectorLength(n.Rotation[:]); {
		case l == 0:
			c.faults.addFault("node %d: the rotation has length 0", i)
		case math.Abs(l-1) > UnitSlack:
			c.noteMend("the length of a rotation is not 1", "scaled", "node", i)
		}
	}
	if n.Matrix == nil {
		return
	}
	switch {
	case n.Translation != nil || n.Rotation != nil || n.Scale != nil:
		c.faults.addFault("node %d has both a matrix and a translation, rotation or scale", i)
	case !isTRS(n.Matrix):
		c.faults.addFault("node %d: the matrix has a shear, which translation, rotation and scale cannot hold; apply the shear to the mesh", i)
	}
}

// checkShownMesh checks the mesh, skin and weights of a node.
func (c *check) checkShownMesh(n *Node, i int) {
	if n.Mesh == nil {
		if n.Skin != nil {
			c.faults.addFault("node %d has a skin but no mesh", i)
		}
		if n.Weights != nil {
			c.faults.addFault("node %d has weights but no mesh", i)
		}
		return
	}
	if !isIn(*n.Mesh, len(c.doc.Meshes)) || len(c.doc.Meshes[*n.Mesh].Primitives) == 0 {
		return // the check of the accessor reports the fault
	}
	m := &c.doc.Meshes[*n.Mesh]
	if targets := len(m.Primitives[0].Targets); n.Weights != nil && len(*n.Weights) != targets {
		c.faults.addFault("node %d has %d weights for %d morph targets", i, len(*n.Weights), targets)
	}
	if n.Skin == nil {
		return
	}
	for j := range m.Primitives {
		if _, ok := m.Primitives[j].Attributes["JOINTS_0"]; ok {
			return
		}
	}
	c.faults.addFault("node %d has a skin, but mesh %d has no joints", i, *n.Mesh)
}

func vectorLength(v []float64) float64 {
	sum := float64(0)
	for _, x := range v {
		sum += float64(x * x)
	}
	return math.Sqrt(sum)
}

// isTRS reports whether a matrix, stored by columns, is a combination of a translation, a rotation
// and a scale along its axes. It tolerates rounding errors.
func isTRS(m *[16]float64) bool {
	if m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1 {
		return false
	}
	const slack = 1e-3
	x, y, z := m[0:3], m[4:7], m[8:11]
	lx, ly, lz := vectorLength(x), vectorLength(y), vectorLength(z)
	if !(lx > 0 && ly > 0 && lz > 0) || math.IsInf(float64(lx*ly)*lz, 0) {
		return false
	}
	dot := func(a, b []float64) float64 {
		return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
	}
	return math.Abs(dot(x, y)) <= slack*lx*ly && math.Abs(dot(y, z)) <= slack*ly*lz && math.Abs(dot(z, x)) <= slack*lz*lx
}

// A tour numbers the nodes of a forest in preorder. The node and its descendants have the numbers
// from first to last.
type tour struct{ first, last, root []int32 }

// makeTour visits each node once. parent must have no cycles.
func makeTour(d *Document, parent []int32) *tour {
	n := len(parent)
	t := &tour{first: make([]int32, n), last: make([]int32, n), root: make([]int32, n)}
	type step struct {
		node int32
		next int // next child to visit
	}
	met := int32(0)
	enter := func(node, root int32) step {
		met++
		t.first[node], t.root[node] = met, root
		return step{node: node}
	}
	for i := range parent {
		if parent[i] >= 0 {
			continue
		}
		for way := []step{enter(int32(i), int32(i))}; len(way) > 0; {
			at := &way[len(way)-1]
			children := d.Nodes[at.node].Children
			if at.next == len(children) {
				t.last[at.node] = met
				way = way[:len(way)-1]
				continue
			}
			child := children[at.next]
			at.next++
			if isIn(child, n) && parent[child] == at.node && t.first[child] == 0 {
				way = append(way, enter(child, int32(i)))
			}
		}
	}
	return t
}

func (c *check) checkSkins() {
	d := c.doc
	if len(d.Skins) == 0 {
		return
	}
	var t *tour
	if c.parent != nil {
		t = makeTour(d, c.parent)
	}
	seen := make([]int32, len(d.Nodes)) // last skin that lists the node as a joint, counted from 1; 0 if none does
	for i := range d.Skins {
		s := &d.Skins[i]
		fine := t != nil && len(s.Joints) > 0
		for j, k := range s.Joints {
			switch {
			case !c.checkRequiredIndex(&s.Joints[j], len(d.Nodes), "node", "skin %d joint %d", i, j):
				fine = false
				continue
			case seen[k] == int32(i+1):
				c.faults.addFault("skin %d lists joint %d twice", i, k)
			}
			seen[k] = int32(i + 1)
		}
		if fine {
			c.checkSkeleton(t, i)
		} else {
			c.checkOptionalIndex(s.Skeleton, len(d.Nodes), "node", "skin %d skeleton", i)
		}
		if c.checkOptionalIndex(s.InverseBindMatrices, len(d.Accessors), "accessor", "skin %d inverseBindMatrices", i) {
			c.checkInverseBind(*s.InverseBindMatrices, len(s.Joints), i)
		}
	}
	if t != nil {
		c.checkSkinnedScenes(t)
	}
}

func (c *check) checkInverseBind(accessor int32, joints, skin int) {
	c.useAccessor(accessor, ofMatrices)
	a := &c.doc.Accessors[accessor]
	if a.Count < int64(joints) {
		c.faults.addFault("skin %d has %d inverseBindMatrices for %d joints", skin, a.Count, joints)
	}
	if a.Type != "MAT4" || a.ComponentType != Float32 {
		c.faults.addFault("skin %d: inverseBindMatrices are %s, want MAT4 of componentType 5126", skin, a.describeFormat())
	}
}

// checkSkeleton checks that the joints of a skin have a common root, which must be the skeleton
// node or one of its descendants.
func (c *check) checkSkeleton(t *tour, skin int) {
	s := &c.doc.Skins[skin]
	low, high := t.first[s.Joints[0]], t.first[s.Joints[0]]
	for _, j := range s.Joints {
		if t.root[j] != t.root[s.Joints[0]] {
			c.faults.addFault("skin %d: joints %d and %d have no common root", skin, s.Joints[0], j)
			return
		}
		low, high = min(low, t.first[j]), max(high, t.first[j])
	}
	if !c.checkOptionalIndex(s.Skeleton, len(c.doc.Nodes), "node", "skin %d skeleton", skin) {
		return
	}
	if k := *s.Skeleton; low < t.first[k] || high > t.last[k] {
		c.faults.addFault("skin %d: skeleton is node %d, which is not a common root of the joints", skin, k)
	}
}

// checkSkinnedScenes checks that scenes with a skinned mesh contain its joints.
func (c *check) checkSkinnedScenes(t *tour) {
	d := c.doc
	in := make([][]int32, len(d.Nodes)) // scenes that list each root node, in ascending order
	for i := range d.Scenes {
		for _, n := range d.Scenes[i].Nodes {
			if isIn(n, len(in)) {
				in[n] = append(in[n], int32(i))
			}
		}
	}
	looked := map[[2]int32]bool{}
	for i := range d.Nodes {
		skin := d.Nodes[i].Skin
		if skin == nil || !isIn(*skin, len(d.Skins)) || len(d.Skins[*skin].Joints) == 0 {
			continue
		}
		joint := d.Skins[*skin].Joints[0]
		if !isIn(joint, len(d.Nodes)) {
			continue
		}
		pair := [2]int32{t.root[i], t.root[joint]}
		if looked[pair] || pair[0] == pair[1] {
			continue
		}
		looked[pair] = true
		if scene := firstNotIn(in[pair[0]], in[pair[1]]); scene >= 0 {
			c.faults.addFault("node %d is in scene %d, but the joints of its skin %d are not", i, scene, *skin)
		}
	}
}

// firstNotIn returns the first element of a that is not in b, or -1. Both must be sorted.
func firstNotIn(a, b []int32) int32 {
	for _, x := range a {
		for len(b) > 0 && b[0] < x {
			b = b[1:]
		}
		if len(b) == 0 || b[0] != x {
			return x
		}
	}
	return -1
}

// Reaches returns, for each node, the largest distance between two points of its subtree. These
// points are the positions of nodes and the corners of meshes. Distances are in the units of the
// node's parent. Animations are ignored.
func (d *Document) Reaches() []float64 {
	reach := make([]float64, len(d.Nodes)) // distance from each node to the farthest point of its mesh and descendants
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
		far, scale := placeAndScale(n)
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

// meshReach returns the distance from a mesh's center to its corners, based on the bounds of its
// accessors.
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
		most = max(most, vectorLength(box[:]))
	}
	return most
}

// placeAndScale returns the distance of a node from its parent, and its largest scale factor.
func placeAndScale(n *Node) (far, scale float64) {
	scale = 1
	switch {
	case n.Matrix != nil:
		m := n.Matrix
		far, scale = vectorLength(m[12:][:3]), 0
		for column := 0; column < 12; column += 4 {
			scale = max(scale, vectorLength(m[column:][:3]))
		}
		return far, scale
	case n.Scale != nil:
		scale = max(math.Abs(n.Scale[0]), math.Abs(n.Scale[1]), math.Abs(n.Scale[2]))
	}
	if n.Translation != nil {
		far = vectorLength(n.Translation[:])
	}
	return far, scale
}
