package recipes_test

func init() {
	shader := func(part string, f fate, why, name, source, options, has string) sourcePart {
		return sourcePart{kind: "shaders", part: part, fate: f, why: why, name: name, source: source, rule: "recipe = \"shader\"\n" + options, has: has}
	}
	wgsl := func(part string, f fate, why, format, source, has string) sourcePart {
		return shader("WGSL: "+part, f, why, "a.wgsl", source, "format = \""+format+"\"", has)
	}
	glsl := func(part string, f fate, why, source, has string) sourcePart {
		p := shader("GLSL: "+part, f, why, "a.frag", source, "", has)
		p.more = map[string]string{"once.glsl": "#pragma once\nfloat f;\n", "old.glsl": "#version 330\nfloat f;\n"}
		return p
	}
	const (
		red     = "@fragment fn main() -> @location(0) vec4<f32> { return vec4<f32>(1.0); }"
		compute = "@compute @workgroup_size(4) fn main("
		output  = "@group(1) @binding(3) var<storage, read_write> o: array<u32>;\n"
	)
	input := func(builtIn, kind string) string {
		return "@fragment fn main(@builtin(" + builtIn + ") i: " + kind + ") -> @location(0) vec4<f32> { return vec4<f32>(f32(i)); }"
	}
	// In SPIR-V, the decoration Invariant is an instruction of three words with opcode 71 and
	// decoration 18.
	const invariant = "\x47\x00\x03\x00|\x12\x00\x00\x00"
	sourceParts = append(sourceParts, []sourcePart{
		wgsl("the text, with `format = \"source\"`", kept, "", "source", "// why\n@id(7) override a: f32;\n"+red, "// why|@id(7) override a: f32;"),
		wgsl("comments", noMeaning, "`debug = true` keeps names in SPIR-V", "hlsl", "// why\n"+red, ""),
		wgsl("several entry points", kept, "", "hlsl", red+"\n@fragment fn second() { }", "main()|second()"),
		wgsl("several entry points, in GLSL without `entry`", refused, "", "glsl", red+"\n@fragment fn other() { }", "set entry to one of"),
		wgsl("names of entry points", kept, "HLSL and Metal add `_` to names that they reserve or that end in a digit", "hlsl", "@fragment fn main2() { }", "main2_("),
		wgsl("`@invariant`", kept, "", "spirv", "@vertex fn main() -> @invariant @builtin(position) vec4<f32> { return vec4<f32>(1.0); }", invariant),
		wgsl("`@interpolate`", kept, "GLSL ES has no `linear`, and refuses it", "hlsl", "@fragment fn main(@location(0) @interpolate(linear, centroid) a: f32) -> @location(0) vec4<f32> { return vec4<f32>(a); }", "noperspective centroid"),
		wgsl("`@interpolate` with another word", refused, "", "hlsl", "@fragment fn main(@location(0) @interpolate(wobbly) a: f32) -> @location(0) vec4<f32> { return vec4<f32>(a); }", "the interpolation type wobbly is unknown; use flat, linear or perspective"),
		wgsl("`@align`, `@size`", kept, "as members for padding", "glsl", "struct U { a: f32, @align(16) b: f32 }\n@group(0) @binding(0) var<storage, read_write> u: U;\n"+compute+") { u.b = u.a; }", "padding_4_"),
		wgsl("`@group`, `@binding`", kept, "GLSL has no groups, and a comment lists the bindings", "glsl", output+compute+") { o[0] = 1u; }", "// @group(1) @binding(3) o: binding 3"),
		wgsl("variables that no function of the entry point uses", noMeaning, "only GLSL leaves them out", "glsl", "@group(0) @binding(0) var<uniform> u: vec4<f32>;\n"+red, ""),
		wgsl("`override` with a value", warned, "the value is fixed, also in `@workgroup_size`", "msl", "override n = 8u;\n@compute @workgroup_size(n) fn main() { }", "1:10|the override n keeps its default"),
		wgsl("`override` without a value", refused, "", "spirv", "@id(7) override a: f32;\n@fragment fn main() -> @location(0) vec4<f32> { return vec4<f32>(a); }", "the override a has no default"),
		wgsl("`override` that nothing uses", noMeaning, "", "spirv", "override a: f32;\n"+red, ""),
		wgsl("`const_assert`, `diagnostic`, `@must_use`", noMeaning, "they are checked while compiling", "hlsl", "diagnostic(off, derivative_uniformity);\nconst_assert 1 < 2;\n@must_use fn f() -> f32 { return 1.0; }\n"+red, ""),
		wgsl("`enable f16`", kept, "GLSL refuses the numbers", "hlsl", "enable f16;\n@fragment fn main() -> @location(0) vec4<f32> { let a: f16 = 1.5h; return vec4<f32>(f32(a)); }", "1.5h"),
		wgsl("`enable` of an unknown extension", refused, "", "hlsl", "enable no_such;\n"+red, "1:8: the WGSL compiler does not know the extension no_such"),
		wgsl("`requires`", refused, "", "hlsl", "requires pointer_composite_access;\n"+red, "ignores requires directives"),
		wgsl("unknown attributes", refused, "", "hlsl", "@foo(3) "+red, "does not know the attribute @foo"),
		wgsl("names that are declared twice", refused, "", "hlsl", "const a = 1;\nconst a = 2;\n"+red, "2:7: a is declared twice"),
		wgsl("unknown built-in values", refused, "", "spirv", input("no_such", "u32"), "the built-in value no_such does not exist in SPIR-V"),
		wgsl("`num_workgroups`, `primitive_index`, `clip_distances`, in HLSL", refused, "", "hlsl", input("primitive_index", "u32"), "the built-in value primitive_index does not exist in HLSL"),
		wgsl("`clip_distances`, in Metal", refused, "", "msl", "struct O { @builtin(position) p: vec4<f32>, @builtin(clip_distances) c: array<f32, 2> }\n@vertex fn main() -> O { var o: O; return o; }", "clip_distances does not exist in the Metal shading language"),
		wgsl("`sample_mask`", kept, "", "glsl", "@fragment fn main(@builtin(sample_mask) k: u32) -> @builtin(sample_mask) u32 { return k; }", "gl_SampleMask[0] = int(|uint(gl_SampleMaskIn[0])"),
		wgsl("`instance_index`", kept, "HLSL counts from 0 in each draw call; GLSL adds the uniform `naga_vs_first_instance`", "hlsl", "@vertex fn main(@builtin(instance_index) i: u32) -> @builtin(position) vec4<f32> { return vec4<f32>(f32(i)); }", "SV_InstanceID"),
		wgsl("subgroups", kept, "GLSL refuses them", "hlsl", "enable subgroups;\n"+output+compute+"@builtin(subgroup_size) s: u32) { o[0] = subgroupAdd(s); }", "WaveActiveSum"),
		wgsl("`@blend_src`", kept, "GLSL refuses it", "msl", "enable dual_source_blending;\nstruct O { @location(0) @blend_src(0) a: vec4<f32>, @location(0) @blend_src(1) b: vec4<f32> }\n@fragment fn main() -> O { var o: O; return o; }", "color(0) index(1)"),
		wgsl("`@early_depth_test`", kept, "GLSL only; the others refuse it", "glsl", "@early_depth_test(force) "+red, "early_fragment_tests"),
		wgsl("`@early_depth_test` in HLSL, Metal and SPIR-V", refused, "", "spirv", "@early_depth_test(force) "+red, "only GLSL output supports"),
		wgsl("push constants", kept, "in SPIR-V, as a struct; the others refuse them", "spirv", "struct P { a: vec4<f32> }\nvar<push_constant> p: P;\n@fragment fn main() -> @location(0) vec4<f32> { return p.a; }", "\x03\x02\x23\x07"),
		wgsl("push constants in HLSL and Metal", refused, "", "msl", "var<push_constant> p: vec4<f32>;\n@fragment fn main() -> @location(0) vec4<f32> { return p; }", "put them in a uniform"),
		wgsl("access of storage buffers", kept, "", "glsl", "@group(0) @binding(0) var<storage, read> a: array<u32>;\n"+output+compute+") { o[0] = a[1]; }", "readonly buffer a_compute"),
		wgsl("access `write` of storage buffers", refused, "", "glsl", "@group(0) @binding(0) var<storage, write> o: array<u32>;\n"+compute+") { o[0] = 1u; }", "access mode read or read_write"),
		wgsl("zeros in `var<workgroup>`", kept, "", "glsl", "var<workgroup> w: array<u32, 4>;\n"+output+compute+") { o[0] = w[0]; }", "w = uint[4](0u, 0u, 0u, 0u)"),
		wgsl("checks of indices", noMeaning, "HLSL and Metal have them; GLSL and SPIR-V leave them to the driver", "glsl", output+compute+"@builtin(local_invocation_index) i: u32) { o[i] = 1u; }", ""),
		wgsl("numbers of 64 bits, in GLSL", refused, "", "glsl", "@fragment fn main() -> @location(0) vec4<f32> { let a: f64 = 1.0lf; return vec4<f32>(f32(a)); }", "GLSL has no form of a number of type f64"),
		shader("WGSL: the option `defines`", warned, "WGSL has no macros", "a.wgsl", red, "defines = { A = \"1\" }", "WGSL has no macros; declare const A"),
		glsl("qualifiers, precision, `#extension`, `#line`, `#pragma`, comments", kept, "", "#version 450\n#extension GL_EXT_nonuniform_qualifier : require\n#pragma STDGL invariant(all)\n#line 7 2\ninvariant gl_Position; // why\nprecision highp float;\nlayout(location = 0) flat in int a;\n",
			"#extension GL_EXT_nonuniform_qualifier : require|#pragma STDGL invariant(all)|#line 7 2|invariant gl_Position; // why|precision highp float;|layout(location = 0) flat in int a;"),
		glsl("`#include`", kept, "expanded", "#include \"once.glsl\"\n", "float f;"),
		glsl("`#include` of a file that does not exist", refused, "", "#include \"no.glsl\"\n", "no.glsl does not exist"),
		glsl("`#pragma once`", kept, "as `#ifndef`", "#include \"once.glsl\"\n", "#ifndef COOK_INCLUDED_1"),
		glsl("`#version`", kept, "", "#version 300 es\n", "#version 300 es"),
		glsl("`#version` of an included file", noMeaning, "if the shader has the same", "#version 330\n#include \"old.glsl\"\n", ""),
		glsl("another `#version` of an included file", warned, "", "#version 450\n#include \"old.glsl\"\n", "old.glsl:1: #version 330 is ignored"),
		glsl("extensions that enable `#include`", noMeaning, "", "#version 450\n#extension GL_GOOGLE_include_directive : require\n", ""),
		glsl("byte order mark, kinds of line ends, joined lines", noMeaning, "", "\xef\xbb\xbffloat \\\r\nf;\r\n", ""),
		glsl("bytes of the value 0, comments without an end", refused, "", "float f;\x00\n", "the shader has a zero byte"),
		shader("GLSL: the option `defines`", kept, "", "a.frag", "#version 450\nfloat f;\n", "defines = { A = \"1\" }", "#define A 1"),
		shader("GLSL, as GLSL of another version, HLSL or Metal", refused, "", "a.frag", "#version 450\n", "format = \"hlsl\"", "format hlsl needs WGSL"),
		shader("GLSL, as SPIR-V without a compiler", refused, "", "a.frag", "#version 450\n", "format = \"spirv\"", "install glslang-tools"),
		shader("files whose stage is unknown", refused, "", "a.shader", "#version 450\n", "", "set stage"),
	})
}
