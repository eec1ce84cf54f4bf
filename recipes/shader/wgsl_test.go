package shader

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	compute  = "@compute @workgroup_size(1) fn main() { "
	numbers  = "@group(0) @binding(0) var<storage, read_write> o: array<i32>; "
	unsigned = "@group(0) @binding(0) var<storage, read_write> o: array<u32>; "
	floats   = "@group(0) @binding(0) var<storage, read_write> o: array<vec3<f32>>; "
)

// Operators and functions that GLSL and HLSL lack, or define differently, must be replaced.
func TestMeaningOfWGSLIsKept(t *testing.T) {
	for _, tc := range []struct{ format, source, want string }{
		{"glsl", floats + compute + "o[0] = select(o[1], o[2], o[3] > o[4]); }", "vec3((_e14.x ? _e7.x : _e4.x), "},
		{"glsl", numbers + compute + "o[0] = o[1] % o[2]; }", "(_e4 - ((_e4 / _e7) * _e7))"},
		{"glsl", unsigned + compute + "o[0] = o[1] % o[2]; }", "(_e4 % _e7)"},
		{"glsl", unsigned + compute + "o[0] = o[1] << o[2]; }", "(_e4 << (_e7 & 31u))"},
		{"glsl", unsigned + compute + "o[0] = o[1] >> 4u; }", "(_e4 >> 4u)"},
		{"glsl", unsigned + compute + "o[0] = countLeadingZeros(o[1]); }", "uint((31 - findMSB(_e4)))"},
		{"glsl", numbers + compute + "o[0] = countLeadingZeros(o[1]); }", "(31 - findMSB(uint(_e4)))"},
		{"glsl", unsigned + compute + "o[0] = countTrailingZeros(o[1]); }", "min(uint(findLSB(_e4)), 32u)"},
		{"glsl", unsigned + compute + "o[0] = abs(o[1]); }", "(_e4 >> 0u)"},
		{"glsl", floats + compute + "o[0] = round(o[1]); }", "roundEven("},
		{"glsl", "const n = 7u; " + unsigned + compute + "o[0] = o[1] + (n / 2u) * 2u; }", "+ 6u)"},
		{"hlsl", "var<private> big: array<array<i32, 3>, 2>; " + numbers + compute + "big[o[0]][1] = 2; o[0] = big[1][o[1]]; }", "static int big[2][3] = "},
		{"glsl", "const table = array<vec4<i32>, 1>(vec4<i32>(vec2<i32>(1i, 2i), 3i, 4i)); " + numbers + compute + "let v = table[o[1]]; o[0] = v.z; }", "ivec4[1](ivec4(1, 2, 3, 4))"},
		{"glsl", "@group(0) @binding(0) var t: texture_depth_2d; @fragment fn main(@builtin(position) p: vec4<f32>) -> @location(0) vec4<f32> { return vec4<f32>(textureLoad(t, vec2<i32>(p.xy), 0)); }", "uniform sampler2D _group_0_binding_0_fs;"},
		{"msl", unsigned + compute + "o[0] = arrayLength(&o); }", "_buffer_sizes [[buffer(30)]]\n"},
		{"hlsl", floats + compute + "o[0] = atanh(o[1]); }", "* log(("},
		{"hlsl", floats + compute + "o[0] = acosh(o[1]); }", "log((_e4 + sqrt("},
		{"hlsl", "@group(1) @binding(3) var s: sampler; @group(0) @binding(1) var t: texture_2d<f32>; @fragment fn main() -> @location(0) vec4<f32> { return textureSample(t, s, vec2<f32>(0.5)); }",
			"SamplerState s : register(s3, space1);"},
	} {
		res := cook(t, map[string]string{"a.wgsl": tc.source}, "a.wgsl", options{"format": tc.format})
		if res.Err != nil || !strings.Contains(string(res.Outputs[0]), tc.want) {
			t.Errorf("%s\nerror %v, got %s\nwant %s", tc.source, res.Err, res.Outputs, tc.want)
		}
	}
}

// Members of structs must have the same offsets in GLSL as in WGSL.
func TestLayoutIsKept(t *testing.T) {
	for _, tc := range []struct{ source, want string }{
		{"struct U { @size(32) a: f32, @align(64) b: f32 } @group(0) @binding(0) var<storage, read_write> u: U; " + compute + "u.b = u.a; }",
			"struct U {\n    float a;\n    float padding_4_;\n    float padding_8_;\n    float padding_12_;\n    float padding_16_;\n"},
		{"struct U { a: vec4<f32>, @align(64) b: f32 } @group(0) @binding(0) var<storage, read_write> u: U; " + compute + "u.b = u.a.x; }",
			"struct U {\n    vec4 a;\n    vec4 padding_16_[3];\n    float b;\n    float padding_68_;\n    float padding_72_;\n    float padding_76_;\n    vec4 padding_80_[3];\n};\n"},
		{"struct U { a: f32, @align(16) b: f32 } @group(0) @binding(0) var<storage, read_write> u: U; " + compute + "u = U(u.a, 2.0); }",
			"_group_0_binding_0_cs = U(_e3, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0);"},
		{"struct U { a: vec3<f32>, b: f32, c: mat3x3<f32> } @group(0) @binding(0) var<uniform> u: U; @group(0) @binding(1) var<storage, read_write> o: f32; " + compute + "o = u.b; }",
			"struct U {\n    vec3 a;\n    float b;\n    mat3x3 c;\n};\n"},
	} {
		res := cook(t, map[string]string{"a.wgsl": tc.source}, "a.wgsl", options{"format": "glsl"})
		if res.Err != nil || !strings.Contains(string(res.Outputs[0]), tc.want) {
			t.Errorf("%s\nerror %v, got %s\nwant %s", tc.source, res.Err, res.Outputs, tc.want)
		}
	}
}

// Bindings must be written if the version of GLSL has them. They must always be listed.
func TestBindingsAreWritten(t *testing.T) {
	source := `struct Camera { view: mat4x4<f32> }
@group(0) @binding(2) var<uniform> camera: Camera;
@group(2) @binding(1) var albedo: texture_2d<f32>;
@group(2) @binding(0) var linear: sampler;
@fragment fn main() -> @location(0) vec4<f32> { return camera.view * textureSample(albedo, linear, vec2<f32>(0.5)); }`
	list := "// @group(0) @binding(2) camera: binding 2, uniform block camera_fragment\n// @group(2) @binding(1) albedo: binding 4, uniform _group_2_binding_1_fs\n"
	for version, want := range map[string][]string{
		"450":    {"#version 450 core\n" + list, "layout(std140, binding = 2) uniform camera_fragment {", "layout(binding = 4) uniform sampler2D _group_2_binding_1_fs;"},
		"310 es": {"#version 310 es\n" + list, "layout(std140, binding = 2) uniform camera_fragment {", "layout(binding = 4) uniform highp sampler2D _group_2_binding_1_fs;"},
		"330":    {"#version 330 core\n" + list, "layout(std140) uniform camera_fragment {", "uniform sampler2D _group_2_binding_1_fs;"},
	} {
		res := cook(t, map[string]string{"a.wgsl": source}, "a.wgsl", options{"format": "glsl", "glsl_version": version})
		for _, w := range want {
			if res.Err != nil || !strings.Contains(string(res.Outputs[0]), w) {
				t.Errorf("%s: error %v, got %s\nwant %s", version, res.Err, res.Outputs, w)
			}
		}
	}
}

// A shader must be refused, with a line, if the target language cannot express it or naga compiles
// it wrongly.
func TestInexpressibleShadersAreRefused(t *testing.T) {
	const fragment = "@fragment fn main() -> @location(0) vec4<f32> { "
	for _, tc := range []struct{ source, format, version, want string }{
		{"struct U {\n m: mat3x2<f32> }\n@group(0) @binding(0) var<uniform> u: U;\n" + fragment + "return vec4<f32>(u.m[0], u.m[1]); }", "glsl", "450",
			"3:36: var u: member m: in a uniform, GLSL places the columns of mat3x2 16 bytes apart"},
		{"struct I { @align(32) a: f32 }\nstruct U { a: f32, b: I }\n@group(0) @binding(0) var<storage, read_write> u: U; " + compute + "u.b.a = u.a; }", "spirv", "450",
			"2:8: struct U: the member b would be at byte 4, but WGSL wants byte 32; write @align(32) before it"},
		{"@group(0) @binding(0) var<storage, read_write> o: u32;\n" + compute + "o = reverseBits(o); }", "glsl", "420", "GLSL 420 does not have"},
		{"@fragment fn main(@location(0) @interpolate(linear) a: vec4<f32>) -> @location(0) vec4<f32> { return a; }", "glsl", "300 es", `GLSL 300 es does not have @interpolate(linear); set glsl_version to "330" or later`},
		{"@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var a: sampler; @group(0) @binding(2) var b: sampler; " + fragment + "return textureSample(t, a, vec2<f32>(0.5)) + textureSample(t, b, vec2<f32>(0.5)); }", "glsl", "450",
			"var t: the texture is read with two samplers"},
		{"@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler; fn get(a: texture_2d<f32>, b: sampler) -> vec4<f32> { return textureSample(a, b, vec2<f32>(0.5)); } " + fragment + "return get(t, s); }", "glsl", "450",
			"fn get: GLSL has no form of sampling a texture that is a parameter of a function; remove it or choose another output format"},
		{"struct P { m: mat2x2<f32> } @group(0) @binding(0) var<storage, read> u: P; " + fragment + "var p = u; p.m = p.m * 2.0; return vec4<f32>(p.m[0], p.m[1]); }", "hlsl", "450", "invalid HLSL for a matrix of two rows in a struct"},
		{"fn round(a: f32) -> f32 { return a + 1.0; } " + fragment + "return vec4<f32>(round(0.5)); }", "spirv", "450", "1:4: fn round: the WGSL compiler would call the built-in function"},
		{"@group(0) @binding(300) var<uniform> u: vec4<f32>; " + fragment + "return u; }", "glsl", "450", "the GLSL binding would be 300"},
		{"@group(0) @binding(0) var<storage, read_write> o: array<vec2<f32>>;\n\n" + compute + "o[0] = o[1] - vec2(1, 1); }", "hlsl", "450", "3:32: fn main: the operator - cannot have operands of types vec2<f32> and vec2<i32>"},
	} {
		res := cook(t, map[string]string{"a.wgsl": tc.source}, "a.wgsl", options{"format": tc.format, "glsl_version": tc.version})
		if res.Err == nil || !strings.Contains(res.Err.Error(), tc.want) {
			t.Errorf("%s\ngot  %v, %s\nwant %s", tc.source, res.Err, res.Outputs, tc.want)
		}
	}
}

// A function that only another entry point calls must not be written to the GLSL. It must not be a
// reason to refuse the shader.
func TestUnusedFunctionsDoNotMatter(t *testing.T) {
	source := unsigned + "fn bits(a: u32) -> u32 { return reverseBits(a); } @compute @workgroup_size(1) fn other() { o[0] = bits(o[1]); } @fragment fn main() -> @location(0) vec4<f32> { return vec4<f32>(1.0); }"
	res := cook(t, map[string]string{"a.wgsl": source}, "a.wgsl", options{"format": "glsl", "entry": "main", "glsl_version": "330"})
	if res.Err != nil || strings.Contains(string(res.Outputs[0]), "bits") {
		t.Errorf("%v, %s", res.Err, res.Outputs)
	}
}

// glslangValidator, the reference compiler, must also accept the sample shaders.
func TestCompilerMakesValidGLSL(t *testing.T) {
	if _, err := exec.LookPath("glslangValidator"); err != nil {
		t.Skip("glslangValidator is not installed")
	}
	for entry, stage := range map[string]string{"vs": "vert", "fs": "frag"} {
		for _, version := range []string{"330", "450", "300 es", "320 es"} {
			res := cook(t, map[string]string{"a.wgsl": two}, "a.wgsl", options{"format": "glsl", "entry": entry, "glsl_version": version})
			if res.Err != nil {
				t.Errorf("%s %s: %v", entry, version, res.Err)
				continue
			}
			file := filepath.Join(t.TempDir(), "a."+stage)
			if err := os.WriteFile(file, res.Outputs[0], 0o666); err != nil {
				t.Fatal(err)
			}
			if said, err := exec.Command("glslangValidator", file).CombinedOutput(); err != nil {
				t.Errorf("%s %s: %s", entry, version, said)
			}
		}
	}
}
