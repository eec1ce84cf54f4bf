package main

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// A layout holds the offsets that WGSL assigns to the values in a buffer.
type layout struct {
	group, binding int
	numbers        []number
}

// A number is a scalar, vector or matrix in a buffer.
type number struct {
	offset int
	of     shape
	stride int // distance between columns in bytes
}

// A member is a member of a struct, or the element of an array.
type member struct {
	name, attributes, text string
	size, align            int
	numbers                []number // offsets are relative to the start of the member
	paths                  []place  // places within the member; the text of each place follows the member's name
}

// globals writes the declarations at the top of the module.
func (g *generator) globals() {
	g.generateLine("const scale: f32 = 2.5;\nconst steps = 3u;\nconst corner = vec3<f32>(1.0, -1.0, 0.5);")
	g.places = append(g.places, place{"scale", float, constant}, place{"steps", unsigned, constant}, place{"corner", shape{'f', 3, 0}, constant})
	if g.chance(3) {
		s := g.numeric()
		g.generateLine("const table = array<%s, 2>(%s, %[2]s);", s, g.literal(s))
		g.places = append(g.places, place{"table[1]", s, constant}, place{"table[" + g.indexBelow(2) + "]", s, constant})
	}
	inner := g.structure("Inner", nil, true, 1+g.IntN(3))
	g.buffer("params", "uniform", g.structure("Params", &inner, true, 1+g.IntN(5)))
	if g.stage == "compute" || g.chance(3) {
		access := "storage, read_write"
		if g.stage == "vertex" {
			access = "storage, read"
		}
		g.buffer("data", access, g.structure("Data", &inner, false, 1+g.IntN(5)))
	}
	if g.chance(3) {
		s := pick(g, shape{'f', 4, 0}, shape{'f', 4, 4}, shape{'f', 3, 3}, float, shape{'f', 2, 2}, shape{'u', 3, 0})
		m := plain(s)
		m.name = "" // the buffer contains the value itself instead of a struct
		g.buffer("single", "uniform", m)
	}
	if g.stage == "compute" {
		g.generateLine("struct Counter { u: atomic<u32>, n: i32 }\n@group(1) @binding(0) var<storage, read_write> counters: array<Counter, 4>;")
		g.layouts = append(g.layouts, layout{1, 0, []number{{0, unsigned, 0}, {4, integer, 0}}})
		g.generateLine("@group(0) @binding(%d) var<storage, read_write> list: array<vec3<f32>>;", g.bound)
		g.layouts = append(g.layouts, layout{0, g.bound, []number{{0, shape{'f', 3, 0}, 0}}})
		g.bound++
		g.generateLine("var<workgroup> shared_count: atomic<i32>;\nvar<workgroup> tile: array<vec4<f32>, 8>;")
		g.places = append(g.places, place{"list[" + g.indexBelow(8) + "]", shape{'f', 3, 0}, writable}, place{"arrayLength(&list)", unsigned, readable}, place{"tile[" + g.indexBelow(8) + "]", shape{'f', 4, 0}, writable})
	}
	s := g.numeric()
	g.generateLine("var<private> state: %s;", s)
	g.places = append(g.places, place{"state", s, writable})
	for range g.IntN(3) {
		g.texture()
	}
}

// buffer declares a buffer of a type.
func (g *generator) buffer(name, space string, m member) {
	group := pick(g, 0, 0, 0, 2)
	g.generateLine("@group(%d) @binding(%d) var<%s> %s: %s;", group, g.bound, space, name, m.text)
	g.layouts = append(g.layouts, layout{group, g.bound, m.numbers})
	g.bound++
	access := readable
	if strings.Contains(space, "write") {
		access = writable
	}
	for _, p := range m.paths {
		g.places = append(g.places, place{name + p.text, p.of, access})
	}
}

// plain returns a member of scalar, vector or matrix type.
func plain(s shape) member {
	align := []int{0, 4, 8, 16, 16}[s.rows]
	m := member{text: s.String(), size: 4 * s.rows, align: align, numbers: []number{{0, s, 0}}, paths: []place{{"", s, writable}}}
	if s.cols > 0 {
		m.size, m.numbers[0].stride = s.cols*align, align
	}
	return m
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// structure writes a struct. In the address space uniform, arrays and structs are aligned to
// multiples of 16 bytes.
func (g *generator) structure(name string, inner *member, uniform bool, n int) member {
	whole := member{text: name, align: 4}
	g.generateLine("struct %s {", name)
	for i := range n {
		s := shape{pick(g, byte('i'), 'u', 'f', 'f'), 1 + g.IntN(4), 0}
		if g.chance(5) {
			s = shape{'f', 2 + g.IntN(3), 2 + g.IntN(3)}
		}
		m := plain(s)
		switch {
		case inner != nil && g.chance(4):
			m = *inner
		case g.chance(5):
			count := 2 + g.IntN(3)
			if inner != nil && g.chance(2) {
				m = *inner
			}
			stride := roundUp(m.size, m.align)
			if uniform && stride%16 != 0 {
				break
			}
			a := member{text: fmt.Sprintf("array<%s, %d>", m.text, count), size: stride * count, align: m.align, numbers: m.numbers}
			for _, p := range m.paths {
				a.paths = append(a.paths, place{"[" + g.indexBelow(count) + "]" + p.text, p.of, writable}, place{fmt.Sprintf("[%d]", count-1) + p.text, p.of, writable})
			}
			m = a
		}
		if uniform && (strings.HasPrefix(m.text, "array") || m.text == "Inner") && m.align < 16 {
			m.align = 16
			m.attributes = "@align(16) "
		}
		if g.chance(4) {
			m.align = max(m.align, pick(g, 16, 32, 64))
			m.attributes = fmt.Sprintf("@align(%d) ", m.align)
		}
		if g.chance(4) {
			m.size += pick(g, 4, 8, 16, 32)
			m.attributes += fmt.Sprintf("@size(%d) ", m.size)
		}
		m.name = fmt.Sprintf("%s%d", pick(g, "a", "position", "sampler2D_", "half", "m_"), i)
		g.generateLine("  %s%s: %s,", m.attributes, m.name, m.text)
		offset := roundUp(whole.size, m.align)
		if uniform && i > 0 { // the next member starts at a multiple of 16 bytes
			offset = roundUp(offset, m.align)
		}
		for _, v := range m.numbers {
			v.offset += offset
			whole.numbers = append(whole.numbers, v)
		}
		for _, p := range m.paths {
			whole.paths = append(whole.paths, place{"." + m.name + p.text, p.of, writable})
		}
		whole.size, whole.align = offset+m.size, max(whole.align, m.align)
	}
	g.generateLine("}")
	whole.size = roundUp(whole.size, whole.align)
	return whole
}

// texture declares a texture and a sampler.
func (g *generator) texture() {
	t := texture{name: g.name("tex"), sampler: g.name("smp")}
	t.kind = pick(g, "texture_2d<f32>", "texture_2d<f32>", "texture_2d_array<f32>", "texture_3d<f32>", "texture_cube<f32>", "texture_depth_2d", "texture_depth_cube",
		"texture_depth_2d_array", "texture_multisampled_2d<f32>", "texture_2d<u32>", "texture_2d<i32>", "texture_storage_2d<rgba8unorm, write>", "texture_storage_2d<r32float, read_write>", "texture_cube_array<f32>")
	if g.stage == "vertex" && strings.Contains(t.kind, "storage") {
		return
	}
	g.generateLine("@group(0) @binding(%d) var %s: %s;", g.bound, t.name, t.kind)
	comparison := ""
	if strings.Contains(t.kind, "depth") {
		comparison = "_comparison"
	}
	g.generateLine("@group(0) @binding(%d) var %s: sampler%s;", g.bound+1, t.sampler, comparison)
	g.bound += 2
	g.textures = append(g.textures, t)
}

// sample returns a call that samples a texture and returns floats, or "" if there is no texture.
func (g *generator) sample(s shape, depth int) string {
	if len(g.textures) == 0 {
		return ""
	}
	t := pick(g, g.textures...)
	f := func(n int) string { return g.expr(shape{'f', n, 0}, depth) }
	n := 2
	if strings.Contains(t.kind, "cube") || strings.Contains(t.kind, "3d") {
		n = 3
	}
	at := fmt.Sprintf("%s, %s, %s", t.name, t.sampler, f(n))
	offset := ""
	if strings.Contains(t.kind, "array") {
		at += ", " + g.expr(pick(g, integer, unsigned), depth)
	}
	if n == 2 && g.chance(4) {
		offset = ", vec2<i32>(1, -2)"
	}
	text := ""
	texel := fmt.Sprintf("vec2<i32>(%s)", g.expr(shape{'u', 2, 0}, depth))
	switch {
	case strings.Contains(t.kind, "write>"):
		if !strings.Contains(t.kind, "read") {
			return ""
		}
		text = fmt.Sprintf("textureLoad(%s, %s)", t.name, texel)
	case strings.Contains(t.kind, "multisampled"):
		text = fmt.Sprintf("textureLoad(%s, %s, %s)", t.name, texel, g.expr(integer, 0))
	case t.kind == "texture_depth_2d" && strings.HasSuffix(t.name, "1"): // each texture is either loaded or sampled
		return fmt.Sprintf("vec4<f32>(textureLoad(%s, %s, 0))%s", t.name, texel, g.swizzle("", 4, s.rows))
	case strings.Contains(t.kind, "depth"):
		if s.rows != 1 {
			if s.rows == 4 && !strings.Contains(t.kind, "array") {
				return fmt.Sprintf("textureGatherCompare(%s, %s)", at, f(1))
			}
			return ""
		}
		if g.stage == "fragment" && g.chance(2) {
			return fmt.Sprintf("textureSampleCompare(%s, %s%s)", at, f(1), offset)
		}
		return fmt.Sprintf("textureSampleCompareLevel(%s, %s%s)", at, f(1), offset)
	case strings.Contains(t.kind, "i32") || strings.Contains(t.kind, "u32"):
		return fmt.Sprintf("vec4<f32>(textureLoad(%s, %s, %s))%s", t.name, texel, g.expr(integer, 0), g.swizzle("", 4, s.rows))
	case g.chance(4) && n == 2 && !strings.Contains(t.kind, "array"):
		text = fmt.Sprintf("textureLoad(%s, %s, %s)", t.name, texel, g.expr(integer, 0))
	case g.chance(5) && n == 2:
		text = fmt.Sprintf("textureGather(%d, %s%s)", g.IntN(4), at, offset)
	case g.chance(3):
		text = fmt.Sprintf("textureSampleLevel(%s, %s%s)", at, f(1), offset)
	case g.chance(3):
		text = fmt.Sprintf("textureSampleGrad(%s, %s, %s%s)", at, f(n), f(n), offset)
	case g.stage != "fragment":
		return ""
	case g.chance(3):
		text = fmt.Sprintf("textureSampleBias(%s, %s%s)", at, f(1), offset)
	default:
		text = fmt.Sprintf("textureSample(%s%s)", at, offset)
	}
	return g.swizzle(text, 4, s.rows)
}

// query returns a call that queries a texture and returns a u32, or "" if there is no texture.
func (g *generator) query(depth int) string {
	if len(g.textures) == 0 {
		return ""
	}
	t := pick(g, g.textures...)
	n := 2
	if strings.Contains(t.kind, "3d") {
		n = 3
	}
	mips := !strings.Contains(t.kind, "storage") && !strings.Contains(t.kind, "multisampled")
	switch {
	case g.chance(3) && mips:
		return fmt.Sprintf("textureNumLevels(%s)", t.name)
	case g.chance(3) && strings.Contains(t.kind, "array"):
		return fmt.Sprintf("textureNumLayers(%s)", t.name)
	case g.chance(3) && strings.Contains(t.kind, "multisampled"):
		return fmt.Sprintf("textureNumSamples(%s)", t.name)
	case g.chance(2) && mips:
		return g.swizzle(fmt.Sprintf("textureDimensions(%s, %s)", t.name, g.expr(pick(g, integer, unsigned), depth)), n, 1)
	}
	return g.swizzle(fmt.Sprintf("textureDimensions(%s)", t.name), n, 1)
}

// A spirvType is a type declaration of a module: its opcode and its operands.
type spirvType []uint32

// checkLayouts compares the offsets of the buffers in a SPIR-V module with the offsets that WGSL
// assigns to them. The function place converts a group and a binding of WGSL to those in the
// module, because GLSL has a single number for both.
func checkLayouts(module []byte, want []layout, place func(group, binding int) (int, int)) error {
	types, members := map[uint32]spirvType{}, map[[3]uint32]uint32{}
	decorations, variables := map[[2]uint32]uint32{}, map[uint32]uint32{}
	constants := map[uint32]uint32{}
	for at := 20; at+4 <= len(module); {
		word := binary.LittleEndian.Uint32(module[at:])
		n := int(word >> 16)
		if n == 0 || at+4*n > len(module) {
			return fmt.Errorf("the module ends early")
		}
		w := make([]uint32, n-1)
		for i := range w {
			w[i] = binary.LittleEndian.Uint32(module[at+4+4*i:])
		}
		switch op := word & 0xffff; {
		case op >= 19 && op <= 39:
			types[w[0]] = append(spirvType{op}, w[1:]...)
		case op == 43 && len(w) == 3: // opcode of OpConstant
			constants[w[1]] = w[2]
		case op == 59: // opcode of OpVariable
			variables[w[1]] = w[0]
		case op == 71: // opcode of OpDecorate
			decorations[[2]uint32{w[0], w[1]}] = 0
			if len(w) > 2 {
				decorations[[2]uint32{w[0], w[1]}] = w[2]
			}
		case op == 72: // opcode of OpMemberDecorate
			members[[3]uint32{w[0], w[1], w[2]}] = 0
			if len(w) > 3 {
				members[[3]uint32{w[0], w[1], w[2]}] = w[3]
			}
		}
		at += 4 * n
	}
	for _, l := range want {
		group, binding := place(l.group, l.binding)
		for id, pointer := range variables {
			b, bound := decorations[[2]uint32{id, 33}]
			if t := types[pointer]; !bound || int(b) != binding || int(decorations[[2]uint32{id, 34}]) != group || len(t) < 3 {
				continue
			}
			have := map[number]bool{}
			flatten(types, members, types[pointer][2], 0, 0, have)
			if len(have) == 0 {
				continue
			}
			for _, n := range l.numbers {
				if !have[n] {
					return fmt.Errorf("group %d binding %d has no %s at byte %d, stride %d", l.group, l.binding, n.of, n.offset, n.stride)
				}
			}
		}
	}
	return nil
}

// flatten lists the values in a type that starts at an offset. For an array, it lists the values of
// the first element.
func flatten(types map[uint32]spirvType, members map[[3]uint32]uint32, id uint32, offset, stride int, have map[number]bool) {
	switch t := types[id]; t[0] {
	case 21, 22, 23: // opcodes of OpTypeInt, OpTypeFloat and OpTypeVector
		have[number{offset, shapeOf(types, t), 0}] = true
	case 24: // opcode of OpTypeMatrix
		s := shapeOf(types, types[t[1]])
		s.cols = int(t[2])
		have[number{offset, s, stride}] = true
	case 28, 29: // opcodes of OpTypeArray and OpTypeRuntimeArray
		flatten(types, members, t[1], offset, stride, have)
	case 30: // opcode of OpTypeStruct
		for i, m := range t[1:] {
			at, ok := members[[3]uint32{id, uint32(i), 35}]
			if !ok {
				return
			}
			flatten(types, members, m, offset+int(at), int(members[[3]uint32{id, uint32(i), 7}]), have)
		}
	}
}

func shapeOf(types map[uint32]spirvType, t spirvType) shape {
	switch t[0] {
	case 21:
		return shape{"ui"[t[2]&1], 1, 0}
	case 23:
		s := shapeOf(types, types[t[1]])
		s.rows = int(t[2])
		return s
	}
	return shape{'f', 1, 0}
}
