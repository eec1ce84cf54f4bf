package shader

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// spellings are ways to write #include "FILE". A compiler that expands includes itself accepts most
// of them.
var spellings = []string{
	`#include "FILE"`,
	`#include <FILE>`,
	"  #\tinclude\t\"FILE\"  // why",
	"int a;\r#include \"FILE\"\rint b;",
	"int a;\r\n#include \"FILE\"\r\nint b;",
	"int a;\n\r#include \"FILE\"\n\r",
	"#inc\\\nlude \"FILE\"",
	"#inc\\\r\nlude \"FILE\"",
	"#inc\\\rlude \"FILE\"",
	"#\\\ninclude \"FILE\"",
	"\\\n#include \"FILE\"",
	"\\\n\\\n#\\\n\\\ni\\\nn\\\nc\\\nl\\\nu\\\nd\\\ne \"FILE\"",
	"#include\\\n \"FILE\"",
	"#include \\\n\"FILE\"",
	"#include \"FILE\\\n\"",
	"#include \"FILE\"\\\n",
	"/**/#include \"FILE\"",
	"#/**/include \"FILE\"",
	"#include/**/\"FILE\"",
	"#include \"FILE\"/**/",
	"/*\n*/#include \"FILE\"",
	"/*\r*/ # /*\r*/ include \"FILE\"",
	"#/*\n*/include \"FILE\"",
	"#/*\\\n*/include \"FILE\"",
	"#include/*\n*/\"FILE\"",
	"int a; /*\n*/ #include \"FILE\"",
	"/\\\n* c *\\\n/ #include \"FILE\"",
	"/* *\\\n/ // */ #include \"FILE\"",
	"/* *\\\n/ #include \"FILE\" //*/",
	"// c \\\n#include \"FILE\"",
	"// c \\\r#include \"FILE\"",
	"/\\\n/ c \\\n#include \"FILE\"",
	"// c \\\\\n#include \"FILE\"",
	"// c \\ \n#include \"FILE\"",
	"/* // */ #include \"FILE\"",
	"// /*\n#include \"FILE\"\n// */",
	"/*/ */ #include \"FILE\"",
	"#if 0\n#else\n#include \"FILE\"\n#endif",
	"#define X /\nX* \n#include \"FILE\"\n//*/",
	"#define X #\nX include \"FILE\"",
	"#define include include\n#include \"FILE\"",
	"#define Y \"FILE\"\n#include Y",
	"\"/*\"\n#include \"FILE\"\n//*/",
	"\"\\\" /*\"\n#include \"FILE\"\n//*/",
	"\"//\"\r#include \"FILE\"",
	"\"\n#include \"FILE\"",
	"'\"'\n#include \"FILE\"",
	"'/*'\n#include \"FILE\"\n//*/",
	"#error \" /*\n#include \"FILE\"\n//*/",
	"#line 7 \"/*\"\n#include \"FILE\"\n//*/",
	"\v#include \"FILE\"",
	"\f#include \"FILE\"",
	"#\vinclude \"FILE\"",
	"\x00\n#include \"FILE\"",
	"\x1a\n#include \"FILE\"",
	"\ufeff#include \"FILE\"",
	"\u2028#include \"FILE\"",
	"\u0085#include \"FILE\"",
	"??=include \"FILE\"",
	"#inc??/\nlude \"FILE\"",
	"%:include \"FILE\"",
	"#include_next \"FILE\"",
	"#import \"FILE\"",
	"#pragma include \"FILE\"",
	"#include \"open\"\n// */ #include \"FILE\"",
	"#include \"ends\"\nlude \"FILE\"",
	"#include \"includes\"",
	"#include \"a\\\"\n#include \"FILE\"",
	"#include \"FILE",
	"#include <FILE\n>",
}

// The compiler must not open a file outside of the tree, however an include is written.
func TestCompilerReadsNoFile(t *testing.T) {
	compiler, err := exec.LookPath("glslangValidator")
	if err != nil {
		t.Skip("glslangValidator is not installed")
	}
	outside := filepath.Join(t.TempDir(), "planted")
	if err := os.WriteFile(outside, []byte("#error PLANTED\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	up := strings.Repeat("../", 40) + strings.TrimPrefix(filepath.ToSlash(outside), "/")
	const enable = "#extension GL_GOOGLE_include_directive : enable\n"
	for _, version := range []string{"310 es", "450"} {
		var sources, flat []string
		for i, s := range slices.Concat(spellings, []string{"#include \"" + outside + `"`}) {
			s = strings.ReplaceAll(s, "FILE", up)
			// The line is split by a backslash, so that flattening does not recognize a directive
			// to drop.
			source := "#version " + version + "\n" + strings.Replace(enable, "n", "n\\\n", 1) + s + "\nvoid main() {}\n"
			sources = append(sources, source)
			dir := t.TempDir()
			for path, text := range map[string]string{
				"a.frag": source, "open": "/* open", "ends": "#inc\\", "includes": "#inc\\\nlude \"" + up + "\"\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			r := Recipe()
			c := r.New().(*shaderOptions)
			c.Format, c.Compiler = "spirv", "glslangValidator"
			res := recipetest.Cook(t, r, c, os.DirFS(dir), dir, "a.frag")
			if res.Err != nil && strings.Contains(res.Err.Error(), "PLANTED") {
				t.Errorf("%s: %q: the compiler has read the planted file: %v", version, spellings[i], res.Err)
			}
			// Other programs that use the flattened source might expand includes too.
			c.Format, c.Compiler = "source", ""
			res = recipetest.Cook(t, r, c, os.DirFS(dir), dir, "a.frag")
			flat = append(flat, strings.Replace(string(res.Outputs[0]), "\n", "\n"+enable, 1))
		}
		for i, read := range compilerReads(t, compiler, flat) {
			if read {
				t.Errorf("%s: an include is left in %q", version, flat[i])
			}
		}
		// Unless the compiler reads many files by itself, the test proves nothing.
		read := 0
		for _, r := range compilerReads(t, compiler, sources) {
			if r {
				read++
			}
		}
		if t.Logf("%s: in %d of %d spellings the compiler by itself reads the planted file", version, read, len(sources)); read < 30 {
			t.Errorf("%s: only %d do", version, read)
		}
	}
}

// compilerReads reports for each source whether the compiler itself opens the planted file.
func compilerReads(t *testing.T, compiler string, sources []string) []bool {
	t.Helper()
	dir := t.TempDir()
	files := make([]string, len(sources))
	for i, source := range sources {
		files[i] = filepath.Join(dir, fmt.Sprint(i, ".frag"))
		if err := os.WriteFile(files[i], []byte(source), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// The compiler prints the name of each file before it compiles the file.
	said, _ := exec.Command(compiler, append([]string{"-V", "-o", filepath.Join(dir, "out.spv")}, files...)...).CombinedOutput()
	read, at := make([]bool, len(sources)), -1
	for line := range strings.Lines(string(said)) {
		if i := slices.Index(files, strings.TrimSpace(line)); i >= 0 {
			at = i
		} else if at >= 0 && strings.Contains(line, "PLANTED") {
			read[at] = true
		}
	}
	if at < 0 {
		t.Fatalf("the compiler compiled no file: %.500s", said)
	}
	return read
}

// Each error must have the right line, for all line endings and joined lines.
func TestCompilerErrorHasTheRightLine(t *testing.T) {
	if _, err := exec.LookPath("glslangValidator"); err != nil {
		t.Skip("glslangValidator is not installed")
	}
	dir := t.TempDir()
	for _, tc := range []struct{ before, want string }{
		{"#version 450\n\n", "3:1: "},
		{"#version 450\r\r", "3:1: "},
		{"#version 450\r\n\r\n", "3:1: "},
		{"#version 450\n#define X \\\n 1 \\\n 2\n", "5:1: "},
		{"#version 450\n// \\\n // \\\n c\n", "5:1: "},
		{"#version 450\n/* a\n b */\n", "4:1: "},
		{"#version 450\n/* a\n b */ ", "3:1: "},
		{"#version 450\nint a; /*\n\n*/ ", "4:1: "},
		{"#version 450 /*\n*/\n", "3:1: "},
		{"#version 450\n#define /*\n*/ X /*\n*/\n", "5:1: "},
		{"/*\n*/\n#version 450\n#include \"b\"\n", "5:1: "},
		{"#version 450\n#include \"b\" /* c\n */\n", "4:1: "},
		{"#version 450\n#include \"c\"\n", "c:4: "},
		{"#version 320 es\nprecision highp float;\n#include \"b\"\n", "4:1: "},
	} {
		files := map[string]string{"a.frag": tc.before + "wrong;\nvoid main() {}\n", "b": "int q; \\\n/* */\n", "c": "\r\\\r/* \\\r*/ wrong;"}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		r := Recipe()
		c := r.New()
		if err := errors.Join(recipeset.SetOption(c, "format", "spirv"), recipeset.SetOption(c, "compiler", "glslangValidator")); err != nil {
			t.Fatal(err)
		}
		res := recipetest.Cook(t, r, c, os.DirFS(dir), dir, "a.frag")
		if res.Err == nil || !strings.HasPrefix(res.Err.Error(), tc.want) {
			t.Errorf("%q: got %v, want %q", tc.before, res.Err, tc.want)
		}
	}
}

// A warning of the compiler must become a warning of the run, with the name of the file.
func TestWarningsOfTheCompilerArePassedOn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the compiler of this test is a shell script")
	}
	dir := t.TempDir()
	compiler := filepath.Join(dir, "compiler")
	script := "#!/bin/sh\necho source.frag\necho \"WARNING: 1:2: '#extension' : extension not supported: GL_NO\"\necho x >\"$5\"\n"
	for name, text := range map[string]string{"compiler": script, "a.frag": "#version 450\n#include \"lib.glsl\"\n", "lib.glsl": "\n#extension GL_NO : enable\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	r := Recipe()
	c := r.New().(*shaderOptions)
	c.Format, c.Compiler = "spirv", compiler
	res := recipetest.Cook(t, r, c, os.DirFS(dir), dir, "a.frag")
	if want := []string{"lib.glsl:2: '#extension' : extension not supported: GL_NO"}; res.Err != nil || !slices.Equal(res.Warned, want) {
		t.Errorf("error %v, warnings %q, want %q", res.Err, res.Warned, want)
	}
}
