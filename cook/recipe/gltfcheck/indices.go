package gltfcheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// structure checks all that the document says of itself.
func (c *check) structure() {
	c.asset()
	c.views()
	c.accessors()
	c.meshes()
	c.materials()
	c.images()
	c.skins()
	c.animations()
	c.nodes()
}

func (c *check) asset() {
	switch a := c.doc.Asset; {
	case a == nil || a.Version == "":
		c.faults.add("asset.version is missing")
	case !isVersion2(a.Version):
		c.faults.add("asset.version is %.20q, want 2.x", a.Version)
	case a.MinVersion != "" && !isVersion2(a.MinVersion):
		c.faults.add("asset.minVersion is %.20q, want 2.x", a.MinVersion)
	}
}

func isVersion2(s string) bool {
	minor, ok := strings.CutPrefix(s, "2.")
	return ok && minor != "" && strings.Trim(minor, "0123456789") == ""
}

func (c *check) meshes() {
	d := c.doc
	for i := range d.Meshes {
		if len(d.Meshes[i].Primitives) == 0 {
			c.faults.add("mesh %d: no primitives", i)
		}
		for j := range d.Meshes[i].Primitives {
			p := &d.Meshes[i].Primitives[j]
			if p.Mode != nil && (*p.Mode < 0 || *p.Mode > 6) {
				c.faults.add("mesh %d primitive %d: mode is %d, want 0 to 6", i, j, *p.Mode)
			}
			c.optional(p.Indices, len(d.Accessors), "accessor", "mesh %d primitive %d indices", i, j)
			c.optional(p.Material, len(d.Materials), "material", "mesh %d primitive %d", i, j)
			c.attributes(p.Attributes, i, j)
			for _, target := range p.Targets {
				c.attributes(target, i, j)
			}
		}
	}
}

// attributes are checked in the order of their names, so that a document's
// faults do not depend on the order of a map.
func (c *check) attributes(accessors map[string]int32, mesh, primitive int) {
	for _, name := range slices.Sorted(maps.Keys(accessors)) {
		if k := accessors[name]; k < 0 || int(k) >= len(c.doc.Accessors) {
			c.missing("accessor", k, len(c.doc.Accessors), fmt.Sprintf("mesh %d primitive %d %.40q", mesh, primitive, name))
		}
	}
}

func (c *check) materials() {
	for i := range c.doc.Materials {
		m := &c.doc.Materials[i]
		if m.PBR != nil {
			c.texture(m.PBR.BaseColor, "material %d baseColorTexture", i)
			c.texture(m.PBR.MetallicRoughness, "material %d metallicRoughnessTexture", i)
		}
		c.texture(m.Normal, "material %d normalTexture", i)
		c.texture(m.Occlusion, "material %d occlusionTexture", i)
		c.texture(m.Emissive, "material %d emissiveTexture", i)
	}
	for i, t := range c.doc.Textures {
		c.optional(t.Sampler, len(c.doc.Samplers), "sampler", "texture %d", i)
		c.optional(t.Source, len(c.doc.Images), "image", "texture %d", i)
	}
}

func (c *check) texture(info *TextureInfo, where string, i int) {
	if info != nil {
		c.required(info.Index, len(c.doc.Textures), "texture", where, i)
	}
}

func (c *check) images() {
	for i, image := range c.doc.Images {
		c.optional(image.BufferView, len(c.doc.BufferViews), "bufferView", "image %d", i)
		if image.URI == nil {
			continue
		}
		var err error
		if IsDataURI(*image.URI) {
			_, err = dataURISize(*image.URI)
		} else {
			_, err = FileOfURI(*image.URI)
		}
		if err != nil {
			c.faults.add("image %d: %v", i, err)
		}
		if image.BufferView != nil {
			c.faults.add("image %d: both uri and bufferView", i)
		}
	}
}

func (c *check) skins() {
	d := c.doc
	for i, s := range d.Skins {
		if len(s.Joints) == 0 {
			c.faults.add("skin %d: no joints", i)
		}
		for j := range s.Joints {
			c.required(&s.Joints[j], len(d.Nodes), "node", "skin %d joint %d", i, j)
		}
		c.optional(s.Skeleton, len(d.Nodes), "node", "skin %d skeleton", i)
		if c.optional(s.InverseBindMatrices, len(d.Accessors), "accessor", "skin %d inverseBindMatrices", i) {
			if n := d.Accessors[*s.InverseBindMatrices].Count; n < int64(len(s.Joints)) {
				c.faults.add("skin %d: %d inverseBindMatrices for %d joints", i, n, len(s.Joints))
			}
		}
	}
}

func (c *check) animations() {
	d := c.doc
	for i := range d.Animations {
		a := &d.Animations[i]
		for j, s := range a.Samplers {
			c.required(s.Input, len(d.Accessors), "accessor", "animation %d sampler %d input", i, j)
			c.required(s.Output, len(d.Accessors), "accessor", "animation %d sampler %d output", i, j)
		}
		for j, ch := range a.Channels {
			c.required(ch.Sampler, len(a.Samplers), "sampler", "animation %d channel %d", i, j)
			c.optional(ch.Target.Node, len(d.Nodes), "node", "animation %d channel %d target", i, j)
		}
	}
}

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
		for j := range n.Children {
			if !c.required(&n.Children[j], len(d.Nodes), "node", "node %d child %d", i, j) {
				continue
			}
			child := n.Children[j]
			if parent[child] != none {
				c.faults.add("node %d: child of both node %d and node %d", child, parent[child], i)
				continue
			}
			parent[child] = int32(i)
		}
	}
	if i := onCycle(parent); i >= 0 {
		c.faults.add("node %d: is its own ancestor", i)
	}
	for i := range d.Scenes {
		for j, n := range d.Scenes[i].Nodes {
			if c.required(&d.Scenes[i].Nodes[j], len(d.Nodes), "node", "scene %d", i) && parent[n] != none {
				c.faults.add("scene %d: node %d is no root but a child of node %d", i, n, parent[n])
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

// optional returns whether an index is there and right, and records a fault
// if it is there and wrong. The place is formatted only then.
func (c *check) optional(index *int32, n int, kind, where string, numbers ...int) bool {
	if index == nil {
		return false
	}
	if *index >= 0 && int(*index) < n {
		return true
	}
	c.missing(kind, *index, n, place(where, numbers))
	return false
}

// required is optional for an index that must be there.
func (c *check) required(index *int32, n int, kind, where string, numbers ...int) bool {
	if index == nil {
		c.faults.add("%s: names no %s", place(where, numbers), kind)
		return false
	}
	return c.optional(index, n, kind, where, numbers...)
}

func (c *check) missing(kind string, index int32, n int, where string) {
	c.faults.add("%s: there is no %s %d (of %d)", where, kind, index, n)
}

func place(where string, numbers []int) string {
	args := make([]any, len(numbers))
	for i, n := range numbers {
		args[i] = n
	}
	return fmt.Sprintf(where, args...)
}
