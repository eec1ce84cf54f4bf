package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A shape is the type of an expression: a scalar, a vector or a matrix.
type shape struct {
	scalar byte // b, i, u or f for bool, i32, u32 or f32
	rows   int  // number of rows; 1 for a scalar
	cols   int  // 0 unless the shape is a matrix
}

var (
	boolean  = shape{'b', 1, 0}
	integer  = shape{'i', 1, 0}
	unsigned = shape{'u', 1, 0}
	float    = shape{'f', 1, 0}
)

// String returns the type as WGSL writes it.
func (s shape) String() string {
	name := map[byte]string{'b': "bool", 'i': "i32", 'u': "u32", 'f': "f32"}[s.scalar]
	switch {
	case s.cols > 0:
		return fmt.Sprintf("mat%dx%d<%s>", s.cols, s.rows, name)
	case s.rows > 1:
		return fmt.Sprintf("vec%d<%s>", s.rows, name)
	}
	return name
}

// A place is a variable, or a part of a variable, that expressions can use.
type place struct {
	text string
	of   shape
	use  use
}

// A use describes how expressions and statements may use a place.
type use byte

const (
	readable use = iota
	writable
	constant // the value is known at compile time
)

// A generator writes one random shader.
type generator struct {
	*rand.Rand
	out      strings.Builder
	places   []place
	helpers  []helper
	stage    string
	textures []texture
	bound    int // bindings of group 0
	names    int
	loops    int
	layouts  []layout
}

// A helper is a function that later code may call.
type helper struct {
	name   string
	takes  []shape
	result shape
}

// A texture is a bound texture, and the sampler that goes with it.
type texture struct {
	name, kind, sampler string
}

// randomShader returns the shader for a seed, and the buffer layouts that WGSL assigns.
func randomShader(seed uint64) (string, []layout) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
	g.stage = []string{"compute", "fragment", "vertex"}[g.IntN(3)]
	g.globals()
	for range g.IntN(3) {
		g.function()
	}
	g.entry()
	return g.out.String(), g.layouts
}

func (g *generator) generateLine(format string, args ...any) {
	fmt.Fprintf(&g.out, format+"\n", args...)
}

// chance returns true with probability 1/n.
func (g *generator) chance(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

func (g *generator) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// numeric returns a random shape: a scalar or vector of numbers.
func (g *generator) numeric() shape {
	return shape{pick(g, byte('i'), 'u', 'f', 'f'), 1 + g.IntN(4), 0}
}

func (g *generator) anyShape() shape {
	switch g.IntN(8) {
	case 0:
		return shape{'f', 2 + g.IntN(3), 2 + g.IntN(3)}
	case 1:
		return shape{'b', 1 + g.IntN(4), 0}
	}
	return g.numeric()
}

// function writes a function that later code may call.
func (g *generator) function() {
	before := g.places
	h := helper{name: g.name("helper"), result: g.anyShape()}
	var params []string
	for range g.IntN(3) {
		p, s := g.name("p"), g.anyShape()
		h.takes = append(h.takes, s)
		params = append(params, fmt.Sprintf("%s: %s", p, s))
		g.places = append(g.places, place{p, s, readable})
	}
	g.generateLine("fn %s(%s) -> %s {", h.name, strings.Join(params, ", "), h.result)
	g.writeStatements(1+g.IntN(2), 1)
	g.generateLine("return %s;\n}", g.expr(h.result, 2))
	g.places, g.helpers = before, append(g.helpers, h)
}

// entry writes the entry point.
func (g *generator) entry() {
	size := pick(g, 1, 1, 2, 5)
	switch g.stage {
	case "compute":
		g.generateLine("@compute @workgroup_size(%d, %d) fn main(@builtin(global_invocation_id) gid: vec3<u32>, @builtin(local_invocation_index) lid: u32, @builtin(num_workgroups) groups: vec3<u32>) {", 1+g.IntN(8), 1+g.IntN(2))
		g.places = append(g.places, place{"gid", shape{'u', 3, 0}, readable}, place{"lid", unsigned, readable}, place{"groups", shape{'u', 3, 0}, readable})
		g.writeStatements(size, 0)
	case "vertex":
		g.generateLine("struct VertexOut { @builtin(position) position: vec4<f32>, @location(0) a: vec2<f32>, @location(1) @interpolate(flat) b: u32 }")
		g.generateLine("@vertex fn main(@builtin(vertex_index) vi: u32, @builtin(instance_index) ii: u32, @location(0) pos: vec3<f32>, @location(2) ids: vec4<u32>) -> VertexOut {")
		g.places = append(g.places, place{"vi", unsigned, readable}, place{"ii", unsigned, readable}, place{"pos", shape{'f', 3, 0}, readable}, place{"ids", shape{'u', 4, 0}, readable})
		g.writeStatements(size, 0)
		g.generateLine("var result: VertexOut;\nresult.position = %s;\nresult.a = %s;\nresult.b = %s;\nreturn result;", g.expr(shape{'f', 4, 0}, 2), g.expr(shape{'f', 2, 0}, 2), g.expr(unsigned, 2))
	case "fragment":
		if g.chance(2) {
			g.generateLine("@fragment fn main(@builtin(position) position: vec4<f32>, @builtin(front_facing) front: bool, @location(0) uv: vec2<f32>, @location(1) @interpolate(flat) id: i32) -> @location(0) vec4<f32> {")
			g.places = append(g.places, place{"position", shape{'f', 4, 0}, readable}, place{"front", boolean, readable}, place{"uv", shape{'f', 2, 0}, readable}, place{"id", integer, readable})
			g.writeStatements(size, 0)
			g.generateLine("return %s;", g.expr(shape{'f', 4, 0}, 3))
		} else {
			g.generateLine("struct In { @location(0) uv: vec2<f32>, @location(1) @interpolate(linear, centroid) color: vec4<f32> }")
			g.generateLine("struct Out { @location(0) color: vec4<f32>, @location(1) ids: vec2<u32>, @builtin(frag_depth) depth: f32 }")
			g.generateLine("@fragment fn main(in: In, @builtin(sample_index) sample: u32) -> Out {")
			g.places = append(g.places, place{"in.uv", shape{'f', 2, 0}, readable}, place{"in.color", shape{'f', 4, 0}, readable}, place{"sample", unsigned, readable})
			g.writeStatements(size, 0)
			g.generateLine("return Out(%s, %s, %s);", g.expr(shape{'f', 4, 0}, 2), g.expr(shape{'u', 2, 0}, 2), g.expr(float, 2))
		}
	}
	g.generateLine("}")
}

// writeStatements writes n statements. The names that they declare are out of scope after the
// block.
func (g *generator) writeStatements(n, depth int) {
	before := len(g.places)
	for range n {
		g.statement(depth)
	}
	if depth > 0 {
		g.places = g.places[:before]
	}
}

// statement writes a random statement.
func (g *generator) statement(depth int) {
	kind := g.IntN(13)
	if depth > 2 {
		kind = g.IntN(6)
	}
	switch kind {
	case 0, 1:
		s, name := g.anyShape(), g.name("v")
		g.generateLine("%s %s = %s;", pick(g, "let", "var"), name, g.expr(s, 3))
		g.places = append(g.places, place{name, s, readable})
	case 2:
		s, name := g.anyShape(), g.name("v")
		g.generateLine("var %s: %s;", name, s)
		g.places = append(g.places, place{name, s, writable})
	case 3, 4, 5:
		g.store()
	case 6:
		g.generateLine("if %s {", g.expr(boolean, 2))
		g.writeStatements(1+g.IntN(2), depth+1)
		if g.chance(2) {
			g.generateLine("} else {")
			g.writeStatements(1, depth+1)
		}
		g.generateLine("}")
	case 7:
		g.writeSwitch(depth)
	case 8, 9:
		g.loop(depth)
	case 10:
		g.effect(depth)
	case 11:
		name := g.name("a")
		s := g.numeric()
		g.generateLine("var %s = array<%s, 3>(%s, %s, %s);", name, s, g.expr(s, 1), g.expr(s, 1), g.expr(s, 1))
		g.places = append(g.places, place{fmt.Sprintf("%s[%s]", name, pick(g, "1", "0u", "(2u)")), s, writable}, place{name + "[" + g.indexBelow(3) + "]", s, writable})
	case 12:
		if s := g.numeric(); s.rows > 1 {
			name := g.name("v")
			g.generateLine("var %s = %s;", name, g.expr(s, 1))
			g.generateLine("%s.%c = %s;", name, "xyzw"[g.IntN(s.rows)], g.expr(shape{s.scalar, 1, 0}, 2))
			g.generateLine("%s[%s] %s %s;", name, g.indexBelow(s.rows), pick(g, "=", "+=", "*="), g.expr(shape{s.scalar, 1, 0}, 2))
			g.places = append(g.places, place{name, s, writable})
		}
	}
}

// indexBelow returns an index below n.
func (g *generator) indexBelow(n int) string {
	return fmt.Sprintf("(%s %% %du)", g.expr(unsigned, 1), n)
}

// store writes an assignment.
func (g *generator) store() {
	var open []place
	for _, p := range g.places {
		if p.use == writable {
			open = append(open, p)
		}
	}
	if len(open) == 0 {
		return
	}
	p := pick(g, open...)
	op := "="
	if p.of.cols == 0 && p.of.scalar != 'b' && g.chance(3) {
		op = pick(g, "+=", "-=", "*=")
		if p.of.scalar != 'f' {
			op = pick(g, "+=", "-=", "%=", "/=", "&=", "|=", "^=")
		}
	}
	g.generateLine("%s %s %s;", p.text, op, g.expr(p.of, 3))
}

// writeSwitch writes a switch.
func (g *generator) writeSwitch(depth int) {
	s := pick(g, integer, unsigned)
	suffix := map[byte]string{'i': "i", 'u': "u"}[s.scalar]
	g.generateLine("switch %s {", g.expr(s, 1))
	for i := range 1 + g.IntN(3) {
		if g.chance(3) {
			g.generateLine("case %d%s, %d%s {", 2*i, suffix, 2*i+1, suffix)
		} else {
			g.generateLine("case %d%s {", 2*i, suffix)
		}
		g.writeStatements(g.IntN(3), depth+1)
		g.generateLine("}")
	}
	g.generateLine("%s {", pick(g, "default", "default", "case 100"+suffix+", default"))
	g.writeStatements(g.IntN(2), depth+1)
	if g.loops > 0 && g.chance(3) {
		g.generateLine("continue;")
	}
	g.generateLine("}\n}")
}

// loop writes a loop that terminates.
func (g *generator) loop(depth int) {
	i := g.name("i")
	g.loops++
	switch g.IntN(4) {
	case 0:
		g.generateLine("for (var %s = 0u; %[1]s < %du; %[1]s++) {", i, 1+g.IntN(4))
	case 1:
		g.generateLine("for (var %s = 0u; %[1]s < %du; %[1]s += 2u) {", i, 1+g.IntN(9))
	case 2:
		g.generateLine("var %s = 0u;\nwhile %[1]s < %du {\n%[1]s = %[1]s + 1u;", i, 1+g.IntN(4))
	default:
		g.generateLine("var %s = 0u;\nloop {\nif %[1]s >= %du { break; }", i, 1+g.IntN(4))
		g.inside(i, depth)
		g.generateLine("continuing {\n%s = %[1]s + 1u;", i)
		if g.chance(2) {
			g.generateLine("break if %s > 3u;", i)
		}
		g.generateLine("}\n}")
		g.loops--
		return
	}
	g.inside(i, depth)
	g.generateLine("}")
	g.loops--
}

// inside writes the body of a loop.
func (g *generator) inside(counter string, depth int) {
	before := len(g.places)
	g.places = append(g.places, place{counter, unsigned, readable})
	g.writeStatements(1+g.IntN(2), depth+1)
	if g.chance(2) {
		g.generateLine("if %s { %s; }", g.expr(boolean, 1), pick(g, "break", "continue"))
	}
	g.places = g.places[:before]
}

// effect writes a statement that is valid only in some shader stages.
func (g *generator) effect(depth int) {
	switch g.stage {
	case "compute":
		switch g.IntN(7) {
		case 0:
			g.generateLine("%s();", pick(g, "workgroupBarrier", "storageBarrier"))
		case 1:
			g.generateLine("counters[%s].n = %s;", g.indexBelow(4), g.expr(integer, 1))
		case 2:
			for _, t := range g.textures {
				if strings.Contains(t.kind, "write>") {
					g.generateLine("textureStore(%s, %s, %s);", t.name, g.expr(shape{'i', 2, 0}, 1), g.expr(shape{'f', 4, 0}, 2))
				}
			}
		default:
			to, s, c := fmt.Sprintf("counters[%s].u", g.indexBelow(4)), unsigned, g.name("v")
			if g.chance(3) {
				to, s = "shared_count", integer
			}
			switch op := pick(g, "Add", "Sub", "Min", "Max", "And", "Or", "Xor", "Exchange", "Store", "Load", "CompareExchangeWeak"); op {
			case "Store":
				g.generateLine("atomicStore(&%s, %s);", to, g.expr(s, 2))
				return
			case "Load":
				g.generateLine("let %s = atomicLoad(&%s);", c, to)
			case "CompareExchangeWeak":
				g.generateLine("let %s = atomicCompareExchangeWeak(&%s, %s, %s).old_value;", c, to, g.expr(s, 1), g.expr(s, 1))
			default:
				g.generateLine("let %s = atomic%s(&%s, %s);", c, op, to, g.expr(s, 2))
			}
			g.places = append(g.places, place{c, s, readable})
		}
	case "fragment":
		if depth > 0 && g.chance(3) {
			g.generateLine("discard;")
			return
		}
		s, name := shape{'f', 1 + g.IntN(4), 0}, g.name("v")
		g.generateLine("let %s = %s(%s);", name, pick(g, "dpdx", "dpdy", "fwidth", "dpdxCoarse", "dpdyFine", "fwidthFine"), g.expr(s, 2))
		g.places = append(g.places, place{name, s, readable})
	default:
		s := g.numeric()
		f, name := g.name("p"), g.name("v")
		g.generateLine("var %s = %s;\nlet %s = &%[1]s;\n*%[3]s = %s;", name, g.expr(s, 1), f, g.expr(s, 2))
		g.places = append(g.places, place{name, s, writable}, place{"*" + f, s, writable})
	}
}
