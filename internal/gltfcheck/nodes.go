package gltfcheck

import "math"

// nodes checks that nodes form trees and that scenes list roots of them.
func (c *check) nodes() {
	d := c.doc
	const none = -1
	parent := make([]int32, len(d.Nodes))
	for i := range parent {
		parent[i] = none
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		c.optional(n.Mesh, len(d.Meshes), "mesh", "node %d", i)
		c.optional(n.Camera, len(d.Cameras), "camera", "node %d", i)
		c.optional(n.Skin, len(d.Skins), "skin", "node %d", i)
		c.transform(n, i)
		c.shown(n, i)
		for j := range n.Children {
			if !c.required(&n.Children[j], len(d.Nodes), "node", "node %d child %d", i, j) {
				continue
			}
			child := n.Children[j]
			if parent[child] != none {
				c.faults.addFault("node %d: child of both node %d and node %d", child, parent[child], i)
				continue
			}
			parent[child] = int32(i)
		}
	}
	c.parent = parent
	if i := onCycle(parent); i >= 0 {
		c.faults.addFault("node %d: is its own ancestor", i)
		c.parent = nil
	}
	inScene := make([]int32, len(d.Nodes)) // the last one, from 1
	for i := range d.Scenes {
		for j, n := range d.Scenes[i].Nodes {
			if c.required(&d.Scenes[i].Nodes[j], len(d.Nodes), "node", "scene %d", i) && parent[n] != none {
				c.faults.addFault("scene %d: node %d is no root but a child of node %d", i, n, parent[n])
			}
			if isIn(n, len(d.Nodes)) {
				if inScene[n] == int32(i+1) {
					c.faults.addFault("scene %d: lists node %d twice", i, n)
				}
				inScene[n] = int32(i + 1)
			}
		}
	}
	c.optional(d.Scene, len(d.Scenes), "scene", "document")
}

// onCycle returns a node that is its own ancestor, or -1. Each node is walked
// over once: a walk stops at what an earlier one has seen.
func onCycle(parent []int32) int {
	seen := make([]int32, len(parent)) // the number of the walk, from 1
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

// UnitSlack is how far the length of a rotation, normal or tangent may be off 1.
const UnitSlack = 0.005

// transform checks how a node is placed.
func (c *check) transform(n *Node, i int) {
	if n.Rotation != nil {
		switch l := length(n.Rotation[:]); {
		case l == 0:
			c.faults.addFault("node %d: rotation is 0", i)
		case math.Abs(l-1) > UnitSlack:
			c.mend("a rotation of another length than 1", "scaled", "node", i)
		}
	}
	if n.Matrix == nil {
		return
	}
	switch {
	case n.Translation != nil || n.Rotation != nil || n.Scale != nil:
		c.faults.addFault("node %d: both a matrix and translation, rotation or scale", i)
	case !isTRS(n.Matrix):
		c.faults.addFault("node %d: the matrix is no translation, rotation and scale; apply shears to the mesh", i)
	}
}

// shown checks what a node shows.
func (c *check) shown(n *Node, i int) {
	if n.Mesh == nil {
		if n.Skin != nil {
			c.faults.addFault("node %d: a skin without a mesh", i)
		}
		if n.Weights != nil {
			c.faults.addFault("node %d: weights without a mesh", i)
		}
		return
	}
	if !isIn(*n.Mesh, len(c.doc.Meshes)) || len(c.doc.Meshes[*n.Mesh].Primitives) == 0 {
		return // is at fault itself
	}
	m := &c.doc.Meshes[*n.Mesh]
	if targets := len(m.Primitives[0].Targets); n.Weights != nil && len(*n.Weights) != targets {
		c.faults.addFault("node %d: %d weights for %d morph targets", i, len(*n.Weights), targets)
	}
	if n.Skin == nil {
		return
	}
	for j := range m.Primitives {
		if _, ok := m.Primitives[j].Attributes["JOINTS_0"]; ok {
			return
		}
	}
	c.faults.addFault("node %d: a skin for mesh %d, which has no joints", i, *n.Mesh)
}

func length(v []float64) float64 {
	sum := float64(0)
	for _, x := range v {
		sum += float64(x * x)
	}
	return math.Sqrt(sum)
}

// isTRS reports whether a matrix, stored by columns, scales along its axes, rotates and
// moves, and does nothing else. What rounding makes of such a matrix passes.
func isTRS(m *[16]float64) bool {
	if m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1 {
		return false
	}
	const slack = 1e-3
	x, y, z := m[0:3], m[4:7], m[8:11]
	lx, ly, lz := length(x), length(y), length(z)
	if !(lx > 0 && ly > 0 && lz > 0) || math.IsInf(float64(lx*ly)*lz, 0) {
		return false
	}
	dot := func(a, b []float64) float64 {
		return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
	}
	return math.Abs(dot(x, y)) <= slack*lx*ly && math.Abs(dot(y, z)) <= slack*ly*lz && math.Abs(dot(z, x)) <= slack*lz*lx
}
