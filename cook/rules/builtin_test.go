package rules

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/recipe"
)

type fakeKind struct {
	Kind string `toml:"kind" enum:"auto,color,normal"`
}

func (*fakeKind) Outputs() []string                       { return []string{"{path}"} }
func (*fakeKind) Cook(context.Context, *recipe.Job) error { return nil }

var kindFake = fake("image", func() recipe.Cooker { return &fakeKind{Kind: "auto"} })

// A name that says normal map sets an option, as the weakest of all.
func TestNormalMapsByName(t *testing.T) {
	s, err := Compile([]File{{Name: "cook.toml", Data: []byte(`
[[rule]]
match = "ui/*_n.png"
kind = "color"

[[rule]]
match = "raw/**"
recipe = "copy"

[[rule]]
match = "mine/**"
recipe = "image"
`)}}, recipes(t, kindFake, copyFake))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"wall_n.png":          "normal",
		"a/Wall_NORMAL.TGA":   "normal",
		"wall_nrm.jpeg":       "normal",
		"wall_norm.webp":      "normal",
		"wall_normals.png":    "normal",
		"_n.png":              "normal",
		"wall.png":            "auto",
		"wall_n_2.png":        "auto",
		"wall_not.png":        "auto",
		"walln.png":           "auto",
		"a_n/wall.png":        "auto",
		"wall_normalised.png": "auto",
		"ui/button_n.png":     "color",
		"mine/wall_n.png":     "normal",
		"mine/wall.png":       "auto",
	} {
		m := method(t, s, path, "")
		if got := m.Cooker.(*fakeKind).Kind; got != want {
			t.Errorf("%s: kind %s, want %s", path, got, want)
		}
	}
	if m := method(t, s, "raw/wall_n.png", ""); m.Recipe.Name != "copy" {
		t.Errorf("raw/wall_n.png is cooked by %s, want copy", m.Recipe.Name)
	}
	normals := Origin{File: "built-in", Match: "*{_n,_nrm,_norm,_normal,_normals}.{bmp,gif,hdr,jpeg,jpg,png,qoi,tga,tif,tiff,webp}"}
	m := method(t, s, "mine/wall_n.png", "")
	if d := cmp.Diff([]Origin{normals, {"cook.toml", 10, 1, "mine/**"}}, m.Rules); d != "" {
		t.Error(d)
	}
	if m.From["kind"] != normals {
		t.Errorf("kind is from %v, want %v", m.From["kind"], normals)
	}
}

// What the table says it matches is what rowFor finds.
func TestBuiltinPatterns(t *testing.T) {
	for name, want := range map[string]row{
		"a.png": rowImage, "a.HDR": rowImage, "a.qoi": rowImage, "a_n.hdr": rowNormal, "a.wav": rowAudio,
		"a.Flac": rowAudio, "a.ogg": rowCopy, "a.obj": rowMesh, "a.GLB": rowMesh, "a.gltf": rowMesh, "a.json": rowJSON,
		"a.jsonc": rowCopy, "a": rowCopy, ".png": rowCopy, "a.longer": rowCopy,
	} {
		if got := rowFor(name); got != want {
			t.Errorf("%s: row %d, want %d", name, got, want)
		}
		if n := testing.AllocsPerRun(10, func() { rowFor(name) }); n != 0 {
			t.Errorf("%s: %v allocations, want none", name, n)
		}
	}
}
