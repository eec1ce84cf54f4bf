package assetcook

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/assetcook/assetcook/"

// layers are our packages from the top down. A package imports packages of the layers
// below its own; "x/..." are x and all packages below it, which may also import each
// other. The first line that fits says where a package belongs.
var layers = [][]string{
	{"cmd/..."},
	{"proof/..."},
	{"bench/..."},
	{"recipes"},
	{"cook/cli"},
	{"cook/internal/report"},
	{"cook"},
	{"cook/internal/verify", "cook/internal/watch"},
	{"cook/internal/pass"},
	{"cook/internal/execute", "cook/internal/state"},
	{"cook/internal/plan"},
	{"cook/internal/contents", "cook/internal/restat"},
	{"cook/internal/index"},
	{"cook/internal/store", "cook/internal/scan", "cook/internal/rules", "cook/internal/lint", "cook/internal/notify", "cook/internal/peer", "cook/manifest"},
	{"cook/internal/glob"},
	{"recipes/..."},
	{"internal/audio/...", "internal/image/...", "internal/mesh/...", "internal/font/...", "internal/gltfcheck", "internal/jsontext"},
	{"cook/recipe/recipetest"},
	{"cook/recipe"},
	{"profile"},
	{"profile/..."},
	{"hashing/..."},
	{"crcslice8", "ptrhash", "intern", ""},
	{"internal/..."},
}

// apart are packages that must not import each other whatever their layers: the engine
// knows no recipe, and recipes know of it what a recipe is.
var apart = []struct{ importer, imported string }{
	{"cook/...", "recipes/..."},
	{"recipes/...", "cook/internal/..."},
	{"profile/...", "hashing/..."},
}

// pure packages decide and do nothing: neither disk nor clock.
var pure = map[string][]string{
	"cook/internal/plan":  {"os", "os/exec", "net", "syscall"},
	"cook/internal/glob":  {"os", "time", "os/exec", "net", "syscall"},
	"cook/internal/rules": {"os", "time", "os/exec", "net", "syscall"},
}

// fits reports whether a pattern of layers means a package.
func fits(pattern, pkg string) bool {
	dir, below := strings.CutSuffix(pattern, "/...")
	return pkg == dir || below && strings.HasPrefix(pkg, dir+"/")
}

// layerOf returns a package's layer and the pattern that put it there, -1 if none does.
func layerOf(pkg string) (int, string) {
	for i, layer := range layers {
		for _, pattern := range layer {
			if fits(pattern, pkg) {
				return i, pattern
			}
		}
	}
	return -1, ""
}

// mayImport reports whether one of our packages may import another.
func mayImport(pkg, imported string) bool {
	for _, a := range apart {
		if fits(a.importer, pkg) && fits(a.imported, imported) {
			return false
		}
	}
	from, family := layerOf(pkg)
	to, other := layerOf(imported)
	return from < to || from == to && family == other && strings.HasSuffix(family, "/...") ||
		from == to && strings.HasPrefix(family, "internal/") // those of media use each other
}

func TestImports(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") || isModule(name)):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		pkg := strings.TrimPrefix(path.Dir("/"+filepath.ToSlash(name)), "/")
		_, pattern := layerOf(pkg)
		if pattern == "" && pkg != "" {
			t.Errorf("package %q is in no layer; add it where it belongs", pkg)
		}
		seen[pattern] = true
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if slices.Contains(pure[pkg], imported) {
				t.Errorf("%s imports %s, but package %s is pure", name, imported, pkg)
			}
			if ours, ok := strings.CutPrefix(imported, module); ok && !mayImport(pkg, ours) {
				t.Errorf("%s imports %s, which package %q may not", name, ours, pkg)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range slices.Concat(layers...) {
		if !seen[pattern] {
			t.Errorf("the layers have %q, which does not exist", pattern)
		}
	}
}

// isModule reports whether a folder is a module of its own.
func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// The rules can refuse something.
func TestMayImport(t *testing.T) {
	for _, tt := range []struct {
		pkg, imported string
		want          bool
	}{
		{"cook", "cook/internal/pass", true},
		{"cook/internal/pass", "cook", false},
		{"cook/internal/plan", "cook/internal/execute", false},
		{"cook/internal/verify", "cook/internal/watch", false},
		{"cook", "recipes/image", false},
		{"recipes/image", "cook/internal/plan", false},
		{"recipes/image", "cook/recipe", true},
		{"cook/recipe", "recipes/image", false},
		{"internal/mesh/model", "internal/gltfcheck", true},
		{"internal/mapped", "internal/image/tga", false},
		{"proof/faults", "proof/oracle", true},
		{"proof/faults", "cmd/cook", false},
		{"hashing", "crcslice8", true},
		{"crcslice8", "hashing", false},
	} {
		if got := mayImport(tt.pkg, tt.imported); got != tt.want {
			t.Errorf("%s imports %s: %v", tt.pkg, tt.imported, got)
		}
	}
}
