package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/assetcook/assetcook/cook/internal/engine"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/internal/recipeset"
	"github.com/assetcook/assetcook/recipes"
)

func TestRulesOfEnginesHaveNoMistake(t *testing.T) {
	judge := newRuleJudge(t)
	for _, e := range engine.All() {
		text := string(e.Rules())
		if (text == "") != (e.Name == engine.None) {
			t.Errorf("%s: %d bytes of rules", e.Name, len(text))
		}
		if err := judge.compiler(text); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		var doc struct{ Rule []map[string]any }
		if err := toml.Unmarshal([]byte(text), &doc); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		for _, r := range doc.Rule {
			for _, key := range []string{"from", "target", "outputs"} {
				if r[key] != nil {
					t.Errorf("%s: a rule of an engine has %s", e.Name, key)
				}
			}
		}
	}
}

// TestSettingsOfEnginesAreExplained expects "cook why" to name each setting of each engine for at
// least one source.
func TestSettingsOfEnginesAreExplained(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	at := newPlace(t)
	for name, text := range map[string]string{
		"cook.toml":   "[[rule]]\nmatch = \"*.ttf\"\nrecipe = \"font\"\n",
		"why.sprites": "textures/ui/*.png\n", "why.sounds": "audio/*.wav\n", "why.exr": "", "why.cube": "LUT_3D_SIZE 2\n", "why.flac": "",
	} {
		if err := os.WriteFile(filepath.Join(at.dir, "assets", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const sources = "why.sprites why.sounds why.exr why.cube why.flac audio/coin.wav fonts/pebble.ttf fonts/pebble.fnt models/kart.gltf" +
		" textures/kart/tyre.png textures/ui/photo_finish.jpg textures/sky/sun.hdr"
	for _, e := range engine.All() {
		var doc struct{ Rule []map[string]any }
		if err := toml.Unmarshal(e.Rules(), &doc); err != nil {
			t.Fatal(err)
		}
		said := at.run(t, "cook why -dir assets -engine "+e.Name+" "+sources)
		for _, r := range doc.Rule {
			for key, value := range r {
				line := fmt.Sprintf("    %s = %#v (engine %s)\n", key, value, e.Name)
				switch key {
				case "match":
					line = fmt.Sprintf("  rule:     engine %s match %s\n", e.Name, strings.Trim(strings.ReplaceAll(fmt.Sprint(value), " ", ", "), "[]"))
				case "recipe":
					line = fmt.Sprintf("(engine %s)\n", e.Name)
				}
				if !strings.Contains(said, line) {
					t.Errorf("cook why never says %q", line)
				}
			}
		}
	}
}

// TestEnginesKeepLossyImages expects a JPEG image to become a lossless image only for engines that
// cannot read JPEG. The run must then report the conversion.
func TestEnginesKeepLossyImages(t *testing.T) {
	at := newPlace(t)
	for _, e := range engine.All() {
		said := at.run(t, "cook -dir assets -engine "+e.Name+" -out out-"+e.Name+" textures/ui/photo_finish.jpg textures/ui/trophy.webp 2>&1; ls -R out-"+e.Name)
		noted := strings.Contains(said, "1 JPEG file of 3.9 KiB became lossless images of")
		grown := strings.Contains(said, "photo_finish.png") || strings.Contains(said, "photo_finish.webp")
		if noted != (e.Name == "raylib") || grown != noted || at.status != 0 {
			t.Errorf("%s: noted %t: %s", e.Name, noted, said)
		}
	}
}

// TestEnginesAreWeakerThanRules expects a rule to override the engine's settings, and a target's
// engine to override the project's engine.
func TestEnginesAreWeakerThanRules(t *testing.T) {
	const project = "[project]\nengine = \"three\"\n"
	for _, tc := range []struct {
		name, text, target, format, gpu, from string
	}{
		{"none", "", "", `"auto"`, `"none"`, "engine any, assumed"},
		{"any", "[project]\nengine = \"any\"\n", "", `"auto"`, `"none"`, "engine any"},
		{"a rule wins over the assumed engine", "[[rule]]\nmatch = \"*\"\ngpu = \"mobile\"\n", "", `"auto"`, `"mobile"`, "cook.toml:3"},
		{"project", project, "", `"auto"`, `"web"`, "engine three"},
		{"a rule wins", project + "[[rule]]\nmatch = \"*\"\ngpu = \"mobile\"\n", "", `"auto"`, `"mobile"`, "cook.toml:5"},
		{"a target without an engine", project + "[target.tv]\n", "tv", `"auto"`, `"web"`, "engine three"},
		{"a target with an engine", project + "[target.tv]\nengine = \"love\"\n", "tv", `"png"`, `"desktop"`, "default"},
		{"other targets keep the engine of the project", project + "[target.tv]\nengine = \"love\"\n", "", `"auto"`, `"web"`, "engine three"},
		{"a target with an engine alone", "[target.tv]\nengine = \"love\"\n", "", `"auto"`, `"none"`, "engine any, assumed"},
		{"a table of a target wins", project + "[target.tv]\nengine = \"three\"\n[target.tv.image]\ngpu = \"mobile\"\n", "tv", `"auto"`, `"mobile"`, "cook.toml:6"},
		{"own has no rules", "[project]\nengine = \"own\"\n", "", `"auto"`, `"desktop"`, "default"},
	} {
		recipes, err := recipeset.New(recipes.All()...)
		if err != nil {
			t.Fatal(err)
		}
		set, err := rules.Compile([]rules.File{{Name: "cook.toml", Data: []byte(tc.text)}}, recipes)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		m, err := set.Method("wall.png", tc.target)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		have := map[string]rules.Option{}
		for _, o := range m.Options {
			have[o.Key] = o
		}
		if have["format"].Value != tc.format || have["gpu"].Value != tc.gpu || have["gpu"].From.String() != tc.from {
			t.Errorf("%s: format %s, gpu %s from %s, want %s, %s, %s",
				tc.name, have["format"].Value, have["gpu"].Value, have["gpu"].From, tc.format, tc.gpu, tc.from)
		}
	}
}

// TestEnginesCookImagesInModels expects that images inside models become UASTC textures for each
// engine that loads models and gets UASTC textures from images.
func TestEnginesCookImagesInModels(t *testing.T) {
	value := func(e engine.Engine, path, key string) string {
		recipes, err := recipeset.New(recipes.All()...)
		if err != nil {
			t.Fatal(err)
		}
		set, err := rules.Compile([]rules.File{{Name: "cook.toml", Data: []byte("[project]\nengine = \"" + e.Name + "\"\n")}}, recipes)
		if err != nil {
			t.Fatal(err)
		}
		m, err := set.Method(path, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range m.Options {
			if o.Key == key {
				return o.Value
			}
		}
		return ""
	}
	cooking := 0
	for _, e := range engine.All() {
		if !e.LoadsFile("a.glb") {
			continue
		}
		gpu, embedded := value(e, "wall.png", "gpu"), value(e, "house.glb", "embedded")
		if (gpu == `"web"`) != (embedded == `"basisu"`) {
			t.Errorf("%s: gpu = %s for images, embedded = %s for models", e.Name, gpu, embedded)
		}
		if embedded == `"basisu"` {
			cooking++
		}
	}
	if cooking < 3 {
		t.Errorf("%d engines get cooked images in models, want at least 3", cooking)
	}
}

// TestFilesThatAnEngineDoesNotLoadAreNamed expects a warning for a rule whose files the engine does
// not load, and no other warning.
func TestFilesThatAnEngineDoesNotLoadAreNamed(t *testing.T) {
	for _, tc := range []struct {
		text string
		want string // text that the only message must contain; "" if no message is expected
	}{
		{"engine = \"three\"\n", ""},
		{"engine = \"own\"\n", ""},
		{"", ""},
		{"[[rule]]\nmatch = \"*.png\"\ngpu = \"web\"\n", `cook.toml:4:1: not every engine loads .ktx2 files, such as wall.png.ktx2; name your engine`},
		{"[[rule]]\nmatch = \"*.hdr\"\ncube = \"equirect\"\n", "not every engine loads .ktx2 files, such as sky.hdr.ktx2; name your engine"},
		{"engine = \"three\"\n[[rule]]\nmatch = \"*.hdr\"\ncube = \"equirect\"\n",
			`cook.toml:5:1: three.js loads cube maps only in format uastc, and sky.hdr.ktx2 has format uastc-hdr; remove cube = "equirect", or name another engine`},
		{"engine = \"three\"\n[[rule]]\nmatch = \"*.png\"\ncube = \"cross\"\n", ""},
		{"engine = \"three\"\n[[rule]]\nmatch = \"*.png\"\ncube = \"cross\"\nformat = \"rgba8\"\n", `cook.toml:5:1: three.js loads cube maps only in format uastc`},
		{"engine = \"playcanvas\"\n[[rule]]\nmatch = \"*.hdr\"\nrecipe = \"image\"\nformat = \"rgba16f\"\n",
			`cook.toml:6:1: PlayCanvas loads KTX2 files only in format uastc, and sky.hdr.ktx2 has format rgba16f; remove format = "rgba16f"`},
		{"engine = \"playcanvas\"\n", ""},
		{"engine = \"love\"\n", "LÖVE loads no .ktx2 files, such as sky.hdr.ktx2; list the source"},
		{"engine = \"love\"\n[[rule]]\nmatch = \"*.hdr\"\nrecipe = \"copy\"\n", ""},
		{"engine = \"love\"\n[[rule]]\nmatch = \"*.hdr\"\ncontainer = \"dds\"\n", ""},
		{"engine = \"three\"\n[[rule]]\nmatch = \"*.png\"\ncontainer = \"dds\"\nformat = \"bc7\"\n", `cook.toml:5:1: three.js loads no .dds files, such as wall.png.dds; remove container = "dds"`},
		{"engine = \"love\"\n[[rule]]\nmatch = \"*.wav\"\nformat = \"opus\"\n[[rule]]\nmatch = \"*.hdr\"\nrecipe = \"copy\"\n", `cook.toml:5:1: LÖVE loads no .opus files, such as hit.opus; remove format = "opus"`},
	} {
		recipes, err := recipeset.New(recipes.All()...)
		if err != nil {
			t.Fatal(err)
		}
		set, err := rules.Compile([]rules.File{{Name: "cook.toml", Data: []byte("[project]\n" + tc.text)}}, recipes)
		if err != nil {
			t.Fatal(err)
		}
		sources := slices.Values([]string{"wall.png", "floor.png", "hit.wav", "sky.hdr", "a.txt", "b.webp"})
		for source := range sources {
			set.Method(source, "")
		}
		errs := set.NotLoaded(sources)
		if got := fmt.Sprint(errs); (len(errs) > 0) != (tc.want != "") || !strings.Contains(got, tc.want) || len(errs) > 1 {
			t.Errorf("%q: %d messages: %s, want %s", tc.text, len(errs), got, tc.want)
		}
	}
}
