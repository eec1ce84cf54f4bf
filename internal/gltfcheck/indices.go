package gltfcheck

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// structure checks all that the document says of itself.
func (c *check) structure() {
	c.asset()
	c.views()
	c.compressed()
	c.strides()
	c.accessors()
	c.meshes()
	c.materials()
	c.images()
	c.cameras()
	c.lights()
	c.nodes()
	c.skins()
	c.animations()
}

func (c *check) asset() {
	switch a := c.doc.Asset; {
	case a == nil || a.Version == "":
		c.faults.addFault("asset.version is missing")
	case !isVersion2(a.Version):
		c.faults.addFault("asset.version is %.20q, want 2.x", a.Version)
	case a.MinVersion != "" && !isVersion2(a.MinVersion):
		c.faults.addFault("asset.minVersion is %.20q, want 2.x", a.MinVersion)
	case a.MinVersion != "" && minor(a.MinVersion) > minor(a.Version):
		c.faults.addFault("asset.minVersion is %.20q, above the version %.20q", a.MinVersion, a.Version)
	}
}

// minor returns the number behind "2.", the largest there is for a larger one.
func minor(version string) int {
	n, _ := strconv.Atoi(version[2:])
	return n
}

func isVersion2(s string) bool {
	minor, ok := strings.CutPrefix(s, "2.")
	return ok && minor != "" && strings.Trim(minor, "0123456789") == ""
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

func (c *check) cameras() {
	for i := range c.doc.Cameras {
		switch o, p := c.doc.Cameras[i].Orthographic, c.doc.Cameras[i].Perspective; {
		case (o == nil) == (p == nil):
			c.faults.addFault("camera %d: want one of perspective and orthographic", i)
		case p != nil && p.ZFar != nil && *p.ZFar <= p.ZNear:
			c.faults.addFault("camera %d: zfar is %g, not above znear, %g", i, *p.ZFar, p.ZNear)
		case o != nil && o.ZFar <= o.ZNear:
			c.faults.addFault("camera %d: zfar is %g, not above znear, %g", i, o.ZFar, o.ZNear)
		case o != nil && (o.XMag == 0 || o.YMag == 0):
			c.faults.addFault("camera %d: xmag and ymag must not be 0", i)
		}
	}
}

func (c *check) lights() {
	for i, l := range c.doc.Extensions.Lights.Lights {
		if l.Type != "spot" {
			continue
		}
		outer := math.Pi / 4 // the default
		switch {
		case l.Spot == nil:
			c.faults.addFault("light %d: a spot without spot", i)
			continue
		case l.Spot.Outer != nil:
			outer = *l.Spot.Outer
		}
		if outer <= l.Spot.Inner {
			c.faults.addFault("light %d: outerConeAngle is %g, not above innerConeAngle, %g", i, outer, l.Spot.Inner)
		}
	}
}

func (c *check) texture(info *TextureInfo, where string, i int) {
	if info != nil {
		c.required(info.Index, len(c.doc.Textures), "texture", where, i)
	}
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
	c.missing(kind, *index, n, placeName(where, numbers))
	return false
}

// required is optional for an index that must be there.
func (c *check) required(index *int32, n int, kind, where string, numbers ...int) bool {
	if index == nil {
		c.faults.addFault("%s: names no %s", placeName(where, numbers), kind)
		return false
	}
	return c.optional(index, n, kind, where, numbers...)
}

func (c *check) missing(kind string, index int32, n int, where string) {
	c.faults.addFault("%s: there is no %s %d (of %d)", where, kind, index, n)
}

func placeName(where string, numbers []int) string {
	args := make([]any, len(numbers))
	for i, n := range numbers {
		args[i] = n
	}
	return fmt.Sprintf(where, args...)
}
