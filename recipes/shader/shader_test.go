package shader

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/recipeset"
)

type options = map[string]any

// cook cooks one file of a tree. The options have the form that cook.toml sets.
func cook(t testing.TB, files map[string]string, path string, o options) recipetest.Result {
	t.Helper()
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	r := Recipe()
	c := r.New()
	for key, v := range o {
		if err := recipeset.SetOption(c, key, v); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Traits(c).Check(); err != nil {
		return recipetest.Result{Err: err}
	}
	return recipetest.Cook(t, r, c, tree, "", path)
}

func TestRecipe(t *testing.T) {
	recipetest.Check(t, Recipe(), map[string]any{
		"format": "msl", "entry": "main", "glsl_version": "330", "spirv_version": "1.6", "debug": true,
		"include_dirs": []any{"/lib"}, "defines": map[string]any{"A": "1"}, "line_directives": true, "compiler": "glslc",
		"client": "opengl", "stage": "frag", "timeout": "1s",
	})
}

func TestIncludesAreExpanded(t *testing.T) {
	for _, tc := range []struct {
		name  string
		files map[string]string
		o     options
		want  string
		deps  []string // names of dependencies; absent files have a !
	}{
		{"none", map[string]string{"s/a.frag": "#version 330\nvoid main() {}"}, nil, "#version 330\nvoid main() {}", nil},
		{"beside, above, below", map[string]string{
			"s/a.frag": "#version 330\n#include \"b.glsl\"\n  #  include  \"../x/c.glsl\" // c\nend\n",
			"s/b.glsl": "b\n#include \"d/d.glsl\"\nb2\n", "s/d/d.glsl": "#include \"../e.glsl\"\nd", "s/e.glsl": "e\n", "x/c.glsl": "c\r\n",
		}, nil, "#version 330\nb\ne\nd\nb2\nc\nend\n", []string{"../x/c.glsl", "b.glsl", "d/d.glsl", "e.glsl"}},
		{"folders", map[string]string{
			"s/a.frag": "#include <lib/l.glsl>\n#include \"m.glsl\"\n", "lib/two/lib/l.glsl": "l\n#include \"n.glsl\"\n", "lib/two/lib/n.glsl": "n\n", "lib/one/m.glsl": "m\n",
		}, options{"include_dirs": []any{"/lib/one", "/lib/two"}}, "l\nn\nm\n",
			[]string{"!/lib/one/lib/l.glsl", "/lib/one/m.glsl", "/lib/two/lib/l.glsl", "/lib/two/lib/n.glsl", "!m.glsl"}},
		{"comments", map[string]string{
			"s/a.frag": "#version 420\n/*\n#include \"no\"\n*/ // #include\n// \\\n#include \"no\"\n/* // */ int a; /*\n*/\n#define X \\\n#include \"no\"\nend\n",
		}, nil, "#version 420\n/*\n#include \"no\"\n*/ // #include\n// #include \"no\"\n\n/* // */ int a; /*\n*/\n#define X #include \"no\"\n\nend\n", nil},
		{"pragma once", map[string]string{
			"s/a.frag": "#ifdef A\n#include \"b\"\n#endif\n#include \"b\"\n", "s/b": "#pragma once\nb\n#include \"b\"\n",
		}, nil, "#ifdef A\n#ifndef COOK_INCLUDED_1\n#define COOK_INCLUDED_1\n\nb\n#endif\n#endif\n#ifndef COOK_INCLUDED_1\n#define COOK_INCLUDED_1\n\nb\n#endif\n", []string{"b"}},
		{"guards", map[string]string{
			"s/a.frag": "#include \"b\"\n#include \"b\"\n", "s/b": "// b\n#ifndef B\n#define B\n#include \"b\"\nb\n#endif\n",
		}, nil, "// b\n#ifndef B\n#define B\nb\n#endif\n// b\n#ifndef B\n#define B\nb\n#endif\n", []string{"b"}},
		{"version of an included file", map[string]string{"s/a.frag": "// c\n\n#version 450\n#include \"b\"\n", "s/b": "#version 330\nb"}, nil, "// c\n\n#version 450\n\nb\n", []string{"b"}},
		{"version of the first include", map[string]string{"s/a.frag": "// c\n\n#include \"b\"\nend\n", "s/b": "// d\n#version 330 core // e\nb\n"},
			nil, "#version 330 core\n// c\n\n// d\n\nb\nend\n", []string{"b"}},
		{"version of the first include of the first include", map[string]string{"s/a.frag": "#include \"b\"\n", "s/b": "#pragma once\n#include \"none\"\n#include \"c\"\n", "s/c": "\ufeff#version 300 es\r\nc\n", "s/none": "// n\n"},
			options{"defines": map[string]any{"A": "1"}}, "#version 300 es\n#define A 1\n#line 1 0\n#ifndef COOK_INCLUDED_1\n#define COOK_INCLUDED_1\n\n// n\n\nc\n#endif\n", []string{"b", "c", "none"}},
		{"version of an include, with lines", map[string]string{"s/a.frag": "#include \"b\"\nend\n", "s/b": "#version 120\nb\n"},
			options{"line_directives": true}, "#version 120\n// 1: b\n#line 0 0\n#line 0 1\n\nb\n#line 1 0\nend\n", []string{"b"}},
		{"defines", map[string]string{"s/a.frag": "/* c */\n#version 450\nmain\n"}, options{"defines": map[string]any{"B": "2 * x", "A": ""}},
			"/* c */\n#version 450\n#define A \n#define B 2 * x\n#line 3 0\nmain\n", nil},
		{"defines without version", map[string]string{"s/a.frag": "main\n#version 3\n"}, options{"defines": map[string]any{"A": "1"}}, "#define A 1\n#line 0 0\nmain\n#version 3\n", nil},
		{"two names of one file", map[string]string{
			"s/a.frag": "#include \"lib/b\"\n#include <lib/b>\n", "s/lib/b": "#pragma once\nb\n",
		}, options{"include_dirs": []any{"/s"}}, "#ifndef COOK_INCLUDED_1\n#define COOK_INCLUDED_1\n\nb\n#endif\n#ifndef COOK_INCLUDED_1\n#define COOK_INCLUDED_1\n\nb\n#endif\n", []string{"/s/lib/b", "lib/b"}},
		{"the source's own name", map[string]string{"s/a.frag": "#include \"source.frag\"\n", "s/source.frag": "x\n"}, nil, "x\n", []string{"source.frag"}},
		{"byte order marks", map[string]string{"s/a.frag": "\ufeff#version 330\n#include \"b\"\n", "s/b": "\ufeff#pragma once\nb\n"},
			nil, "#version 330\n#ifndef COOK_INCLUDED_1\n#define COOK_INCLUDED_1\n\nb\n#endif\n", []string{"b"}},
		{"comments that begin in a line", map[string]string{"s/a.frag": "#version 330 /* a\n b */\n#include \"b\" /* c\n d */\nint e;\n", "s/b": "#pragma once /* f\n g */ h\n"},
			options{"line_directives": true}, "#version 330 /* a\n b */\n// 1: b\n#line 3 0\n#ifndef COOK_INCLUDED_1\n#define COOK_INCLUDED_1\n#line 1 1\n\n\n#endif\n#line 5 0\nint e;\n", []string{"b"}},
		{"line ends and joined lines", map[string]string{"s/a.frag": "#version 330\r#inc\\\r\nlude \"b\"\r\n#def\\\n\\\nine X\nend\n", "s/b": "b\r"}, options{"line_directives": true},
			"#version 330\n// 1: b\n#line 2 0\n#line 1 1\nb\n#line 3 0\n\n#define X\n\n\nend\n", []string{"b"}},
		{"extensions for includes", map[string]string{"s/a.frag": "#version 450\n#extension GL_GOOGLE_include_directive : require\n#extension GL_OTHER : enable\n"},
			nil, "#version 450\n\n#extension GL_OTHER : enable\n", nil},
		{"lines before GLSL 3.30", map[string]string{"s/a.frag": "#version 120\n#include \"b\"\nend\n", "s/b": "b\n"}, options{"line_directives": true},
			"#version 120\n// 1: b\n#line 1 0\n#line 0 1\nb\n#line 2 0\nend\n", []string{"b"}},
		{"lines of OpenGL ES 3", map[string]string{"s/a.frag": "#version 300 es\nend\n"}, options{"line_directives": true}, "#version 300 es\n#line 2 0\nend\n", nil},
		{"guards by defined", map[string]string{"s/a.frag": "#include \"b\"\n", "s/b": "#if !defined(B)\n#define B\n#include \"b\"\n#endif\n"},
			nil, "#if !defined(B)\n#define B\n#endif\n", []string{"b"}},
		{"lines", map[string]string{"s/a.frag": "#version 450\n#include \"b\"\nend\n", "s/b": "b\n#include \"c\"\nb3", "s/c": "c\n"}, options{"line_directives": true},
			"#version 450\n// 1: b\n// 2: c\n#line 2 0\n#line 1 1\nb\n#line 1 2\nc\n#line 3 1\nb3\n#line 3 0\nend\n", []string{"b", "c"}},
	} {
		res := cook(t, tc.files, "s/a.frag", tc.o)
		if res.Err != nil || string(res.Outputs[0]) != tc.want {
			t.Errorf("%s: error %v\ngot  %q\nwant %q", tc.name, res.Err, res.Outputs[0], tc.want)
		}
		var deps []string
		for _, d := range res.Deps {
			if !d.Found {
				d.Name = "!" + d.Name
			}
			deps = append(deps, d.Name)
		}
		if d := cmp.Diff(tc.deps, deps); d != "" {
			t.Errorf("%s: dependencies %s", tc.name, d)
		}
	}
}

func TestErrorNamesTheLine(t *testing.T) {
	for _, tc := range []struct {
		path, source string
		o            options
		want         string
	}{
		{"a.frag", "\n#include \"gone\"\n", nil, "2:1: gone does not exist; looked for gone"},
		{"a.frag", "#include <gone>\n", nil, "1:1: <gone> is looked for in include_dirs, of which there are none"},
		{"a.frag", "#include <gone>\n", options{"include_dirs": []any{"/l"}}, "1:1: gone does not exist; looked for /l/gone"},
		{"a.frag", "int a;\n#include \"late\"\n", nil, "late:2: the #version line must come first; put it at the top of the source"},
		{"a.frag", "#include FILE\n", nil, `1:1: want #include "file" or #include <file>, have "#include FILE"`},
		{"a.frag", "#include \"../../x\"\n", nil, "1:1: dependency \"../../x\": the path is outside the asset tree"},
		{"a.frag", "#include \"self\"\n", nil, "self:2: self includes itself: self -> self"},
		{"a.frag", "#include \"chain0\"\n", nil, "includes are nested deeper than 64 files, beginning with chain0 -> chain1 -> chain2"},
		{"a.frag", "#include \"double0\"\n", nil, "the shader has more than 10000 includes"},
		{"a.frag", "", options{"include_dirs": []any{"l"}}, "include_dirs: want paths that begin at the asset directory"},
		{"a.frag", "", options{"defines": map[string]any{"1A": ""}}, "defines: want names of macros"},
		{"a.frag", "", options{"defines": map[string]any{"A": "1\n#error"}}, "defines: want names of macros"},
		{"a.frag", "", options{"compiler": "glslangValidator"}, "compiler: want format = \"spirv\""},
		{"a.frag", "", options{"format": "spirv"}, "GLSL needs an external compiler for SPIR-V"},
		{"a.frag", "", options{"format": "msl"}, "format msl needs WGSL; for GLSL, use source or spirv"},
		{"a.txt", "", nil, `the extension ".txt" names neither`},
		{"a.glsl", "", options{"format": "spirv", "compiler": "glslangValidator"}, `".glsl" does not determine the stage`},
		{"a.wgsl", "fn main( {", nil, "1:10: parse error: parsing failed with 1 error(s): expected parameter name"},
		{"a.wgsl", "\xff", nil, "1:1: byte 0xff is not UTF-8"},
		{"a.wgsl", "fn f() -> i32 {\n  return g(1);\n}", nil, "unknown function: g"},
		{"a.wgsl", strings.Repeat("(", 1000), nil, "1:201: brackets are nested deeper than 200 levels; simplify the expression"},
		{"a.wgsl", "const a: " + strings.Repeat("array<", 1000), nil, "brackets are nested deeper than 200 levels; simplify the expression"},
		{"a.wgsl", "const a = " + strings.Repeat("- ", 1000) + "1;", nil, "an expression has more than 32 operators in a row; split it"},
		{"a.wgsl", "// structs\n" + pairs("struct S%[1]d { a: S%[2]d, b: S%[2]d }\n", 40) + "alias S0 = f32;", nil, "15:8: the nested structs have more than 65536 members in total"},
		{"a.wgsl", pairs("alias A%[1]d = B%[1]d;\nstruct B%[1]d { a: A%[2]d, b: A%[2]d }", 40), nil, "the nested structs have more than"},
		{"a.wgsl", "fn f(l0: f32) -> f32 { " + pairs("let l%[1]d = l%[2]d * l%[2]d;", 40) + "return l40; }", nil, "compiling would take too long, because expressions or nested lets are too long; change one let to var"},
		{"a.wgsl", "fn f(a: f32) -> f32 { return a" + strings.Repeat("+a", 20_000) + "; }", nil, "compiling would take too long, because expressions or nested lets are too long; change one let to var"},
		{"a.wgsl", "fn f(a: vec4<f32>) -> vec4<f32> { return a" + strings.Repeat(".wzyx", 100) + "; }", nil, "compiling would take too long, because expressions or nested lets are too long; change one let to var"},
		{"a.wgsl", strings.Repeat(" ", maxWGSL+1), nil, "bytes of WGSL; the limit is"},
		{"a.wgsl", "const a = 1; override a: f32 = 2 * a;", options{"format": "spirv"}, "1:23: a is declared twice"},
		{"a.wgsl", "fn f() {}\noverride x", options{"format": "spirv"}, "2:"},
		{"a.wgsl", "const a = 1; override a: f32 = 2 * a;", nil, "the WGSL compiler crashed: stack overflow"},
		{"a.wgsl", two, options{"format": "spirv", "timeout": "1ms"}, "compiling took longer than 1ms (timeout)"},
		{"a.wgsl", two, options{"format": "glsl"}, `GLSL is written for one entry point; set entry to one of ["vs" "fs"]`},
		{"a.wgsl", "@group(0) @binding(0) var<storage, read_write> b: array<f32>; @compute @workgroup_size(1) fn main() { b[0] = 1.0; }",
			options{"format": "glsl", "glsl_version": "330"}, `GLSL 330 does not have storage buffers such as b; set glsl_version to "430" or "310 es"`},
		{"a.frag", "#include \"huge\"\n", nil, "1:1: huge: the shader has more than 4194304 bytes, the limit"},
		{"a.frag", "\n#include \"lib\\x\"\n", nil, "2:1: the name of an included file must not have backslashes; write /"},
		{"a.frag", "\n\n/*", nil, "3:1: the comment is not closed; write */"},
		{"a.frag", "\nmain\\", nil, "2:1: the file ends with a backslash, but there is no next line to join"},
		{"a.frag", "\r\r\n\x00", nil, "3:1: the shader has a zero byte"},
		{"a.frag", "#include \"open\"\n", nil, "open:2: the comment is not closed; write */"},
		{"a.frag", "#version 330\n// a \\\nint b;\n", nil, "2:1: the comment ends in a backslash, and compilers of this GLSL version disagree whether it continues; remove it"},
		{"a.frag", "/* *\\\n/ int b;\n", nil, "2:1: a backslash splits */, and compilers of this GLSL version disagree where the comment ends; remove it"},
		{"a.frag", "", options{"defines": map[string]any{"A": "1 /*"}}, "defines: want names of macros"},
		{"a.wgsl", two, options{"format": "glsl", "entry": "cs"}, `set entry to one of`},
	} {
		files := map[string]string{tc.path: tc.source, "late": "\n#version 330\n", "self": "\n#include \"self\"\n", "open": "a\n/* b", "huge": strings.Repeat(" ", maxSource+1)}
		for i := range 70 {
			files[fmt.Sprint("chain", i)] = fmt.Sprintf("#include \"chain%d\"\n// %d\n", i+1, i)
		}
		for i := range 40 {
			files["double"+string(rune('0'+i))] = strings.Repeat("#include \"double"+string(rune('1'+i))+"\"\n", 2) + "x\n"
		}
		files["double"+string(rune('0'+40))] = "x\n"
		res := cook(t, files, tc.path, tc.o)
		if res.Err == nil || !strings.Contains(res.Err.Error(), tc.want) || strings.Contains(res.Err.Error(), "\n") {
			t.Errorf("%s %.60q %v:\ngot  %v\nwant %s", tc.path, tc.source, tc.o, res.Err, tc.want)
		}
		if len(res.Outputs) > 0 && res.Outputs[0] != nil {
			t.Errorf("%s %.60q: wrote %d bytes", tc.path, tc.source, len(res.Outputs[0]))
		}
	}
}

// pairs repeats a line n times, with the numbers i+1 and i.
func pairs(line string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, line, i+1, i)
	}
	return b.String()
}

func TestLargeWGSLIsCompiled(t *testing.T) {
	for _, source := range []string{
		"struct S0 { a: f32 }\n" + pairs("struct S%[1]d { a: S%[2]d }\n", 14) + "var<private> x: S14;",
		"alias S0 = f32;" + pairs("struct S%[1]d { a: S%[2]d, b: S%[2]d, c: vec4<f32>, }\n", 12),
		"fn f() -> i32 { let a = array<i32, 20000>(1" + strings.Repeat(",1", 19_999) + "); return a[0]; }",
		"fn f(a: f32) -> f32 { return a" + strings.Repeat("+a", 2_000) + "; }",
		"fn f(v0: f32) -> f32 { " + pairs("var v%[1]d = v%[2]d * v%[2]d;", 500) + "return v500; }",
		pairs("fn f%[1]d(l0: f32) -> f32 { let l1 = l0 * l0; let l2 = l1 * l1; let l3 = l2 * l2; return l3 * %[2]d.5; }\n", 1_000),
		"struct T { t: vec4<f32> } struct S { s: array<T, 4> } @group(0) @binding(0) var<uniform> u: S; fn f(i: u32) -> f32 { return u.s[i].t.xyz.yx.x; }",
		"struct S { a: S }", "struct S { a: T } struct T { a: S }", "alias A = A;", "struct", "struct S {", "fn f() { let", "alias",
		"fn f() { ) ] } , . ) }",
	} {
		if err := tame([]byte(source)); err != nil {
			t.Errorf("%.80q: %v", source, err)
		}
	}
}

const two = `
/* the /* inner */ comment */ // ---------------------------------------------
struct Out { @builtin(position) at: vec4<f32>, @location(0) uv: vec2<f32> }

@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var smooth_: sampler;

@vertex fn vs(@builtin(vertex_index) i: u32) -> Out {
    var o: Out;
    let x = f32(i & 1u) * 2.0 - 1.0;
    o.at = vec4<f32>(x, -x, 0.0, 1.0);
    o.uv = vec2<f32>(x, x);
    return o;
}

@fragment fn fs(o: Out) -> @location(0) vec4<f32> {
    return textureSample(picture, smooth_, o.uv);
}
`

func TestWGSLIsCompiledToTheSameBytes(t *testing.T) {
	for format, want := range map[string]string{"source": two, "hlsl": "float4", "msl": "metal", "spirv": "\x03\x02\x23\x07\x00\x03\x01\x00"} {
		o := options{"format": format}
		res := cook(t, map[string]string{"a.wgsl": two}, "a.wgsl", o)
		if res.Err != nil || !bytes.Contains(res.Outputs[0], []byte(want)) {
			t.Errorf("%s: %v, %q", format, res.Err, res.Outputs[0])
		}
		for range 3 { // the iteration order of the compiler's maps must not matter
			if again := cook(t, map[string]string{"a.wgsl": two}, "a.wgsl", o); !bytes.Equal(again.Outputs[0], res.Outputs[0]) {
				t.Fatalf("%s: other bytes the second time", format)
			}
		}
	}
	for version, want := range map[string]string{"330": "#version 330 core", "300 es": "#version 300 es", "450": "#version 450 core"} {
		res := cook(t, map[string]string{"a.wgsl": two}, "a.wgsl", options{"format": "glsl", "entry": "fs", "glsl_version": version})
		if res.Err != nil || !strings.HasPrefix(string(res.Outputs[0]), want) || !strings.Contains(string(res.Outputs[0]), "texture(") {
			t.Errorf("%s: %v, %q", version, res.Err, res.Outputs[0])
		}
	}
	res := cook(t, map[string]string{"a.wgsl": two}, "a.wgsl", options{"format": "spirv", "spirv_version": "1.5"})
	if res.Err != nil || binary.LittleEndian.Uint32(res.Outputs[0][4:]) != 0x10500 {
		t.Errorf("SPIR-V 1.5: %v, %x", res.Err, res.Outputs[0][:8])
	}
}

func TestCanceledCookEndsTheChild(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := Recipe()
	tree := fstest.MapFS{"a.wgsl": &fstest.MapFile{Data: []byte(two)}, "a.frag": &fstest.MapFile{Data: []byte(strings.Repeat("x\n", 2048))}}
	for _, path := range []string{"a.wgsl", "a.frag"} {
		if res := recipetest.CookContext(ctx, t, r, r.New(), tree, "", path); res.Err == nil || !strings.Contains(res.Err.Error(), "canceled") {
			t.Errorf("%s: error %v", path, res.Err)
		}
	}
}

// A child must refuse an order of another version of the program. Text that other packages print
// before the reply must be ignored.
func TestChild(t *testing.T) {
	for _, tc := range []struct{ version, want string }{{compilerVersion(), ""}, {"0", "another file replaced this program"}} {
		var in bytes.Buffer
		if err := json.NewEncoder(&in).Encode(&order{Version: tc.version, Source: two, Format: "source", Timeout: time.Hour}); err != nil {
			t.Fatal(err)
		}
		out := bytes.NewBufferString("hello\n")
		if err := serveOrder(&in, out); err != nil {
			t.Fatal(err)
		}
		got, err := findReply(out.Bytes())
		if tc.want == "" && (err != nil || string(got.Output) != two) || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("version %q: %.20q, %v", tc.version, got, err)
		}
	}
}

// Flattening a flattened file must change nothing, and must terminate.
func FuzzFlatten(f *testing.F) {
	f.Add([]byte("#version 330\n#include \"b\"\n/*\n#include \"c\"\n*/"), []byte("#pragma once\n#include \"b\"\n"))
	f.Add([]byte("#inc\\\nlude \"b\"\r/*\\\r*/#/*\n*/include \"b\""), []byte("// \\\n//\n#pra\\\ngma once"))
	f.Add([]byte("#include \"b\"\n#include \"b\""), []byte("#ifndef B\n#define B\n#include \"b\"\n#endif"))
	f.Fuzz(func(t *testing.T, source, other []byte) {
		files := map[string]string{"a.frag": string(source), "b": string(other), "c": "c"}
		res := cook(t, files, "a.frag", nil)
		if res.Err != nil {
			if strings.Contains(res.Err.Error(), "\n") {
				t.Errorf("error of several lines: %q", res.Err)
			}
			return
		}
		if bytes.ContainsAny(res.Outputs[0], "\r\x00") || bytes.Contains(res.Outputs[0], []byte("\\\n")) {
			t.Errorf("line ends are left in %q", res.Outputs[0])
		}
		again := cook(t, map[string]string{"a.frag": string(res.Outputs[0])}, "a.frag", nil)
		if again.Err != nil || !bytes.Equal(again.Outputs[0], res.Outputs[0]) {
			t.Errorf("%q, then %q, %v", res.Outputs[0], again.Outputs[0], again.Err)
		}
	})
}

// Any source must be refused, or keep its length and its lines when overrides become constants.
func FuzzOverrides(f *testing.F) {
	f.Add([]byte("@id(1) override a: f32 = 2;\nfn f() -> f32 { return a; }"))
	f.Add([]byte("override a"))
	f.Add([]byte("enable f16;\n@builtin(position"))
	f.Fuzz(func(t *testing.T, source []byte) {
		o := order{Source: string(source), Format: "spirv"}
		if o.checkNames(withoutComments(source)) != nil || o.overridesToConstants() != nil {
			return
		}
		if len(o.Source) != len(source) || strings.Count(o.Source, "\n") != bytes.Count(source, []byte{'\n'}) {
			t.Errorf("%q became %q", source, o.Source)
		}
	})
}

// slack multiplies the limit under the race detector. There, sync.Pool drops random values, so that
// regular expressions allocate again.
var slack = 1

func TestMemoryOfNagaStaysBelowTheEstimate(t *testing.T) {
	var b strings.Builder
	for i := 0; b.Len() < 100<<10; i++ {
		fmt.Fprintf(&b, "fn shade%d(a: vec4<f32>) -> f32 { var s = 0.0; for (var i = 0; i < 4; i++) { s += a[i] * %d.5 - s; } return s; }\n", i, i)
	}
	for _, format := range []string{"spirv", "hlsl"} {
		o := order{Source: b.String(), Format: format, SPIRVVersion: "1.3"}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := o.compileOrder(); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		per := int(after.TotalAlloc-before.TotalAlloc) / b.Len()
		t.Logf("%s: %d bytes per source byte", format, per)
		if per > slack*nagaBytes {
			t.Errorf("%s: %d bytes per source byte, estimated %d", format, per, nagaBytes)
		}
	}
}
