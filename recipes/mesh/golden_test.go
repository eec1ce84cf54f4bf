package mesh

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/recipeset"
)

var update = flag.Bool("update", false, "write the golden file anew")

const golden = "testdata/golden.txt"

// The bytes must be the same on every kind of processor.
func TestGolden(t *testing.T) {
	assets := os.DirFS("../../testdata/assets")
	var lines []string
	for _, way := range slices.Sorted(maps.Keys(ways)) {
		for _, m := range []struct {
			name, path string
			tree       fs.FS
		}{
			{"barrier", "models/barrier.obj", assets}, {"coin", "models/coin.gltf", assets}, {"cone", "models/cone.gltf", assets},
			{"crate", "models/crate.gltf", assets}, {"kart", "models/kart.gltf", assets}, {"pebble", "models/pebble.glb", assets},
			{"figure", "m/a.gltf", figure()}, {"forest", "m/a.gltf", forest(40)}, {"village", "m/a.gltf", village(7, "", "")}, {"forms", "m/a.gltf", forms()}, {"roof", "m/a.gltf", roof(bumpy)},
		} {
			glb := cook(t, options(ways[way]), m.tree, m.path)
			lines = append(lines, fmt.Sprintf("%s %s %x", way, m.name, sha256.Sum256(glb)))
		}
	}
	have := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(golden, []byte(have), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	wantLines := strings.Split(strings.ReplaceAll(string(want), "\r", ""), "\n")
	for i, l := range lines {
		if i >= len(wantLines) || wantLines[i] != l {
			t.Errorf("%s: other bytes; if they were to change, raise the recipe's Version and run with -update", l)
		}
	}
}

func TestOptions(t *testing.T) {
	r := Recipe()
	recipetest.Check(t, r, map[string]any{
		"normals": "none", "tangents": false, "optimize": false, "overdraw": 1.5,
		"position_bits": int64(12), "normal_bits": int64(16), "uv_bits": int64(0), "color_bits": int64(16), "weight_bits": int64(16), "rotation_bits": int64(0),
		"prune": true, "prune_empty": true, "keep": []any{"TEXCOORD_1"}, "animation_error": 0.0, "compression": "meshopt", "lods": int64(2), "join": true, "instances": int64(4), "lod_ratio": 0.25, "lod_error": 0.1, "embedded": "dds", "embedded_quality": "fast", "textures": "keep", "texture_suffix": ".dds", "image_rules": "1",
	})
	for key, tc := range map[string]struct {
		value any
		ok    bool
	}{
		"normal_bits": {int64(12), false}, "uv_bits": {int64(7), false}, "color_bits": {int64(8), true},
		"weight_bits": {int64(1), false}, "rotation_bits": {int64(8), false}, "position_bits": {int64(1), true}, "texture_suffix": {".k tx", false},
		"prune_empty": {true, false}, "instances": {int64(2), false}, "join": {true, false}, "keep": {[]any{"[a"}, false},
	} {
		c := r.New()
		if err := recipeset.SetOption(c, key, tc.value); err != nil {
			t.Fatal(err)
		}
		if err := r.Traits(c).Check(); (err == nil) != tc.ok || err != nil && !strings.HasPrefix(err.Error(), key) {
			t.Errorf("%s = %v: %v", key, tc.value, err)
		}
	}
	if err := r.Traits(r.New()).Check(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
}

func TestExplain(t *testing.T) {
	job := jobs.New(Recipe(), jobs.Env{Path: "m/a.gltf", Open: forms().Open, Stat: forms().Stat}, 1)
	lines, err := options(func(o *meshOptions) { o.LODs = 1 }).explainResult(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(lines, "\n")
	for _, want := range []string{
		"mesh 0 primitive 1: 7 vertices, 36 before; 5 triangles, vertex cache misses per triangle (ACMR) 1.400, 1.400 before",
		"mesh 0 primitive 3: 36 vertices, 36 before; 50 triangles, vertex cache misses per triangle (ACMR)",
		"triangles keep their order, because the material is blended",
		"mesh 0 primitive 4: 38 vertices, 36 before; 50 triangles, vertex cache misses per triangle (ACMR)",
		"tangents added", "largest error of positions 0.000305",
		"mesh 0 primitive 5: 36 vertices, 36 before",
		"mesh 2 primitive 0: unchanged",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in\n%s", want, all)
		}
	}
	job = jobs.New(Recipe(), jobs.Env{Path: "m/a.gltf", Open: dance().Open, Stat: dance().Stat}, 1)
	if lines, err = options(nil).explainResult(t.Context(), job); err != nil || len(lines) != 3 || !strings.HasPrefix(lines[1], "animation 0: ") ||
		lines[2] != "animation 1: 3 keyframes, 240 before" {
		t.Errorf("%q, %v", lines, err)
	}
	// Two primitives have the same geometry, so Explain must return one line for both.
	tree := roof(bare)
	text := string(tree["m/a.gltf"].Data)
	from := strings.Index(text, `{"attributes"`)
	to := strings.Index(text, `"material":0}`) + len(`"material":0}`)
	tree["m/a.gltf"].Data = []byte(text[:to] + "," + text[from:to] + text[to:])
	job = jobs.New(Recipe(), jobs.Env{Path: "m/a.gltf", Open: tree.Open, Stat: tree.Stat}, 1)
	if lines, err := options(nil).explainResult(t.Context(), job); err != nil || len(lines) != 1 {
		t.Errorf("%q, %v", lines, err)
	}
}
