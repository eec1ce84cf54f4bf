package setup

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/internal/recipeset"
	"github.com/assetcook/assetcook/recipes"
)

// TestInitComments removes the # from the comments that init writes, and expects valid rules for
// every recipe.
func TestInitComments(t *testing.T) {
	dir := t.TempDir()
	set, err := recipeset.New(recipes.All()...)
	if err != nil {
		t.Fatal(err)
	}
	cooked := 0
	for _, name := range set.Names() {
		r, _ := set.Lookup(name)
		for _, ext := range r.Extensions {
			cooked++
			if err := os.WriteFile(filepath.Join(dir, "a"+ext), []byte("{}"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	seen, err := sightTree(t.Context(), recipes.All(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if seen.found.Assets != cooked {
		t.Errorf("%d assets of %d are seen", seen.found.Assets, cooked)
	}
	text := seen.config(dir, dir)
	plain := regexp.MustCompile(`(?m)^# (\[|[a-z_]+ = )`).ReplaceAllString(text, "$1")
	if n := strings.Count(plain, "\n[[rule]]\n"); n < 4 {
		t.Fatalf("%d rules in\n%s", n, plain)
	}
	compiled, err := rules.Compile([]rules.File{{Name: "cook.toml", Data: []byte(plain)}}, set)
	if err != nil {
		t.Fatalf("%v\n%s", err, plain)
	}
	for _, name := range set.Names() {
		r, _ := set.Lookup(name)
		for _, ext := range r.Extensions {
			m, err := compiled.Method("a"+ext, "")
			want := name
			if ext == ".cube" {
				want = recipeset.Fallback
			}
			if err != nil || m.Recipe.Name != want {
				t.Errorf("a%s: %v %v", ext, m, err)
			}
		}
	}
	if errs := compiled.Dropped(); len(errs) > 0 {
		t.Error(errs)
	}
}

// TestInitPreset expects a rule for a 2D game if the images are small and have alpha, and there are
// no models.
func TestInitPreset(t *testing.T) {
	picture := func(name string, side int, alpha uint8) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			m := image.NewNRGBA(image.Rect(0, 0, side, side))
			m.Set(1, 1, color.NRGBA{9, 9, 9, 9})
			for i := 3; i < len(m.Pix); i += 4 {
				m.Pix[i] = alpha
			}
			f, err := os.Create(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := png.Encode(f, m); err != nil {
				t.Fatal(err)
			}
		}
	}
	file := func(name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	type maker = func(t *testing.T, dir string)
	few := []maker{picture("a.png", 8, 9), picture("b.png", 8, 9), picture("c.png", 8, 9), picture("d.PNG", 8, 9)}
	most := append(few, picture("e.png", 8, 9), picture("f.png", 8, 9))
	for _, tc := range []struct {
		name string
		more []maker
		want bool
	}{
		{"small and clear", []maker{picture("g.png", 8, 9), picture("h.png", 8, 255)}, true},
		{"some are large", []maker{picture("g.png", 600, 9), file("h.png")}, true},
		{"more are large", []maker{picture("g.png", 600, 9), picture("h.png", 600, 9), picture("i.png", 600, 9)}, false},
		{"many are opaque", []maker{picture("g.png", 8, 255), picture("h.png", 8, 255), picture("i.png", 8, 255), picture("j.png", 8, 255), picture("k.png", 8, 255), picture("l.png", 8, 255), picture("m.png", 8, 255)}, false},
		{"few", []maker{picture("g.png", 8, 9)}, false},
		{"a model", []maker{picture("g.png", 8, 9), picture("h.png", 8, 9), file("a.obj")}, false},
		{"a model that is copied", []maker{picture("g.png", 8, 9), picture("h.png", 8, 9), file("a.fbx")}, false},
		{"a normal map", []maker{picture("g.png", 8, 9), picture("wall_normal.png", 8, 9)}, false},
	} {
		dir := t.TempDir()
		for _, do := range append(most[:6:6], tc.more...) {
			do(t, dir)
		}
		seen, err := sightTree(t.Context(), recipes.All(), dir)
		if err != nil {
			t.Fatal(err)
		}
		text := seen.config(dir, dir)
		if has := strings.Contains(text, "\n[[rule]]\nmatch  = \"*.png\"\npreset = \"2d\"\n"); has != tc.want || (seen.flatGameNote("cook.toml") != "") != tc.want {
			t.Errorf("%s: a rule is %v, want %v", tc.name, has, tc.want)
		}
		set, err := recipeset.New(recipes.All()...)
		if err != nil {
			t.Fatal(err)
		}
		compiled, err := rules.Compile([]rules.File{{Name: "cook.toml", Data: []byte(text)}}, set)
		if err != nil {
			t.Fatal(err)
		}
		m, err := compiled.Method("x/a.png", "")
		if err != nil {
			t.Fatal(err)
		}
		preset := ""
		for _, o := range m.Options {
			if o.Key == "preset" {
				preset = o.Value
			}
		}
		if (preset == `"2d"`) != tc.want {
			t.Errorf("%s: preset %s", tc.name, preset)
		}
	}
}
