package recipes_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/recipes"
)

// failures collects the errors of a cook.
type failures struct {
	cook.Observers
	lines []string
}

func (f *failures) Event(e cook.Event) {
	if e.Outcome == cook.Failed || e.Outcome == cook.Error {
		f.lines = append(f.lines, e.Path+": "+e.Err.Error())
	}
}

// steps collects the steps that each recipe reported.
type steps struct {
	cook.Observers
	recipes map[string]string // recipe of each source
	done    map[string]map[string]bool
}

func (s *steps) Event(e cook.Event) {
	if e.Outcome == cook.Started {
		s.recipes[e.Path] = e.Recipe
	}
}

func (s *steps) Step(path, _, step string) {
	recipe := s.recipes[path]
	if s.done[recipe] == nil {
		s.done[recipe] = map[string]bool{}
	}
	s.done[recipe][step] = true
}

// inHaste are rules that make the test faster.
const inHaste = `
[[rule]]
match   = "textures/**"
quality = "fast"

[[rule]]
match = "textures/sky/*.{jpg,tiff}"
fit   = 32
`

// Each kind of source in the sample tree must become what everything.toml says.
func TestEverything(t *testing.T) {
	rules, err := os.ReadFile("../testdata/rules/everything.toml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "rules.toml")
	if err := os.WriteFile(config, append(rules, inHaste...), 0o666); err != nil {
		t.Fatal(err)
	}
	p := cook.Project{Dir: "../testdata/assets", Out: filepath.Join(dir, "out"), Config: config, Cache: filepath.Join(dir, "cache"), Recipes: recipes.All(), Engine: "own"}
	var failed failures
	did := steps{recipes: map[string]string{}, done: map[string]map[string]bool{}}
	if _, err := cook.Cook(t.Context(), p, cook.CookOptions{Observer: cook.Observers{&failed, &did}}); err != nil {
		t.Fatal(err)
	}
	for recipe, want := range map[string]string{
		"image":  ", align, ask materials, choose format, classify, cut, decode, encode, mipmaps, pack, resize",
		"audio":  ", decode, encode, normalize, resample",
		"mesh":   ", animate, decode, optimize, quantize, shade, write",
		"font":   ", decode, draw, kerning, pack",
		"shader": ", compile, preprocess",
	} {
		if got := strings.Join(slices.Sorted(maps.Keys(did.done[recipe])), ", "); got != want {
			t.Errorf("recipe %s: steps %q, want %q", recipe, got, want)
		}
	}
	for _, line := range failed.lines {
		t.Error(line)
	}
	for source, want := range map[string]string{
		"data/lap_targets.csv": `[{"level":"gravel_garden","kart":"granite","gold":39.515,"silver":42.676,"bronze":49.393},`,
		"data/controls.jsonc":  `{"keyboard":{"left":["A","Left"],"right":["D","Right"],"gas":["W","Up"],`,
		"data/karts.csv":       "\x94\x88\xa2id\xa7granite\xa4name\xa7Granite",
		"data/season.toml":     "\xa5\x65title\x78\x2cPebble Grand Prix",
		"data/lang/de.json":    "\x8a\xa9_language\xa7Deutsch\xa6finish",
		"data/game.json":       `{"title":"Pebble Grand Prix","version":[0,3,0],`,
		"credits.txt":          "PEBBLE GRAND PRIX\r\n\r\nStones",
		"scripts/camera.lua":   "-- ",
		"shaders/kart.vert":    "#version 450\n#define FOG 1\n#define QUALITY 2\n",

		"data/ghosts/crater_loop.json": "\x28\xb5\x2f\xfd",
		"shaders/particles.wgsl":       "\x03\x02\x23\x07\x00\x03\x01\x00",
		"audio/finish_fanfare.wav":     "OggS",
		"audio/coin.wav":               "qoaf",
		"audio/engine_loop.wav":        "RIFF",
		"textures/sky/sun.hdr":         "\xabKTX 20\xbb\r\n\x1a\n\x8f\x00\x00\x00", // 0x8f is VK_FORMAT_BC6H_UFLOAT_BLOCK
		"textures/terrain/brick_n.png": "\xabKTX 20\xbb\r\n\x1a\n\x8d\x00\x00\x00", // 0x8d is VK_FORMAT_BC5_UNORM_BLOCK
		"textures/props/cone.png":      "DDS ",
		"fonts/pebble.ttf":             "\xabKTX 20\xbb\r\n\x1a\n\x09\x00\x00\x00", // 0x09 is VK_FORMAT_R8_UNORM
		"models/kart.gltf":             "glTF\x02\x00\x00\x00",
	} {
		all, err := cook.Why(t.Context(), p, source, cook.WhyOptions{})
		if err != nil || all[0].Last == nil || len(all[0].Last.Outputs) == 0 {
			t.Errorf("%s: %v", source, err)
			continue
		}
		outputs := all[0].Last.Outputs
		got, err := os.ReadFile(filepath.Join(p.Out, outputs[len(outputs)-1].Path)) // the last output is the atlas, after the JSON of the font
		if err != nil || !strings.HasPrefix(string(got), want) {
			t.Errorf("%s becomes %q..., %v, want %q", source, got[:min(len(got), len(want))], err, want)
		}
	}
	checkTextures(t, p.Out, 9)
}

// A new user's first run cooks the samples without rules and without an engine. It must have no
// warning and no failure.
func TestFirstRunOfSamplesHasNoWarning(t *testing.T) {
	dir := t.TempDir()
	p := cook.Project{Dir: "../testdata/assets", Out: filepath.Join(dir, "out"), Cache: filepath.Join(dir, "cache"), Recipes: recipes.All()}
	w := warnings{counts: map[cook.Outcome]int{}}
	if _, err := cook.Cook(t.Context(), p, cook.CookOptions{Observer: &w}); err != nil {
		t.Fatal(err)
	}
	for _, line := range w.lines {
		t.Error(line)
	}
	if w.counts[cook.Cooked] < 80 {
		t.Errorf("%v", w.counts)
	}
}

// warnings collects the warnings and failures of a cook, and counts all outcomes.
type warnings struct {
	failures
	counts map[cook.Outcome]int
}

func (w *warnings) Event(e cook.Event) {
	w.counts[e.Outcome]++
	if w.failures.Event(e); e.Outcome == cook.Warned {
		w.lines = append(w.lines, e.Path+": "+e.Err.Error())
	}
}

// Without rules, models must name the textures that the same cook makes, in each container.
func TestModelsNameTextures(t *testing.T) {
	for _, rules := range []string{"", "[[rule]]\nmatch = \"textures/**\"\ncontainer = \"dds\"\n[[rule]]\nmatch = \"models/*\"\ntexture_suffix = \".dds\"\n"} {
		dir := t.TempDir()
		config := filepath.Join(dir, "rules.toml")
		if err := os.WriteFile(config, []byte(rules+inHaste), 0o666); err != nil {
			t.Fatal(err)
		}
		p := cook.Project{Dir: "../testdata/assets", Out: filepath.Join(dir, "out"), Config: config, Cache: filepath.Join(dir, "cache"), Recipes: recipes.All(), Engine: "own"}
		var failed failures
		if _, err := cook.Cook(t.Context(), p, cook.CookOptions{Patterns: []string{"models/**", "textures/**"}, Observer: &failed}); err != nil || len(failed.lines) > 0 {
			t.Fatal(err, failed.lines)
		}
		checkTextures(t, p.Out, 9)
	}
}

// checkTextures checks the files that cooked models name. Their number must be as wanted. Each must
// be an artifact of the same cook, of the kind that the model says.
func checkTextures(t *testing.T, out string, want int) {
	t.Helper()
	artifacts, models := map[string]bool{}, []string{}
	load := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(out, name)) }
	root, err := load("manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	for a, err := range manifest.Read(root, load) {
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range a.Outputs {
			artifacts[o.Path] = true
			if strings.HasSuffix(o.Path, ".glb") {
				models = append(models, o.Path)
			}
		}
	}
	kinds := map[string]string{"": "\xabKTX 20\xbb", "image/vnd-ms.dds": "DDS "}
	named := 0
	for _, m := range models {
		data, err := os.ReadFile(filepath.Join(out, m))
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Buffers, Images []struct {
				URI      *string `json:"uri"`
				MimeType string  `json:"mimeType"`
			}
		}
		if err := json.Unmarshal(data[20:20+binary.LittleEndian.Uint32(data[12:])], &doc); err != nil {
			t.Fatalf("%s: %v", m, err)
		}
		for _, i := range append(doc.Buffers, doc.Images...) {
			if i.URI == nil {
				continue
			}
			named++
			name, err := url.PathUnescape(*i.URI)
			file := path.Join(path.Dir(m), name)
			if err != nil || !artifacts[file] {
				t.Errorf("%s names %s, which nothing is cooked to, %v", m, *i.URI, err)
				continue
			}
			head, err := os.ReadFile(filepath.Join(out, file))
			if kind, known := kinds[i.MimeType]; err != nil || !known || !strings.HasPrefix(string(head), kind) {
				t.Errorf("%s names %s as %q, which begins with %.8q, %v", m, *i.URI, i.MimeType, head, err)
			}
		}
	}
	if len(models) < 6 || named != want {
		t.Errorf("%d models name %d files, want %d", len(models), named, want)
	}
}

// Each example of rules must cook every file of the sample tree, for all its targets. An asset may
// fail only if a program that the example names is not installed.
func TestExamplesFit(t *testing.T) {
	examples, err := filepath.Glob("../testdata/rules/*.toml")
	if err != nil || len(examples) < 2 {
		t.Fatal(examples, err)
	}
	for _, example := range examples {
		dir := t.TempDir()
		targets := []string{""}
		text, err := os.ReadFile(example)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "[target."); ok {
				name, _, _ = strings.Cut(strings.TrimSuffix(name, "]"), ".") // the section of a target, or of one of its tables
				if !slices.Contains(targets, name) {
					targets = append(targets, name)
				}
			}
		}
		p := cook.Project{Dir: "../testdata/assets", Out: filepath.Join(dir, "out"), Config: example, Cache: filepath.Join(dir, "cache"), Recipes: recipes.All(), Engine: "own", Targets: targets}
		var failed failures
		s, err := cook.Cook(t.Context(), p, cook.CookOptions{DryRun: true, Observer: &failed})
		if err != nil || s.Found.Assets < 50 {
			t.Errorf("%s: %s, %v", example, s.String(), err)
		}
		for _, line := range failed.lines {
			if !strings.Contains(line, " is not on PATH; install it") { // this machine may lack the tools
				t.Errorf("%s: %s", example, line)
			}
		}
	}
}

// The list has the names of all recipes, as rules use them.
func ExampleAll() {
	var names []string
	for _, r := range recipes.All() {
		names = append(names, r.Name)
	}
	fmt.Println(strings.Join(names, " "))
	// Output: command copy gltf json zstd list pak atlas audio sounds data font bmfont image lut mesh shader text
}
