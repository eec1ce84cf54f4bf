package gltf

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A usage is the use of an accessor. An accessor must have only one use.
type usage uint8

const (
	unused usage = iota
	ofVertices
	ofIndices
	ofMatrices
	ofTimes
	ofKeyframes
)

func (u usage) String() string {
	return [...]string{"nothing", "an attribute", "indices", "inverse bind matrices", "an animation's input", "an animation's output"}[u]
}

// useAccessor records a use of an accessor.
func (c *check) useAccessor(accessor int32, u usage) {
	if c.usages == nil {
		c.usages = make([]usage, len(c.doc.Accessors))
	}
	switch was := c.usages[accessor]; was {
	case unused:
		c.usages[accessor] = u
		c.checkElementLayout(accessor, u)
	case u:
	default:
		c.faults.addFault("accessor %d is used as %v and as %v; export one accessor for each", accessor, was, u)
		c.usages[accessor] = u
	}
}

// isIn reports whether i is a valid index in a list of n elements.
func isIn(i int32, n int) bool { return i >= 0 && int(i) < n }

func (c *check) checkMeshes() {
	d := c.doc
	for i := range d.Meshes {
		m := &d.Meshes[i]
		if len(m.Primitives) == 0 {
			c.faults.addFault("mesh %d has no primitives", i)
			continue
		}
		targets := len(m.Primitives[0].Targets)
		for j := range m.Primitives {
			p := &m.Primitives[j]
			if p.Mode != nil && (*p.Mode < 0 || *p.Mode > 6) {
				c.faults.addFault("mesh %d primitive %d: mode is %d, want 0 to 6", i, j, *p.Mode)
			}
			if len(p.Targets) != targets {
				c.faults.addFault("mesh %d primitive %d has %d morph targets, but primitive 0 has %d", i, j, len(p.Targets), targets)
			}
			c.checkOptionalIndex(p.Material, len(d.Materials), "material", "mesh %d primitive %d", i, j)
			if c.checkOptionalIndex(p.Indices, len(d.Accessors), "accessor", "mesh %d primitive %d indices", i, j) {
				c.checkIndices(*p.Indices, i, j)
			}
			c.checkPrimitive(p, i, j)
			c.checkVariants(p, i, j)
		}
		if n := len(m.Weights); n > 0 && n != targets {
			c.faults.addFault("mesh %d has %d weights for %d morph targets", i, n, targets)
		}
	}
}

// checkVariants checks that each variant has at most one material.
func (c *check) checkVariants(p *Primitive, mesh, primitive int) {
	seen := map[int32]bool{}
	for _, m := range p.Extensions.Variants.Mappings {
		for _, v := range m.Variants {
			if seen[v] {
				c.faults.addFault("mesh %d primitive %d: variant %d has two materials", mesh, primitive, v)
			}
			seen[v] = true
		}
	}
}

func (c *check) checkIndices(accessor int32, mesh, primitive int) {
	c.useAccessor(accessor, ofIndices)
	a := &c.doc.Accessors[accessor]
	if a.Type != "SCALAR" || a.ComponentType != Uint8 && a.ComponentType != Uint16 && a.ComponentType != Uint32 || a.Normalized {
		c.faults.addFault("mesh %d primitive %d indices: are %s, want SCALAR of componentType 5121, 5123 or 5125", mesh, primitive, a.describeFormat())
	}
}

// describeFormat describes the elements of an accessor.
func (a *Accessor) describeFormat() string {
	s := fmt.Sprintf("%s of componentType %d", a.Type, a.ComponentType)
	if a.Normalized {
		s += ", normalized"
	}
	return s
}

// checkPrimitive checks the attributes of a primitive and of its morph targets, sorted by name so
// that the order of faults does not depend on map iteration.
func (c *check) checkPrimitive(p *Primitive, mesh, primitive int) {
	where := func(name string) string { return fmt.Sprintf("mesh %d primitive %d %.40q", mesh, primitive, name) }
	count := int64(-1)
	sets := map[string][]int{} // set numbers by attribute kind
	for _, name := range slices.Sorted(maps.Keys(p.Attributes)) {
		a := c.checkAccessorOf(name, p.Attributes[name], false, where(name))
		if a == nil {
			continue
		}
		if kind, n, numbered := splitName(name); numbered {
			sets[kind] = append(sets[kind], n)
		}
		if count >= 0 && a.Count != count {
			c.faults.addFault("%s: the attribute has %d elements, but other attributes have %d", where(name), a.Count, count)
		}
		count = a.Count
	}
	for _, kind := range slices.Sorted(maps.Keys(sets)) {
		numbers := slices.Sorted(slices.Values(sets[kind]))
		if last := numbers[len(numbers)-1]; last != len(numbers)-1 {
			c.faults.addFault("%s: the primitive has only %d such attributes; number them from 0 without gaps", where(fmt.Sprint(kind, "_", last)), len(numbers))
		}
	}
	if j, w := len(sets["JOINTS"]), len(sets["WEIGHTS"]); j != w {
		c.faults.addFault("mesh %d primitive %d has %d sets of joints and %d of weights", mesh, primitive, j, w)
	}
	for _, target := range p.Targets {
		for _, name := range slices.Sorted(maps.Keys(target)) {
			a := c.checkAccessorOf(name, target[name], true, where(name))
			if a == nil {
				continue
			}
			base, ok := p.Attributes[name]
			switch {
			case !ok:
				c.faults.addFault("%s: the attribute is in a morph target, but not in the primitive", where(name))
			case isIn(base, len(c.doc.Accessors)) && c.doc.Accessors[base].Count != a.Count:
				c.faults.addFault("%s: the attribute has %d elements in a morph target, but %d in the primitive", where(name), a.Count, c.doc.Accessors[base].Count)
			}
		}
	}
}

// checkAccessorOf checks an attribute and returns its accessor, or nil if there is none.
func (c *check) checkAccessorOf(name string, accessor int32, target bool, where string) *Accessor {
	if !isIn(accessor, len(c.doc.Accessors)) {
		c.noteMissing("accessor", accessor, len(c.doc.Accessors), where)
		return nil
	}
	c.useAccessor(accessor, ofVertices)
	if name == "POSITION" {
		c.needBounds(accessor)
	}
	a := &c.doc.Accessors[accessor]
	c.checkAttribute(name, a, target, where)
	return a
}

// splitName splits an attribute name such as TEXCOORD_1 into its kind and its number.
func splitName(name string) (kind string, n int, numbered bool) {
	kind, digits, found := strings.Cut(name, "_")
	if !found || digits == "" || strings.Trim(digits, "0123456789") != "" || len(digits) > 1 && digits[0] == '0' || len(digits) > 6 {
		return name, 0, false
	}
	switch kind {
	case "TEXCOORD", "COLOR", "JOINTS", "WEIGHTS":
		n, _ = strconv.Atoi(digits) // cannot fail, because the text has only digits
		return kind, n, true
	}
	return name, 0, false
}

// checkAttribute checks the name and the format of an attribute (glTF 2.0, section 3.7.2;
// KHR_mesh_quantization).
func (c *check) checkAttribute(name string, a *Accessor, target bool, where string) {
	if strings.HasPrefix(name, "_") {
		if a.ComponentType == Uint32 {
			c.faults.addFault("%s: attributes must not have componentType 5125", where)
		}
		return
	}
	kind, _, numbered := splitName(name)
	types, codes, known := attributeFormats(kind, numbered, target)
	switch {
	case !known:
		c.faults.addFault("%s: glTF has no such attribute; names of custom attributes start with an underscore", where)
	case ComponentSize(a.ComponentType) == 0 || extentOf(a.Type).rows == 0: // the check of the accessor reports the fault
	case !slices.Contains(types, a.Type):
		c.faults.addFault("%s: the type is %s, want %s", where, a.Type, strings.Join(types, " or "))
	case !slices.Contains(codes, code(a)) && !(slices.Contains(c.doc.ExtensionsUsed, Quantization) && slices.Contains(quantized(kind, target), code(a))):
		c.faults.addFault("%s: the type is %s, which this attribute must not have", where, a.describeFormat())
	}
}

// code returns the componentType of an accessor, negated if it is normalized.
func code(a *Accessor) int32 {
	if a.Normalized {
		return -a.ComponentType
	}
	return a.ComponentType
}

// attributeFormats returns the types and component types that glTF 2.0 allows for an attribute.
// known is false if glTF does not define the attribute.
func attributeFormats(kind string, numbered, target bool) (types []string, codes []int32, known bool) {
	switch {
	case kind == "POSITION" || kind == "NORMAL" || kind == "TANGENT" && target:
		return []string{"VEC3"}, []int32{Float32}, true
	case kind == "TANGENT":
		return []string{"VEC4"}, []int32{Float32}, true
	case kind == "TEXCOORD" && numbered:
		if target {
			return []string{"VEC2"}, []int32{Float32, -Int8, -Uint8, -Int16, -Uint16}, true
		}
		return []string{"VEC2"}, []int32{Float32, -Uint8, -Uint16}, true
	case kind == "COLOR" && numbered:
		if target {
			return []string{"VEC3", "VEC4"}, []int32{Float32, -Int8, -Uint8, -Int16, -Uint16}, true
		}
		return []string{"VEC3", "VEC4"}, []int32{Float32, -Uint8, -Uint16}, true
	case kind == "JOINTS" && numbered && !target:
		return []string{"VEC4"}, []int32{Uint8, Uint16}, true
	case kind == "WEIGHTS" && numbered && !target:
		return []string{"VEC4"}, []int32{Float32, -Uint8, -Uint16}, true
	}
	return nil, nil, false
}

// quantized returns the component types that KHR_mesh_quantization additionally allows for an
// attribute.
func quantized(kind string, target bool) []int32 {
	switch {
	case kind == "POSITION" && target:
		return []int32{Int8, -Int8, Int16, -Int16}
	case kind == "POSITION" || kind == "TEXCOORD":
		return []int32{Int8, -Int8, Uint8, -Uint8, Int16, -Int16, Uint16, -Uint16}
	case kind == "NORMAL" || kind == "TANGENT":
		return []int32{-Int8, -Int16}
	}
	return nil
}
