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

// mayImport says which of our packages each package may import, tests aside.
// Imports run downward only: a package stands above all that it imports.
// "internal/..." may be imported by anyone and import nothing of ours that is not
// listed.
var mayImport = map[string][]string{
	"":                 nil,
	"crcslice8":        nil,
	"ptrhash":          nil,
	"intern":           nil,
	"hashing":          {"crcslice8"},
	"hashing/hashtest": nil,
	"bench":            {"crcslice8", "hashing", "intern", "ptrhash"},
	"bench/bc7":        {"cook/recipe/image/bc7"},
	"bench/chart":      nil,
	"bench/conformance": {"cook/recipe", "cook/recipe/audio/source", "cook/recipe/builtin", "cook/recipe/data", "cook/recipe/image/source",
		"cook/recipe/mesh"},
	"bench/nullrun":                nil,
	"bench/nullrun/limits/golimit": nil,
	"bench/peers":                  {"cook/recipe/image/pixmap"},
	"bench/readers/pictures":       {"bench/peers", "cook/recipe/image/pixmap", "cook/recipe/image/source"},
	"bench/readers/textures": {"cook/recipe/image/dds", "cook/recipe/image/ktx2", "cook/recipe/image/pixmap", "cook/recipe/image/texenc",
		"cook/recipe/image/texture"},
	"cook/scan":                 nil,
	"cook/lint":                 {"cook/recipe"},
	"profile":                   {"profile/counters", "profile/events", "profile/memory"},
	"profile/counters":          {"intern"},
	"profile/events":            {"intern"},
	"profile/events/export":     {"profile/events"},
	"bench/triptych":            {"cook/recipe/image/bc7", "cook/recipe/image/pixmap", "cook/recipe/image/source"},
	"bench/traceread":           {"profile/events", "profile/events/export"},
	"profile/memory":            {"intern", "ptrhash"},
	"cook/recipe":               nil,
	"bench/readers/audiodecode": {"cook/recipe/audio/source"},
	"cook/recipe/audio": {"cook/recipe", "cook/recipe/audio/loudness", "cook/recipe/audio/ogg", "cook/recipe/audio/opus", "cook/recipe/audio/pcm",
		"cook/recipe/audio/qoa", "cook/recipe/audio/resample", "cook/recipe/audio/source", "cook/recipe/audio/detmath", "cook/recipe/audio/wav"},
	"cook/recipe/audio/vorbiscomment": {"cook/recipe/audio/pcm"},
	"cook/recipe/audio/flac":          {"cook/recipe/audio/vorbiscomment", "cook/recipe/audio/pcm"},
	"cook/recipe/audio/loudness":      {"cook/recipe/audio/pcm", "cook/recipe/audio/detmath"},
	"cook/recipe/audio/mp3":           {"cook/recipe/audio/pcm", "cook/recipe/audio/detmath"},
	"cook/recipe/audio/ogg":           {"crcslice8"},
	"cook/recipe/audio/pcm":           nil,
	"cook/recipe/audio/resample":      {"cook/recipe/audio/pcm", "cook/recipe/audio/detmath"},
	"cook/recipe/audio/source": {"cook/recipe", "cook/recipe/audio/flac", "cook/recipe/audio/mp3", "cook/recipe/audio/ogg",
		"cook/recipe/audio/pcm", "cook/recipe/audio/vorbis", "cook/recipe/audio/wav"},
	"cook/recipe/audio/detmath": nil,
	"cook/recipe/audio/vorbis":  {"cook/recipe/audio/vorbiscomment", "cook/recipe/audio/ogg", "cook/recipe/audio/pcm", "cook/recipe/audio/detmath"},
	"bench/readers/audiofiles":  {"cook/recipe/audio/opus", "cook/recipe/audio/pcm", "cook/recipe/audio/qoa", "cook/recipe/audio/wav"},
	"cook/recipe/audio/adpcm":   nil,
	"cook/recipe/audio/opus":    {"cook/recipe/audio/ogg", "cook/recipe/audio/pcm"},
	"cook/recipe/audio/qoa":     {"cook/recipe/audio/pcm"},
	"cook/recipe/audio/wav":     {"cook/recipe", "cook/recipe/audio/adpcm", "cook/recipe/audio/pcm"},
	"cook/recipe/builtin":       {"cook/recipe", "cook/recipe/jsoncheck", "cook/recipe/gltfcheck"},
	"cook/recipe/data":          {"cook/recipe", "cook/recipe/jsoncheck"},
	"cook/recipe/text":          {"cook/recipe", "cook/recipe/jsoncheck"},
	"cook/recipe/shader":        {"cook/recipe", "cook/recipe/builtin", "cook/recipe/jsoncheck"},
	"cook/recipe/jsoncheck":     nil,
	"cook/recipe/font": {"cook/recipe", "cook/recipe/font/field", "cook/recipe/font/kerning", "cook/recipe/image/ktx2",
		"cook/recipe/image/texture"},
	"cook/recipe/font/field":   nil,
	"cook/recipe/font/kerning": nil,
	"cook/recipe/gltfcheck":    {"cook/recipe", "cook/recipe/jsoncheck"},
	"cook/recipe/image": {"cook/recipe", "cook/recipe/image/dds", "cook/recipe/image/ktx2", "cook/recipe/image/pixmap",
		"cook/recipe/image/source", "cook/recipe/image/texenc", "cook/recipe/image/texture"},
	"cook/recipe/image/imagetest":    nil,
	"cook/recipe/image/bc7":          nil,
	"cook/recipe/image/dds":          {"cook/recipe/image/texture"},
	"cook/recipe/image/ktx2":         {"cook/recipe/image/texture"},
	"cook/recipe/image/texenc":       {"cook/recipe/image/bc7", "cook/recipe/image/pixmap", "cook/recipe/image/texture"},
	"cook/recipe/image/texture":      nil,
	"cook/recipe/image/pixmap":       nil,
	"cook/recipe/image/tga":          nil,
	"cook/recipe/image/hdr":          {"cook/recipe/image/portablemath"},
	"cook/recipe/image/portablemath": nil,
	"cook/recipe/image/qoi":          nil,
	"cook/recipe/image/tiff":         {"cook/recipe/image/pixmap"},
	"cook/recipe/image/source": {"cook/recipe", "cook/recipe/image/hdr", "cook/recipe/image/pixmap",
		"cook/recipe/image/portablemath", "cook/recipe/image/qoi", "cook/recipe/image/tga", "cook/recipe/image/tiff"},
	"cook/recipe/mesh": {"cook/recipe", "cook/recipe/gltfcheck", "cook/recipe/mesh/model", "cook/recipe/mesh/obj",
		"cook/recipe/mesh/optimize", "cook/recipe/mesh/quantize", "cook/recipe/mesh/simplify", "cook/recipe/mesh/tangent"},
	"cook/recipe/mesh/model":             {"cook/recipe/gltfcheck"},
	"cook/recipe/mesh/obj":               nil,
	"cook/recipe/mesh/quantize":          nil,
	"cook/recipe/mesh/optimize":          nil,
	"cook/recipe/mesh/optimize/meshtest": nil,
	"cook/recipe/mesh/simplify":          {"cook/recipe/mesh/optimize"},
	"cook/recipe/mesh/tangent":           {"cook/recipe/mesh/optimize"},
	"cook/recipe/recipetest":             {"cook/recipe"},
	"cook/store":                         {"hashing"},
	"cook/index":                         {"cook/scan", "cook/store", "hashing"},
	"cook/survey":                        {"cook/index", "cook/scan", "cook/store", "hashing"},
	"cook/rules":                         {"cook/recipe"},
	"cook/manifest":                      {"hashing"},
	"cook/cooktest":                      {"cook", "cook/manifest", "cook/report", "cook/run", "cook/scan", "profile/counters"},
	"cook/damagesweep":                   {"cook", "cook/cooktest", "cook/report", "cook/run"},
	"cook/faultsweep":                    {"cook/cooktest", "cook/manifest"},
	"cook/sweep":                         {"cook/index", "cook/scan", "hashing"},
	"cook/watch":                         nil,
	"cook/plan":                          {"cook/index", "cook/manifest", "cook/recipe", "cook/rules", "cook/store", "cook/survey", "hashing"},
	"cook/run": {"cook/index", "cook/plan", "cook/recipe", "cook/scan", "cook/store", "cook/survey", "hashing",
		"profile", "profile/events", "profile/memory"},
	"cook/report": {"cook/index", "cook/plan", "cook/run"},
	"cook": {"cook/index", "cook/lint", "cook/manifest", "cook/plan", "cook/recipe", "cook/recipe/audio", "cook/recipe/builtin", "cook/recipe/data", "cook/recipe/font",
		"cook/recipe/image", "cook/recipe/mesh", "cook/recipe/shader", "cook/recipe/text", "cook/report",
		"cook/rules", "cook/run", "cook/scan", "cook/store", "cook/survey", "cook/sweep", "cook/watch", "hashing",
		"profile", "profile/counters", "profile/events"},
	"bench/reliability": {"bench/peers", "cook", "cook/cooktest", "cook/damagesweep", "cook/faultsweep", "cook/recipe", "cook/recipe/audio",
		"cook/recipe/audio/ogg", "cook/recipe/audio/pcm", "cook/recipe/audio/wav", "cook/recipe/builtin", "crcslice8",
		"cook/recipe/image", "cook/recipe/image/imagetest", "cook/recipe/image/ktx2", "cook/recipe/image/source", "cook/recipe/image/texture", "cook/recipe/mesh", "cook/recipe/mesh/model",
		"cook/recipe/shader", "cook/report", "cook/scan"},
	"internal/at":       {"internal/lease", "internal/regular"},
	"internal/confine":  {"internal/pathname", "internal/regular"},
	"internal/mapped":   {"internal/regular"},
	"internal/lease":    nil,
	"internal/pathname": nil,
	"internal/regular":  nil,
	"cmd/cook": {"cook", "cook/recipe", "cook/report",
		"profile", "profile/counters", "profile/events", "profile/events/export", "profile/memory"},
	"cmd/hashsum": {"hashing"},
}

// pure packages decide and do nothing: neither disk nor clock.
var pure = map[string][]string{
	"cook/plan":  {"os", "time", "os/exec", "net", "syscall"},
	"cook/rules": {"os", "time", "os/exec", "net", "syscall"},
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
		allowed, listed := mayImport[pkg]
		if !listed && !strings.HasPrefix(pkg, "internal/") {
			t.Errorf("package %q is not in the table; add it where it belongs", pkg)
		}
		seen[pkg] = true
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if slices.Contains(pure[pkg], imported) {
				t.Errorf("%s imports %s, but package %s is pure", name, imported, pkg)
			}
			ours, ok := strings.CutPrefix(imported, module)
			if !ok {
				continue
			}
			if strings.HasPrefix(ours, "internal/") && !strings.HasPrefix(pkg, "internal/") {
				continue
			}
			if !slices.Contains(allowed, ours) {
				t.Errorf("%s imports %s, which package %q may not", name, ours, pkg)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range mayImport {
		if !seen[pkg] {
			t.Errorf("the table has %q, which does not exist", pkg)
		}
	}
}

// isModule reports whether a folder is a module of its own.
func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// The table itself must have no circle.
func TestImportTableRunsDownward(t *testing.T) {
	var visit func(pkg string, above []string)
	visit = func(pkg string, above []string) {
		if slices.Contains(above, pkg) {
			t.Fatalf("circle: %v", append(above, pkg))
		}
		for _, below := range mayImport[pkg] {
			if _, ok := mayImport[below]; !ok {
				t.Errorf("%q may import %q, which is not in the table", pkg, below)
			}
			visit(below, append(above, pkg))
		}
	}
	for pkg := range mayImport {
		visit(pkg, nil)
	}
}
