package assetcook

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/assetcook/assetcook/"

// layers are this module's packages from top to bottom. A package may import packages of lower
// layers. The pattern "x/..." means x and all packages below it, which may also import each other.
// The first matching line determines the layer of a package.
var layers = [][]string{
	{"cmd/..."},
	{"examples/...", "docs/..."},
	{"proof/..."},
	{"internal/proof/..."},
	{"bench/..."},
	{"recipes"},
	{"cook/cli/..."},
	{"cook/internal/serve"},
	{"cook/reload", "cook/internal/inspect"},
	{"cook/internal/report/...", "cook/internal/scenario"},
	{"cook/internal/likeness"},
	{"cook"},
	{"cook/internal/clean", "cook/internal/explain", "cook/internal/push", "cook/internal/snapshot"},
	{"cook/internal/export"},
	{"cook/internal/verify", "cook/internal/watch", "cook/internal/survey", "cook/internal/runaction"},
	{"cook/internal/pass"},
	{"cook/internal/commit", "cook/internal/lint", "cook/internal/stats"},
	{"cook/internal/todo"},
	{"cook/internal/changes"},
	{"cook/internal/session", "cook/internal/tools"},
	{"cook/internal/execute", "cook/internal/state"},
	{"cook/internal/remote/broker"},
	{"cook/internal/lookup"},
	{"cook/internal/place"},
	{"cook/internal/cookone"},
	{"cook/internal/artifacts"},
	{"cook/internal/plan"},
	{"cook/internal/contents", "cook/internal/restat", "cook/internal/index/multiply"},
	{"cook/internal/index", "cook/internal/bulk", "cook/internal/eventstream"},
	{"cook/internal/feed", "cook/internal/gitdiff", "cook/internal/project", "cook/internal/remote/..."},
	{"cook/internal/store", "cook/internal/scan", "cook/internal/rules", "cook/internal/notify", "cook/internal/peer"},
	{"cook/internal/engine", "cook/internal/glob", "cook/internal/hashname", "cook/internal/ids", "cook/internal/statedir"},
	{"recipes/..."},
	{"internal/audio/...", "internal/image/...", "internal/mesh/...", "internal/font/...", "internal/jsontext"},
	{"cook/recipe/recipetest"},
	{"internal/jobs"},
	{"internal/recipeset"},
	{"cook/recipe"},
	{"internal/jobenv"},
	{"cook/manifest", "cook/pak"},
	{"cook/internal/manifest"},
	{"profile"},
	{"profile/..."},
	{"hashing/..."},
	{"internal/audio/...", "internal/image/...", "internal/mesh/...", "internal/font/...", "internal/jsontext"},
	{"crcslice8", "ptrhash", "intern", ""},
	{"internal/..."},
}

// apart are packages that must not import each other, whatever their layers. The engine must not
// know recipes, and recipes may use only the engine's public packages.
var apart = []struct{ importer, imported string }{
	{"cook/...", "recipes/..."},
	{"recipes/...", "cook/internal/..."},
	{"profile/...", "hashing/..."},
}

// edges lists the imports between packages of the engine, the recipes and the proofs, for all
// systems and without tests. A new import must show up as a new line in a diff.
const edges = `
cook/cli/internal/cmdline: cook cook/internal/engine cook/internal/glob cook/internal/manifest cook/internal/report cook/internal/rules cook/internal/session cook/recipe internal/frontend internal/nearest internal/pathname
cook/cli/internal/mcp: cook cook/cli/internal/cmdline cook/internal/survey internal/frontend internal/pathname internal/version
cook/cli/internal/query: cook cook/cli/internal/cmdline cook/internal/explain cook/internal/glob cook/internal/ids cook/internal/likeness cook/internal/manifest cook/internal/plan cook/internal/remote cook/internal/remote/process cook/internal/remote/share cook/internal/report cook/internal/report/overview cook/internal/rules cook/internal/scan cook/internal/session cook/internal/snapshot cook/internal/state cook/internal/store cook/internal/survey cook/recipe internal/atomicfile internal/busyfile internal/confine internal/diagnosis internal/frontend internal/human internal/nearest internal/pathname internal/recipeset internal/regular internal/texttable profile/view/command
cook/cli/internal/run: cook cook/cli/internal/cmdline cook/cli/internal/setup cook/cli/internal/viewer cook/internal/report cook/internal/rules cook/internal/serve cook/internal/session cook/internal/state cook/internal/statedir cook/internal/survey cook/internal/verify cook/internal/watch internal/atomicfile internal/busyfile internal/frontend internal/human internal/nearest internal/pathname internal/socket internal/sysmem profile profile/counters profile/events profile/events/export profile/guid profile/memory
cook/cli/internal/setup: cook cook/cli/internal/cmdline cook/internal/engine cook/internal/likeness cook/internal/report cook/internal/rules cook/internal/scan cook/internal/survey cook/recipe internal/atomicfile internal/busyfile internal/confine internal/frontend internal/human internal/image/pixmap internal/image/role internal/image/source internal/nearest internal/pathname internal/recipeset
cook/cli/internal/tools: cook cook/cli/internal/cmdline cook/internal/glob cook/internal/push cook/internal/remote cook/internal/remote/dircache cook/internal/remote/process cook/internal/rules cook/internal/scenario cook/internal/session cook/pak hashing internal/atomicfile internal/busyfile internal/frontend internal/human internal/pathname internal/smokerun profile/events/command profile/guid profile/smoke
cook/cli/internal/upkeep: cook cook/cli/internal/cmdline cook/internal/export cook/internal/manifest cook/internal/plan cook/internal/remote cook/internal/remote/process cook/internal/remote/share cook/internal/rules cook/internal/session cook/internal/snapshot cook/internal/store cook/internal/survey internal/frontend internal/human internal/pathname
cook/cli/internal/viewer: cook cook/cli/internal/cmdline cook/internal/inspect cook/internal/survey cook/reload internal/child internal/frontend profile/events profile/view profile/view/command
cook/cli: cook cook/cli/internal/cmdline cook/cli/internal/mcp cook/cli/internal/query cook/cli/internal/run cook/cli/internal/setup cook/cli/internal/tools cook/cli/internal/upkeep cook/cli/internal/viewer cook/internal/engine cook/internal/remote cook/internal/remote/process cook/internal/runaction cook/internal/scan cook/recipe internal/frontend internal/manpage internal/nearest internal/recipeset internal/version profile/events/command
cook/internal/artifacts: cook/internal/contents cook/internal/glob cook/internal/hashname cook/internal/index cook/internal/plan cook/internal/store cook/manifest hashing internal/dependency internal/pathname
cook/internal/bulk: cook/internal/scan hashing internal/confine internal/dirfd internal/parallel
cook/internal/changes: cook/internal/contents cook/internal/execute cook/internal/index cook/internal/plan cook/internal/restat cook/internal/rules cook/internal/scan cook/internal/session cook/internal/tools internal/dependency internal/program
cook/internal/clean: cook/internal/index cook/internal/plan cook/internal/session cook/internal/state cook/internal/store cook/internal/watch internal/busyfile internal/confine internal/pathname
cook/internal/commit: cook/internal/changes cook/internal/contents cook/internal/execute cook/internal/hashname cook/internal/index cook/internal/plan cook/internal/restat cook/internal/scan cook/internal/session cook/internal/state cook/internal/todo hashing internal/confine internal/dependency internal/pathname
cook/internal/contents: cook/internal/bulk cook/internal/index cook/internal/scan cook/internal/store cook/recipe hashing internal/confine internal/dependency internal/lease internal/parallel internal/pathname internal/regular
cook/internal/cookone: cook/internal/artifacts cook/internal/bulk cook/internal/contents cook/internal/glob cook/internal/hashname cook/internal/index cook/internal/plan cook/internal/scan cook/internal/store cook/manifest cook/recipe hashing internal/confine internal/dependency internal/dirfd internal/fastclock internal/jobenv internal/jobs internal/lease internal/parallel internal/pathname internal/regular profile profile/events profile/memory
cook/internal/engine:
cook/internal/eventstream: cook/internal/feed hashing
cook/internal/execute: cook/internal/artifacts cook/internal/bulk cook/internal/contents cook/internal/cookone cook/internal/index cook/internal/lookup cook/internal/place cook/internal/plan cook/internal/remote cook/internal/remote/broker cook/internal/store hashing internal/confine internal/dependency internal/human internal/jobs internal/parallel internal/pathname profile
cook/internal/explain: cook/internal/contents cook/internal/index cook/internal/pass cook/internal/plan cook/internal/session cook/internal/state cook/internal/survey cook/internal/todo cook/internal/watch internal/confine internal/dependency internal/human internal/pathname profile/guid
cook/internal/export: cook/internal/manifest hashing internal/atomicfile internal/confine internal/parallel internal/pathname internal/reflink
cook/internal/feed: cook/internal/peer hashing
cook/internal/gitdiff: internal/pathname
cook/internal/glob:
cook/internal/hashname: hashing
cook/internal/ids: internal/pathname internal/regular
cook/internal/index/multiply: cook/internal/index cook/internal/scan
cook/internal/index: cook/internal/scan cook/internal/store hashing internal/dependency profile/guid
cook/internal/inspect: cook/internal/execute cook/internal/glob cook/internal/likeness cook/internal/report/overview cook/internal/store cook/internal/survey cook/recipe internal/audio/loudness internal/audio/ogg internal/audio/opus internal/audio/pcm internal/audio/qoa internal/audio/source internal/audio/vorbiscomment internal/audio/wav internal/child internal/confine internal/image/cooked internal/image/pixmap internal/image/texture internal/mesh/drawn internal/pathname internal/recipeset internal/webjson profile/view
cook/internal/likeness: cook/internal/scan cook/internal/store cook/internal/survey cook/recipe hashing internal/confine internal/image/cooked internal/image/pixmap internal/image/source internal/image/texture internal/recipeset
cook/internal/lint: cook/internal/changes cook/internal/execute cook/internal/index cook/internal/plan cook/internal/rules cook/internal/scan cook/internal/session cook/internal/todo cook/recipe hashing internal/parallel internal/pathname internal/recipeset
cook/internal/lookup: cook/internal/artifacts cook/internal/bulk cook/internal/contents cook/internal/cookone cook/internal/index cook/internal/place cook/internal/plan cook/internal/remote cook/internal/store internal/confine internal/dependency internal/jobenv internal/recipeset profile
cook/internal/manifest: hashing
cook/internal/notify:
cook/internal/pass: cook/internal/changes cook/internal/commit cook/internal/contents cook/internal/cookone cook/internal/execute cook/internal/index cook/internal/lint cook/internal/plan cook/internal/session cook/internal/stats cook/internal/store cook/internal/todo cook/recipe internal/recipeset profile/guid
cook/internal/peer: internal/socket
cook/internal/place: cook/internal/bulk cook/internal/contents cook/internal/cookone cook/internal/index cook/internal/plan cook/internal/scan cook/internal/statedir cook/internal/store hashing internal/busyfile internal/confine internal/pathname profile
cook/internal/plan: cook/internal/contents cook/internal/hashname cook/internal/index cook/internal/manifest cook/internal/rules cook/internal/store cook/recipe hashing internal/dependency internal/jobs internal/pathname internal/program internal/recipeset
cook/internal/project: cook/internal/rules cook/internal/scan internal/pathname internal/regular
cook/internal/push: cook/internal/index cook/internal/lookup cook/internal/remote cook/internal/session cook/internal/store internal/advice internal/recipeset
cook/internal/remote/broker: cook/internal/contents cook/internal/cookone cook/internal/index cook/internal/lookup cook/internal/plan cook/internal/remote cook/internal/store cook/recipe hashing internal/confine internal/dependency internal/human internal/jobs internal/parallel internal/pathname internal/regular internal/sysidle profile
cook/internal/remote/bucket: cook/internal/remote/share cook/internal/remote/webcache internal/pathname
cook/internal/remote/dircache: cook/internal/remote/messages cook/internal/remote/share internal/atomicfile internal/busyfile internal/confine internal/pathname internal/regular
cook/internal/remote/messages:
cook/internal/remote/process: cook/internal/remote/bucket cook/internal/remote/dircache cook/internal/remote/messages cook/internal/remote/reapi cook/internal/remote/share cook/internal/remote/webcache cook/internal/rules cook/internal/store hashing internal/frontend internal/human internal/pathname internal/texttable profile/guid
cook/internal/remote/reapi: cook/internal/remote/messages cook/internal/remote/share internal/pathname
cook/internal/remote/remotetest: internal/faultlink
cook/internal/remote/share: cook/internal/remote cook/internal/remote/messages cook/internal/store hashing internal/busyfile internal/human internal/pathname internal/regular profile/guid
cook/internal/remote/webcache: cook/internal/remote/messages cook/internal/remote/share internal/pathname
cook/internal/remote: cook/internal/rules cook/internal/store internal/child internal/dependency internal/human internal/jobenv internal/pathname
cook/internal/report/overview: cook/internal/execute cook/internal/likeness cook/internal/plan cook/internal/report cook/internal/stats cook/internal/survey internal/chart internal/confine internal/diagnosis internal/human internal/image/cooked internal/image/pixmap internal/image/texture internal/parallel internal/pathname internal/smokerun internal/texttable profile/counters
cook/internal/report: cook cook/internal/explain cook/internal/plan cook/internal/remote cook/internal/store cook/internal/watch internal/frontend internal/human internal/pathname internal/texttable internal/version profile profile/counters profile/guid profile/memory
cook/internal/restat: cook/internal/bulk cook/internal/index cook/internal/scan hashing internal/dependency internal/dirfd internal/parallel internal/pathname
cook/internal/rules: cook/internal/engine cook/internal/glob cook/internal/hashname cook/internal/manifest cook/recipe hashing internal/lazyregexp internal/nearest internal/pathname internal/recipeset
cook/internal/runaction: cook/internal/artifacts cook/internal/contents cook/internal/cookone cook/internal/index cook/internal/plan cook/internal/remote cook/internal/rules cook/internal/scan cook/internal/session cook/internal/store cook/internal/tools cook/recipe hashing internal/confine internal/dependency internal/parallel internal/pathname internal/program internal/recipeset
cook/internal/scan: internal/dirfd internal/lazyregexp internal/lease internal/pathname
cook/internal/scenario: cook cook/internal/glob internal/busyfile internal/smokerun profile profile/counters profile/memory profile/smoke
cook/internal/serve: cook/internal/eventstream cook/internal/export cook/internal/manifest cook/internal/statedir cook/reload hashing internal/confine internal/dirfd internal/webguard
cook/internal/session: cook/internal/execute cook/internal/glob cook/internal/index cook/internal/manifest cook/internal/remote cook/internal/rules cook/internal/scan cook/internal/state cook/internal/statedir cook/internal/store cook/recipe hashing internal/busyfile internal/confine internal/lease internal/pathname internal/recipeset internal/regular internal/sysmem profile
cook/internal/snapshot: cook/internal/export cook/internal/index cook/internal/lookup cook/internal/manifest cook/internal/remote cook/internal/remote/share cook/internal/session cook/internal/store internal/advice internal/pathname
cook/internal/state: cook/internal/hashname cook/internal/index cook/internal/manifest cook/internal/plan cook/internal/scan cook/internal/statedir cook/internal/store hashing internal/atomicfile internal/busyfile internal/confine internal/dependency internal/mapped internal/pathname internal/regular internal/syncfs profile/guid
cook/internal/statedir: cook/internal/manifest internal/busyfile internal/pathname internal/regular
cook/internal/stats: cook/internal/execute cook/internal/index cook/internal/plan cook/internal/remote cook/internal/session internal/advice internal/sysmem profile profile/counters profile/events profile/guid
cook/internal/store: cook/internal/manifest hashing internal/atomicfile internal/busyfile internal/dependency internal/jobenv internal/reflink internal/regular
cook/internal/survey: cook/internal/changes cook/internal/contents cook/internal/cookone cook/internal/execute cook/internal/gitdiff cook/internal/glob cook/internal/index cook/internal/plan cook/internal/rules cook/internal/scan cook/internal/session cook/internal/state cook/internal/stats cook/internal/store cook/recipe hashing internal/confine internal/dependency internal/human internal/jobs internal/nearest internal/pathname internal/program internal/recipeset
cook/internal/todo: cook/internal/artifacts cook/internal/changes cook/internal/contents cook/internal/cookone cook/internal/execute cook/internal/ids cook/internal/index cook/internal/plan cook/internal/remote cook/internal/scan cook/internal/session cook/internal/store cook/internal/tools hashing internal/atomicfile internal/dependency internal/human internal/parallel internal/pathname
cook/internal/tools: cook/internal/contents cook/internal/index cook/internal/plan internal/pathname internal/program
cook/internal/verify: cook/internal/artifacts cook/internal/bulk cook/internal/changes cook/internal/contents cook/internal/cookone cook/internal/execute cook/internal/glob cook/internal/index cook/internal/lint cook/internal/lookup cook/internal/manifest cook/internal/plan cook/internal/remote cook/internal/scan cook/internal/session cook/internal/state cook/internal/statedir cook/internal/store cook/internal/todo cook/internal/tools hashing internal/advice internal/confine internal/dependency internal/dirfd internal/human internal/parallel internal/pathname internal/recipeset internal/regular profile
cook/internal/watch: cook/internal/changes cook/internal/feed cook/internal/index cook/internal/notify cook/internal/pass cook/internal/peer cook/internal/rules cook/internal/session cook/internal/state cook/internal/stats internal/dependency internal/dirfd internal/pathname internal/program
cook/manifest: cook/internal/manifest
cook/pak: hashing internal/atomicfile internal/mapped internal/parallel internal/reflink internal/regular
cook/recipe/recipetest: cook/recipe internal/dependency internal/jobs internal/parallel internal/pathname internal/recipeset
cook/recipe: cook/manifest internal/dependency internal/fileformat internal/jobenv internal/pathname
cook/reload: cook/internal/eventstream cook/internal/feed cook/internal/manifest cook/internal/statedir hashing internal/regular internal/webguard
cook: cook/internal/clean cook/internal/contents cook/internal/execute cook/internal/explain cook/internal/lint cook/internal/manifest cook/internal/pass cook/internal/plan cook/internal/project cook/internal/remote cook/internal/rules cook/internal/scan cook/internal/session cook/internal/state cook/internal/stats cook/internal/store cook/internal/survey cook/internal/todo cook/internal/verify cook/internal/watch cook/recipe internal/advice internal/dependency internal/human profile
internal/proof/damage: cook internal/proof/oracle
internal/proof/faults: cook/manifest internal/faultfs internal/proof/oracle
internal/proof/minimal: cook cook/recipe internal/proof/oracle internal/recipeset recipes/builtin
internal/proof/oracle: cook cook/manifest cook/recipe profile profile/counters recipes
proof/conformance: cook/recipe internal/audio/source internal/image/source internal/jobs internal/recipeset recipes/builtin recipes/data recipes/mesh
proof/engines: cook/manifest proof/internal/results
proof/internal/results:
proof/readers/audiodecode: internal/audio/source
proof/readers/audiofiles: internal/audio/opus internal/audio/pcm internal/audio/qoa internal/audio/wav
proof/readers/pictures: bench/peers internal/image/pixmap internal/image/source
proof/readers/shaders:
proof/readers/textures: internal/image/astc internal/image/cooked internal/image/dds internal/image/ktx2 internal/image/pixmap internal/image/texenc internal/image/texture internal/image/uastc
proof/reliability: bench/peers cook cook/recipe crcslice8 internal/audio/ogg internal/audio/pcm internal/audio/wav internal/confine internal/faultfs internal/image/imagetest internal/image/ktx2 internal/image/source internal/image/texture internal/jobs internal/mesh/gltf internal/pathname internal/proof/damage internal/proof/faults internal/proof/minimal internal/proof/oracle internal/recipeset recipes/audio recipes/builtin recipes/image recipes/lut recipes/mesh recipes/shader
proof/roles: internal/image/role internal/jobs recipes/image
proof/servers/machines: internal/faultlink
recipes/atlas: cook/manifest cook/recipe hashing internal/human internal/image/pixmap internal/image/png internal/image/role internal/image/source internal/image/spritesheet internal/image/webp internal/jobs internal/pathname internal/plaintext internal/rectpack recipes/image
recipes/audio: cook/recipe internal/audio/adpcm internal/audio/loudness internal/audio/ogg internal/audio/opus internal/audio/pcm internal/audio/qoa internal/audio/resample internal/audio/source internal/audio/wav internal/detmath internal/pathname internal/plaintext
recipes/builtin: cook/recipe internal/busyfile internal/ctxio internal/dependency internal/human internal/jobs internal/jsontext internal/mesh/gltf internal/pathname internal/plaintext internal/program internal/sandbox internal/sysmem
recipes/bundle: cook/manifest cook/pak cook/recipe hashing internal/plaintext
recipes/data: cook/recipe internal/ctxio internal/jsontext internal/lazyregexp internal/plaintext
recipes/font: cook/recipe internal/font/distancefield internal/font/kerning internal/image/ktx2 internal/image/pixmap internal/image/png internal/image/role internal/image/source internal/image/texture internal/jobs internal/jsontext internal/pathname internal/plaintext
recipes/image: cook/recipe internal/image/cooked internal/image/dds internal/image/ktx2 internal/image/pixmap internal/image/png internal/image/role internal/image/source internal/image/spritesheet internal/image/texenc internal/image/texture internal/image/vp8 internal/image/webp internal/jobs internal/mesh/gltf internal/pathname
recipes/lut: cook/recipe internal/image/dds internal/image/ktx2 internal/image/pixmap internal/image/role internal/image/source internal/image/texenc internal/image/texture internal/jobs internal/plaintext
recipes/mesh: cook/recipe internal/ctxio internal/image/role internal/image/source internal/mesh/gltf internal/mesh/keyframes internal/mesh/meshopt internal/mesh/obj internal/mesh/optimize internal/mesh/prune internal/mesh/quantize internal/mesh/simplify internal/mesh/tangent recipes/image
recipes/shader: cook/recipe internal/child internal/lazyregexp internal/plaintext internal/version recipes/builtin
recipes/text: cook/recipe internal/plaintext
recipes: cook/recipe recipes/atlas recipes/audio recipes/builtin recipes/bundle recipes/data recipes/font recipes/image recipes/lut recipes/mesh recipes/shader recipes/text
`

// pure are packages that compute without side effects, with neither the disk nor the clock.
var pure = map[string][]string{
	"cook/internal/plan":  {"os", "os/exec", "net", "syscall"},
	"cook/internal/glob":  {"os", "time", "os/exec", "net", "syscall"},
	"cook/internal/rules": {"os", "time", "os/exec", "net", "syscall"},
}

// wrapped maps packages to the only packages that may import them.
var wrapped = map[string]string{"text/tabwriter": "internal/texttable"}

// fits reports whether a pattern of layers matches a package.
func fits(pattern, pkg string) bool {
	dir, below := strings.CutSuffix(pattern, "/...")
	return pkg == dir || below && strings.HasPrefix(pkg, dir+"/")
}

// layerOf returns the layer of a package and the matching pattern. It returns -1 if no pattern
// matches.
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

// mayImport reports whether a package of this module may import another.
func mayImport(pkg, imported string) bool {
	for _, a := range apart {
		if fits(a.importer, pkg) && fits(a.imported, imported) {
			return false
		}
	}
	from, family := layerOf(pkg)
	to, other := layerOf(imported)
	return from < to || from == to && family == other && strings.HasSuffix(family, "/...") ||
		from == to && strings.HasPrefix(family, "internal/") // packages for media may import each other
}

func TestImports(t *testing.T) {
	seen, found := map[string]bool{}, map[string]map[string]bool{}
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
			t.Errorf("package %q is in no layer; add it to one", pkg)
		}
		seen[pattern] = true
		if found[pkg] == nil {
			found[pkg] = map[string]bool{}
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if slices.Contains(pure[pkg], imported) {
				t.Errorf("%s imports %s, but package %s is pure", name, imported, pkg)
			}
			if by := wrapped[imported]; by != "" && by != pkg {
				t.Errorf("%s imports %s; use %s", name, imported, by)
			}
			ours, ok := strings.CutPrefix(imported, module)
			if !ok {
				continue
			}
			found[pkg][ours] = true
			if !mayImport(pkg, ours) {
				t.Errorf("%s imports %s, which package %q must not", name, ours, pkg)
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
	compareEdges(t, found)
}

// compareEdges fails the test for each line that edges lacks or that is obsolete.
func compareEdges(t *testing.T, found map[string]map[string]bool) {
	var want []string
	for pkg, imports := range found {
		if fits("cook/...", pkg) || fits("recipes/...", pkg) || fits("proof/...", pkg) || fits("internal/proof/...", pkg) {
			want = append(want, strings.Join(append([]string{pkg + ":"}, slices.Sorted(maps.Keys(imports))...), " "))
		}
	}
	slices.Sort(want)
	have := strings.Split(strings.Trim(edges, "\n"), "\n")
	for _, line := range want {
		if !slices.Contains(have, line) {
			t.Errorf("edges: add this line\n%s", line)
		}
	}
	for _, line := range have {
		if !slices.Contains(want, line) {
			t.Errorf("edges: remove this line\n%s", line)
		}
	}
	if !t.Failed() && !slices.Equal(have, want) {
		t.Error("edges: sort the lines and remove duplicates")
	}
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

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
		{"internal/mesh/drawn", "internal/mesh/gltf", true},
		{"internal/mapped", "internal/image/tga", false},
		{"internal/proof/faults", "internal/proof/oracle", true},
		{"internal/proof/faults", "cmd/cook", false},
		{"hashing", "crcslice8", true},
		{"crcslice8", "hashing", false},
	} {
		if got := mayImport(tt.pkg, tt.imported); got != tt.want {
			t.Errorf("%s imports %s: %v", tt.pkg, tt.imported, got)
		}
	}
}
