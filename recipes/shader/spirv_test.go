package shader

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// naga compiles these shaders to invalid SPIR-V, or to SPIR-V of another version than requested.
func TestCompilerFaults(t *testing.T) {
	const compute = "@compute @workgroup_size(1) fn main() { "
	for _, tc := range []struct{ source, version, want string }{
		{"struct S { a: u32, b: array<u32, 4> } var<workgroup> w: S; @group(0) @binding(0) var<storage, read_write> o: S; " + compute + "o = w; }", "1.3",
			`this shader needs SPIR-V 1.4, spirv_version is 1.3; set it to "1.4"`},
		{"struct S { a: f32 } @group(0) @binding(0) var<uniform> u: S; var<push_constant> p: S; @fragment fn main() -> @location(0) vec4<f32> { return vec4<f32>(u.a + p.a); }", "1.5",
			"a struct with a runtime-sized buffer layout (Block) is inside another Block; write this part another way"},
		{"@fragment fn main(@location(0) a: vec2<f32>) -> @location(0) vec4<f32> { let b = vec4(a * 2.0 - vec2(1, 1), 0.0, 1.0); return b; }", "1.0",
			"1:14: fn main: the operator - cannot have operands of types vec2<f32> and vec2<i32>"},
		{"@group(0) @binding(0) var t: texture_1d_array<f32>; @group(0) @binding(1) var<storage, read_write> o: u32; " + compute + "o = textureDimensions(t); }", "1.3",
			"1 components cannot make u32"},
	} {
		res := cook(t, map[string]string{"a.wgsl": tc.source}, "a.wgsl", options{"format": "spirv", "spirv_version": tc.version})
		if res.Err == nil || !strings.Contains(res.Err.Error(), tc.want) {
			t.Errorf("%s\ngot  %v\nwant %s", tc.source, res.Err, tc.want)
		}
	}
}

// ins returns a SPIR-V instruction.
func ins(op uint32, words ...uint32) []uint32 {
	return append([]uint32{uint32(len(words)+1)<<16 | op}, words...)
}

func TestInvalidSPIRVIsRefused(t *testing.T) {
	const (
		f32 = 100 + iota
		u32
		vec2
		vec4
		two // a struct of f32 and u32
		pair
		pointer
		function
		standard
		boolean
		endless
		uvec
		uu
		image
		sampler
		sampled
		b
		img
		smp
		si
		f
		u
		v2
		v4
		p
		fn
	)
	// These types and values are used by all cases.
	head := slices.Concat(
		ins(opExtInstImport, standard, 0), ins(opTypeFloat, f32, 32), ins(opTypeInt, u32, 32, 0), ins(opTypeVector, vec2, f32, 2), ins(opTypeVector, vec4, f32, 4),
		ins(opTypeStruct, two, f32, u32), ins(opTypeArray, pair, f32, 0), ins(opTypePointer, pointer, 7, f32), ins(opTypeFunction, function, f32, u32),
		ins(opTypeBool, boolean), ins(opTypeVector, uvec, u32, 2), ins(1, uvec, uu), ins(opTypeRuntimeArray, endless, f32), ins(opTypeImage, image, f32, 1, 0, 0, 0, 1, 0),
		ins(opTypeSampler, sampler), ins(opTypeSampledImage, sampled, image), ins(1, boolean, b), ins(1, image, img), ins(1, sampler, smp), ins(1, sampled, si),
		ins(1, f32, f), ins(1, u32, u), ins(1, vec2, v2), ins(1, vec4, v4), ins(1, pointer, p), ins(opFunction, f32, fn, 0, function),
	)
	const r = 900 // ID of the result
	for _, tc := range []struct {
		op         uint32
		right, bad []uint32
	}{
		{129, []uint32{vec2, r, v2, v2}, []uint32{vec2, r, v2, f}},
		{127, []uint32{f32, r, f}, []uint32{f32, r, u}},
		{142, []uint32{vec2, r, v2, f}, []uint32{vec2, r, v2, u}},
		{148, []uint32{f32, r, v2, v2}, []uint32{f32, r, v2, v4}},
		{148, []uint32{f32, r, v4, v4}, []uint32{u32, r, v4, v4}},
		{112, []uint32{f32, r, u}, []uint32{vec2, r, u}},
		{opLoad, []uint32{f32, r, p}, []uint32{u32, r, p}},
		{opStore, []uint32{p, f}, []uint32{p, u}},
		{opReturnValue, []uint32{f}, []uint32{u}},
		{opFunctionCall, []uint32{f32, r, fn, u}, []uint32{f32, r, fn, f}},
		{opFunctionCall, []uint32{f32, r, fn, u}, []uint32{u32, r, fn, u}},
		{opVectorShuffle, []uint32{vec2, r, v4, v4, 0, 1}, []uint32{f32, r, v4, v4, 0}},
		{opVectorShuffle, []uint32{vec2, r, v4, v2, 0, 1}, []uint32{vec4, r, v4, v2, 0, 1}},
		{opConstruct, []uint32{two, r, f, u}, []uint32{two, r, u, f}},
		{opConstruct, []uint32{two, r, f, u}, []uint32{two, r, f}},
		{opConstruct, []uint32{pair, r, f, f}, []uint32{pair, r, f, u}},
		{opConstruct, []uint32{vec4, r, v2, f, f}, []uint32{vec4, r, v2, f}},
		{opConstruct, []uint32{vec2, r, f, f}, []uint32{vec2, r, f, u}},
		{opExtract, []uint32{f32, r, v2, 1}, []uint32{u32, r, v2, 1}},
		{opExtract, []uint32{f32, r, f}, []uint32{f32, r, f, 0}},
		{opExtInst, []uint32{f32, r, standard, 66, v4}, []uint32{u32, r, standard, 66, v4}},
		{opExtInst, []uint32{vec2, r, standard, 31, v2}, []uint32{vec2, r, standard, 31, v4}},
		{169, []uint32{f32, r, 1, f, f}, []uint32{f32, r, 1, f, u}},
		{245, []uint32{f32, r, f, 1, f, 2}, []uint32{f32, r, f, 1, u, 2}},
		{186, []uint32{boolean, r, f, f}, []uint32{boolean, r, f, v2}},
		{186, []uint32{boolean, r, f, f}, []uint32{f32, r, f, f}},
		{186, []uint32{boolean, r, f, f}, []uint32{boolean, r, f, u}},
		{168, []uint32{boolean, r, b}, []uint32{u32, r, u}},
		{196, []uint32{u32, r, u, u}, []uint32{f32, r, f, u}},
		{196, []uint32{u32, r, u, u}, []uint32{u32, r, u, f}},
		{opVariable, []uint32{pointer, r, 7}, []uint32{pointer, 0, 7}},
		{opNull, []uint32{pair, r}, []uint32{endless, r}},
		{65, []uint32{pointer, r, p, u}, []uint32{pointer, r, p, f}},
		{65, []uint32{pointer, r, p, u}, []uint32{pointer, r, p, uu}},
		{opNull, []uint32{pair, r}, []uint32{image, r}},
		{opLoad, []uint32{f32, r, p}, []uint32{f32, r, 0}},
		{opSampledImage, []uint32{sampled, r, img, smp}, []uint32{sampled, r, img, img}},
		{87, []uint32{vec4, r, si, v2}, []uint32{vec4, r, si, f}},
		{87, []uint32{vec4, r, si, v2}, []uint32{vec4, r, si, u}},
		{234, []uint32{u32, r, p, 1, 1, u}, []uint32{u32, r, p, 1, 1, f}},
		{opBranch, []uint32{b, 1, 2}, []uint32{u, 1, 2}},
		{opSwitch, []uint32{u, 1}, []uint32{f, 1}},
		{opConstruct, []uint32{vec2, r, f, f}, []uint32{f32, r, f}},
	} {
		for i, words := range [][]uint32{tc.right, tc.bad} {
			err := checkSPIRV(assemble(0x10300, head, ins(tc.op, words...)), "1.3")
			if wrong := i == 1; (err != nil) != wrong {
				t.Errorf("%s %v, wrong %v: %v", opName(tc.op), words, wrong, err)
			}
		}
	}
	blocks := slices.Concat(ins(opDecorate, 1, 2), ins(opDecorate, 3, 2), ins(opTypeStruct, 1, f32), ins(opTypeArray, 2, 1, 0))
	for _, tc := range []struct {
		module []byte
		want   string
	}{
		{assemble(0x10300, blocks, ins(opTypeStruct, 3, 1)), "a struct with a runtime-sized buffer layout (Block) is inside another Block"},
		{assemble(0x10300, blocks, ins(opTypeStruct, 3, 2)), "a struct with a runtime-sized buffer layout (Block) is inside another Block"},
		{assemble(0x10300, ins(opTypeArray, 1, 1, 0), ins(opDecorate, 3, 2), ins(opTypeStruct, 3, 1)), ""}, // the array type contains itself, which must not hang the check
		{assemble(0x10300, blocks, ins(opTypeStruct, 4, 2)), ""},
		{assemble(0x10300, head), ""},
		{assemble(0x10300, ins(opTypeFloat, f32, 32), ins(opTypePointer, pointer, 7, f32), ins(opVariable, pointer, p, 7)), "a local variable is declared outside"},
		{assemble(0x10400, head), "needs SPIR-V 1.4"},
		{assemble(0x10300, head)[:50], "that is cut off"},
		{assemble(0x10300, []uint32{0}), "that is cut off"},
		{nil, "wrote no SPIR-V"},
		{make([]byte, 40), "wrote no SPIR-V"},
	} {
		err := checkSPIRV(tc.module, "1.3")
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("got %v, want %q", err, tc.want)
		}
	}
}

// assemble puts a header before instructions.
func assemble(version uint32, parts ...[]uint32) []byte {
	words := append([]uint32{0x07230203, version, 0, 1000, 0}, slices.Concat(parts...)...)
	out := make([]byte, 0, 4*len(words))
	for _, w := range words {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out
}

// spirv-val, the reference validator, must also accept the sample shaders.
func TestCompilerMakesValidSPIRV(t *testing.T) {
	if _, err := exec.LookPath("spirv-val"); err != nil {
		t.Skip("spirv-val is not installed")
	}
	for _, source := range append([]string{two}, samples(t)...) {
		res := cook(t, map[string]string{"a.wgsl": source}, "a.wgsl", options{"format": "spirv"})
		if res.Err != nil {
			t.Errorf("%.60q: %v", source, res.Err)
			continue
		}
		file := filepath.Join(t.TempDir(), "a.spv")
		if err := os.WriteFile(file, res.Outputs[0], 0o666); err != nil {
			t.Fatal(err)
		}
		if said, err := exec.Command("spirv-val", "--target-env", "spv1.3", file).CombinedOutput(); err != nil {
			t.Errorf("%.60q: %s", source, said)
		}
	}
}

func samples(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/assets/shaders/*.wgsl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sample shaders: %v", err)
	}
	var list []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(data))
	}
	return list
}

// The position of an entry point must be invariant in SPIR-V if and only if the shader declares it
// so.
func TestInvariantIsOfItsEntryPoint(t *testing.T) {
	const plain = "@vertex fn a() -> @builtin(position) vec4<f32> { return vec4<f32>(1.0); }\n"
	decorations := func(source string) int {
		res := cook(t, map[string]string{"a.wgsl": source}, "a.wgsl", options{"format": "spirv"})
		if res.Err != nil {
			t.Fatal(res.Err)
		}
		return bytes.Count(res.Outputs[0], []byte{18, 0, 0, 0}) // the decoration Invariant has this number
	}
	for source, want := range map[string]int{
		plain: 0,
		plain + "@vertex fn b() -> @invariant @builtin(position) vec4<f32> { return vec4<f32>(1.0); }\n":                                    1,
		plain + "struct O { @location(0) c: f32, @invariant @builtin(position) p: vec4<f32> }\n@vertex fn b() -> O { var o: O; return o; }": 1,
	} {
		if got := decorations(source) - decorations(strings.ReplaceAll(source, "@invariant ", "")); got != want {
			t.Errorf("%s: %d positions are invariant, want %d", source, got, want)
		}
	}
}
