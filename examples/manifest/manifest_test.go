// Package manifest tests programs that list a manifest. The programs in C and C++ use
// clients/c/cook.h, and the JavaScript program uses the npm package.
package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/recipes"
)

// cooked returns an output directory with n assets for two targets.
func cooked(t *testing.T, layout string, n int) string {
	t.Helper()
	dir := t.TempDir()
	project := cook.Project{Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "out"), Cache: filepath.Join(dir, "store"), Recipes: recipes.All(), IDs: true, Manifest: layout}
	names := []string{`with "quotes"`, "naïve 日本語 🎮", "<&>", "tab\tand\u2028line"}
	for i := range n - len(names) {
		names = append(names, fmt.Sprintf("%d/%d", i%17, i))
	}
	for i, name := range names {
		file := filepath.Join(project.Dir, name+".bin")
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, make([]byte, i%5000), 0o666); err != nil {
			t.Skip(err) // the system does not support these file names
		}
	}
	// The assets include a model with an image, and an atlas. Images have roles, and the atlas page
	// is an inner output.
	var page bytes.Buffer
	if err := png.Encode(&page, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"cook.toml": "[target.tv]\n", "wood.png": page.String(), "ui.sprites": "wood.png\n",
		"crate.gltf": `{"asset":{"version":"2.0"},"images":[{"uri":"wood.png"}],"textures":[{"source":0}]}`,
	} {
		if err := os.WriteFile(filepath.Join(project.Dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, targets := range [][]string{nil, {"tv"}} {
		project.Targets = targets
		if _, err := cook.Cook(t.Context(), project, cook.CookOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return project.Out
}

// listed lists the outputs in the form that the programs print.
func listed(t *testing.T, dir string) (lines []string) {
	t.Helper()
	load := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))) }
	root, err := load(manifest.Name)
	if err != nil {
		t.Fatal(err)
	}
	for a, err := range manifest.Read(root, load) {
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range a.Outputs {
			inner := ""
			if o.Inner {
				inner = "inner"
			}
			lines = append(lines, fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s", a.Source, a.Target, a.ID, o.Path, o.Size, o.BLAKE3, inner, o.Role))
		}
	}
	return lines
}

// TestOthersReadWhatPackageManifestReads compares readers in other languages with package manifest.
// It uses a manifest of one file and a manifest of parts, and validates both with the schema.
func TestOthersReadWhatPackageManifestReads(t *testing.T) {
	single, parts := cooked(t, "single", 2500), cooked(t, "parts", 2500)
	if _, err := os.Stat(filepath.Join(single, manifest.PartsDir)); err == nil {
		t.Error("the single manifest has parts")
	}
	if _, err := os.Stat(filepath.Join(parts, manifest.PartsDir)); err != nil {
		t.Error(err)
	}
	compare := func(t *testing.T, program string, args ...string) {
		for _, dir := range []string{single, parts} {
			var wrong bytes.Buffer
			run := exec.Command(program, append(args, dir)...)
			run.Stderr = &wrong
			out, err := run.Output()
			if err != nil || wrong.Len() > 0 {
				t.Fatalf("%v: %s", err, &wrong)
			}
			if want := listed(t, dir); !slices.Equal(strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"), want) || len(want) < 4990 {
				t.Errorf("%d bytes, want %d lines", len(out), len(want))
			}
		}
	}
	for _, source := range []string{"c/list.c", "cpp/list.cpp", "../../clients/c/cook.h", "js/list.mjs", "../../npm/assetcook/index.js"} {
		if _, err := os.ReadFile(source); err != nil { // makes go test run this test again after an edit of the file
			t.Fatal(err)
		}
	}
	t.Run("schema", func(t *testing.T) { checkSchema(t, single, parts) })
	t.Run("C++", func(t *testing.T) {
		gcc, err := exec.LookPath("g++")
		if err != nil {
			t.Skip("needs a compiler of C++")
		}
		program := filepath.Join(t.TempDir(), "list")
		if out, err := exec.Command(gcc, "-std=c++11", "-Wall", "-Wextra", "-Werror", "-o", program, "cpp/list.cpp").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		compare(t, program)
	})
	t.Run("C", func(t *testing.T) {
		gcc, err := exec.LookPath("gcc")
		if err != nil {
			t.Skip("needs a C compiler")
		}
		program := filepath.Join(t.TempDir(), "list")
		build := exec.Command(gcc, "-std=c99", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-o", program, "c/list.c")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		compare(t, program)
		t.Run("damaged", func(t *testing.T) { refuses(t, program, single) })
	})
	t.Run("JavaScript", func(t *testing.T) {
		node, err := exec.LookPath("node")
		if err != nil {
			t.Skip("needs node")
		}
		compare(t, node, "js/list.mjs")
	})
}

// refuses runs the C reader on prefixes of a manifest. It must never access memory outside of its
// buffers. It must fail, except if only the end of the list is missing.
func refuses(t *testing.T, program, dir string) {
	text, err := os.ReadFile(filepath.Join(dir, manifest.Name))
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	short := t.TempDir()
	for n := 0; n < 600; n += 7 {
		if err := os.WriteFile(filepath.Join(short, manifest.Name), text[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(program, short).CombinedOutput()
		if bytes.Contains(out, []byte("Sanitizer")) || bytes.Contains(out, []byte("runtime error")) {
			t.Fatalf("after %d bytes: %s", n, out)
		}
		if err != nil {
			refused++
		}
	}
	if refused < 40 {
		t.Errorf("%d beginnings are refused", refused)
	}
}

// checkSchema validates every manifest file in dirs with the schema in docs.
func checkSchema(t *testing.T, dirs ...string) {
	text, err := os.ReadFile("../../docs/manifest.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("asset:///manifest.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("asset:///manifest.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	validate := func(data []byte) error {
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			return err
		}
		return schema.Validate(v)
	}
	seen := 0
	for _, dir := range dirs {
		err := fs.WalkDir(os.DirFS(dir), ".", func(name string, _ fs.DirEntry, err error) error {
			if name != manifest.Name && !strings.HasPrefix(name, manifest.PartsDir+"/") {
				return err
			}
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return err
			}
			seen++
			return validate(data)
		})
		if err != nil {
			t.Error(err)
		}
	}
	if seen < 5 {
		t.Errorf("%d files seen", seen)
	}
	for _, wrong := range []string{
		`{}`, `{"assetcook":2}`, `{"assetcook":3,"assets":[]}`, `{"assetcook":2,"assets":[],"parts":[]}`, `{"assetcook":2,"assets":[{}]}`,
		`{"assetcook":2,"assets":[{"source":"a","outputs":[{"path":"/a","size":0,"blake3":"` + strings.Repeat("0", 64) + `"}]}]}`,
		`{"assetcook":2,"parts":[{"first":"a","path":"b"}]}`,
	} {
		if validate([]byte(wrong)) == nil {
			t.Errorf("the schema accepts %s", wrong)
		}
	}
}
