package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/audio"
	"github.com/assetcook/assetcook/cook/recipe/builtin"
	"github.com/assetcook/assetcook/cook/recipe/data"
	"github.com/assetcook/assetcook/cook/recipe/font"
	"github.com/assetcook/assetcook/cook/recipe/image"
	meshes "github.com/assetcook/assetcook/cook/recipe/mesh"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/cook/recipe/shader"
	"github.com/assetcook/assetcook/cook/recipe/text"
	"github.com/assetcook/assetcook/cook/rules"
	"github.com/google/go-cmp/cmp"
)

// examples is the folder of configurations to cook the tree with.
const examples = "../rules"

func everyRecipe(t *testing.T) *recipe.Set {
	t.Helper()
	set, err := recipe.NewSet(append(builtin.All(), audio.Recipe(), data.Recipe(), font.Recipe(), image.Recipe(),
		meshes.Recipe(), shader.Recipe(), text.Recipe())...)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// readExample returns an example and what it compiles to, with further rules after
// its own.
func readExample(t *testing.T, name, further string) (string, *rules.Set) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(examples, name))
	if err != nil {
		t.Fatal(err)
	}
	set, err := rules.Compile([]rules.File{{Name: name, Data: content}, {Name: "further", Data: []byte(further)}}, everyRecipe(t))
	if err != nil {
		t.Fatal(err)
	}
	return string(content), set
}

// sources are the files that a cook of the tree finds, in order.
func sources(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, p := range slices.Sorted(maps.Keys(generate(t))) {
		if p != ".cookignore" && !strings.HasPrefix(p, "work/") && !strings.HasSuffix(p, ".psd") {
			list = append(list, p)
		}
	}
	return list
}

// TestRulesFit holds that each example has a way to cook every file, for every
// target, that no two files are cooked into one, and that no rule is idle.
func TestRulesFit(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(examples, "*.toml"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"astc.toml", "etc2.toml", "everything.toml"}, baseNames(found)); diff != "" {
		t.Errorf("examples (-want +got):\n%s", diff)
	}
	for _, path := range found {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			content, set := readExample(t, name, "")
			busy := make(map[int]bool)
			for _, target := range append([]string{""}, set.Targets()...) {
				cookedFrom := make(map[string]string)
				for _, p := range sources(t) {
					m, err := set.Method(p, target)
					if err != nil {
						t.Errorf("%s for target %q: %v", p, target, err)
						continue
					}
					for _, r := range m.Rules {
						busy[r.Line] = true
					}
					for _, from := range m.From {
						busy[from.Line] = true
					}
					for _, o := range m.Outputs {
						out := o.Name(p)
						if other, taken := cookedFrom[out]; taken {
							t.Errorf("target %q: %s and %s are both cooked into %s", target, other, p, out)
						}
						cookedFrom[out] = p
					}
				}
			}
			for i, line := range strings.Split(content, "\n") {
				if line == "[[rule]]" && !busy[i+1] && !busy[i+2] {
					t.Errorf("%s:%d: the rule has no say in anything", name, i+1)
				}
				if strings.HasPrefix(line, "[target.") && !busy[i+1] && !busy[i+2] {
					t.Errorf("%s:%d: %s changes nothing", name, i+1, line)
				}
			}
		})
	}
}

func baseNames(paths []string) []string {
	var list []string
	for _, p := range paths {
		list = append(list, filepath.Base(p))
	}
	return list
}

// inHaste are rules for a test that people wait for.
const inHaste = `
[[rule]]
match   = "textures/**"
quality = "fast"

[[rule]]
match = "textures/sky/*.{jpg,tiff}"
fit   = 32
`

// TestEverything cooks the tree by everything.toml and looks at what came of the
// kinds of data.
func TestEverything(t *testing.T) {
	_, set := readExample(t, "everything.toml", inHaste)
	tree := make(fstest.MapFS)
	for p, content := range generate(t) {
		tree[p] = &fstest.MapFile{Data: content}
	}
	cooked, deps := make(map[string][]byte), make(map[string][]string)
	used := make(map[string]bool)
	for _, p := range sources(t) {
		m, err := set.Method(p, "")
		if err != nil {
			t.Fatal(err)
		}
		used[m.Recipe.Name] = true
		res := recipetest.Cook(t, m.Recipe, m.Cooker, tree, "", p)
		if res.Err != nil {
			t.Errorf("%s by recipe %s: %v", p, m.Recipe.Name, res.Err)
			continue
		}
		cooked[p] = res.Outputs[0]
		for _, d := range res.Deps {
			deps[p] = append(deps[p], d.Path)
		}
	}
	if t.Failed() {
		return
	}
	var idle []string
	for _, name := range everyRecipe(t).Names() {
		// command is what the other examples are about; gltf copies models.
		if !used[name] && name != "command" && name != "gltf" {
			idle = append(idle, name)
		}
	}
	if len(idle) > 0 {
		t.Errorf("no file is cooked by %v", idle)
	}

	for p, want := range map[string]string{
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
		"textures/sky/sun.hdr":         "\xabKTX 20\xbb\r\n\x1a\n\x8f\x00\x00\x00", // VK_FORMAT_BC6H_UFLOAT_BLOCK
		"textures/terrain/brick_n.png": "\xabKTX 20\xbb\r\n\x1a\n\x8d\x00\x00\x00", // VK_FORMAT_BC5_UNORM_BLOCK
		"textures/props/crate.png":     "DDS ",
		"fonts/pebble.ttf":             "\xabKTX 20\xbb\r\n\x1a\n\x09\x00\x00\x00", // VK_FORMAT_R8_UNORM
		"models/kart.gltf":             "glTF\x02\x00\x00\x00",
	} {
		if got := string(cooked[p]); !strings.HasPrefix(got, want) {
			t.Errorf("%s becomes %q..., want %q", p, got[:min(len(got), len(want))], want)
		}
	}
	for p, want := range map[string]string{
		"data/karts.csv":              "data/schemas/karts.json",
		"fonts/pebble.ttf":            "credits.txt",
		"shaders/kart.frag":           "shaders/common.glsl",
		"textures/kart/body.png":      "textures/kart/body_blue.png",
		"textures/kart/body_blue.png": "textures/kart/body_orm.png",
	} {
		if !slices.Contains(deps[p], want) {
			t.Errorf("%s depends on %v, want %s among them", p, deps[p], want)
		}
	}
}

// TestWeather holds that the YAML file says what its comments claim: aliases and
// merged keys are followed, and words are words.
func TestWeather(t *testing.T) {
	const p = "data/tuning/weather.yaml"
	r := data.Recipe()
	res := recipetest.Cook(t, r, r.New(), fstest.MapFS{p: {Data: generate(t)[p]}}, "", p)
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	type weather struct {
		Wind       float64
		Gusts      string
		Visibility int
		Sounds     []string
	}
	var got struct{ Fair, Rain, Storm weather }
	if err := json.Unmarshal(res.Outputs[0], &got); err != nil {
		t.Fatal(err)
	}
	sounds := []string{"audio/engine_loop.wav"}
	want := got
	want.Fair = weather{1.5, "no", 2000, sounds}
	want.Rain = weather{1.5, "no", 400, sounds}
	want.Storm = weather{17, "often", 400, sounds}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("weather (-want +got):\n%s", diff)
	}
}
