package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// plantedName is the name of a file outside of the assets. No shader may include it.
const plantedName = "planted"

// madeShaders are sources that have includes or use most features of WGSL.
func madeShaders() []mediaFile {
	const fragment = `#version 450
#extension GL_GOOGLE_include_directive : enable
/* of several
   lines */
#define LIGHT(x) \
	(x * 2.0)
#include "../` + plantedName + `" // a comment
#ifdef A
#pragma once
#endif
layout(location = 0) out vec4 color;
void main() { color = vec4(LIGHT(1.0)); }
`
	const module = `struct Light { at: vec4<f32>, tint: vec3f }
struct Scene { lights: array<Light, 4>, count: u32 }
alias Point = vec2<f32>;
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var picture: texture_2d<f32>;
@group(0) @binding(2) var taps: sampler;
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
var<workgroup> shared_light: Light;
const half = 0.5;
fn shade(p: Point, i: u32) -> vec4f {
	let a = p * p - Point(half, 1);
	let b = a.xy.yx * a.x;
	var sum = vec4(0.0);
	for (var n = 0u; n < scene.count; n++) { sum += scene.lights[n].at * max(b.x, length(a)); }
	switch i { case 0u, 1u: { return sum; } default: { discard; } }
	return select(sum, -sum.wzyx, i > 2u);
}
@fragment fn fs(@location(0) uv: vec2<f32>) -> @location(0) vec4<f32> { return shade(uv, u32(uv.x)) + textureSample(picture, taps, uv); }
@compute @workgroup_size(8) fn cs(@builtin(global_invocation_id) id: vec3<u32>) {
	shared_light.at = scene.lights[0].at;
	workgroupBarrier();
	atomicAdd(&counts[id.x & 3u], 1u << id.y);
}
`
	return []mediaFile{
		{name: "made fragment shader", ext: ".frag", data: []byte(fragment)}, {name: "made WGSL", ext: ".wgsl", data: []byte(module)},
	}
}

// shaderPieces are texts that a preprocessor or compiler may interpret differently from cook.
var shaderPieces = map[string][]string{
	".frag": {
		"\\\n", "\\\r\n", "\\\r", "\r", "\n", "\r\n", "\n\r", "\f", "\v", "\x00", "\\", "/", "*", "//", "/*", "*/", "/**/", "\"", "'", "#", "##", "\n#", "<", ">",
		"include", "#include \"../" + plantedName + "\"", "\n#include <../" + plantedName + ">\n", "/*\n*/#include \"../" + plantedName + "\"\n",
		"#if 0\n", "#endif\n", "#define X ", "#version 310 es\n", "#version 120\n", "#line 7\n", "#pragma once\n", "??/\n", "%:", "\ufeff",
	},
	".wgsl": {
		"struct S { a: Light, b: Light }\n", "struct Light { a: S, b: S }\n", "alias Light = S;\n", "let a = a + a; ", "let b = a.xy; ", ".xyzw", ".x", "[0]",
		"vec2(1, 1)", " * 2 ", " - ", "-", "!", "(", ")", "<", ">", "{", "}", "array<", "f64", "i32", "u32", "f16", "bool", "var<workgroup> w: Scene;\n",
		"override o: f32 = 2;\n", "const c = c;\n", "@group(0) @binding(0) ", "ptr<function, f32>", "&", "*", "1lf", "0x1p3", "/*", "*/", "//", "\n", "return;",
	},
}

var shaderWord = regexp.MustCompile(`\w+`)

// damageShader inserts a piece, or an include that contains pieces, or replaces one word by
// another.
func (m *mutator) damageShader(ext string, data []byte) []byte {
	at := m.rand.IntN(len(data) + 1)
	if i := bytes.IndexAny(data[at:], "\n #(),.;"); i >= 0 && m.rand.IntN(4) > 0 {
		at += i + m.rand.IntN(2)
	}
	pieces := shaderPieces[ext]
	switch words := shaderWord.FindAllIndex(data, -1); {
	case len(words) > 0 && (ext == ".wgsl" && m.rand.IntN(4) > 0 || m.rand.IntN(8) == 0):
		from, to := pick(m.rand, words), pick(m.rand, words)
		return slices.Concat(data[:to[0]], data[from[0]:from[1]], data[to[1]:])
	case ext == ".frag" && m.rand.IntN(2) == 0:
		line := []byte("\n#include \"../" + plantedName + "\"\n")
		for range 1 + m.rand.IntN(3) {
			line = slices.Insert(line, m.rand.IntN(len(line)+1), []byte(pick(m.rand, pieces))...)
		}
		return slices.Insert(data, at, line...)
	}
	times := 1
	if m.rand.IntN(8) == 0 {
		times = 1 + m.rand.IntN(100)
	}
	return slices.Insert(data, at, []byte(strings.Repeat(pick(m.rand, pieces), times))...)
}

// checkShader checks an output with other tools, if they are installed. GLSL must not contain
// includes that a compiler would expand, and SPIR-V must be valid.
func (b *mediaBench) checkShader(ext, out string) error {
	switch ext {
	case ".frag":
		text, err := os.ReadFile(out)
		if err != nil || b.glslang == "" || !bytes.Contains(text, []byte("include")) {
			return err
		}
		if err := os.WriteFile(filepath.Join(b.dir, "..", plantedName), []byte("#error PLANTED\n"), 0o666); err != nil {
			return err
		}
		// cook has removed the line that enables the include extension, so add it again.
		const enable = "#extension GL_GOOGLE_include_directive : enable\n"
		flat := filepath.Join(b.dir, "flat.frag")
		if err := os.WriteFile(flat, slices.Concat([]byte("#version 450\n"+enable), bytes.ReplaceAll(text, []byte("#version"), []byte("//"))), 0o666); err != nil {
			return err
		}
		defer os.Remove(flat)
		said, _ := exec.Command(b.glslang, "-V", "-o", flat+".spv", flat).CombinedOutput()
		os.Remove(flat + ".spv")
		if bytes.Contains(said, []byte("PLANTED")) {
			return fmt.Errorf("the output contains an include: %.200q", text)
		}
	case ".wgsl":
		if b.spirvVal == "" {
			return nil
		}
		if said, err := exec.Command(b.spirvVal, "--target-env", "spv1.3", out).CombinedOutput(); err != nil {
			return fmt.Errorf("spirv-val: %s", bytes.TrimSpace(said))
		}
	}
	return nil
}
