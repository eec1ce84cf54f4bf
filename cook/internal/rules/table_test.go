package rules_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/internal/recipeset"
	"github.com/assetcook/assetcook/recipes"
)

// extensions are common extensions of files in game projects.
const extensions = `.3ds .7z .aac .aif .aiff .apng .ase .aseprite .astc .atlas .avif .basis .bin .blend .bmp .cfg
.collada .comp .css .csv .cube .dae .dds .dib .exr .fbx .fla .flac .fnt .frag .fs .geom .gif .glb .glsl .gltf .hdr .hjson
.hlsl .html .icb .ico .ini .jfif .jpe .jpeg .jpg .js .json .json5 .jsonc .ktx .ktx2 .lua .md .mesh .mid .mod .mp2 .mp3 .mp4
.mtl .obj .oga .ogg .ogv .opus .otc .otf .pcx .pic .pk3 .ply .png .psb .psd .py .qoa .qoi .rgbe .spv .stl .svg .tesc .tese
.tga .tif .tiff .tmx .toml .tsv .tta .ttc .ttf .txt .vda .vert .vox .vs .vst .wav .wave .webp .wgsl .woff .woff2 .wv .xcf
.xm .xml .yaml .yml .zip .zst`

// TestFilesAreCookedByDefaultAsListed compares the default rules with testdata/defaults.txt.
// Unlisted files must be copied.
func TestFilesAreCookedByDefaultAsListed(t *testing.T) {
	set, err := recipeset.New(recipes.All()...)
	if err != nil {
		t.Fatal(err)
	}
	choice, err := rules.CompileFor("own", nil, set, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for ext := range strings.FieldsSeq(extensions) {
		for _, stem := range []string{"a", "a_n", "a_nrm", "a_norm", "a_normal", "a_normals", "a_mask", "icon_a", "a_orm_2k"} {
			names = append(names, stem+ext)
		}
		names = append(names, strings.ToUpper("a_n"+ext), "_n"+ext, ext, "a"+ext+"x", "a_n"+ext+ext)
	}
	names = append(names, "a", "a.", "a.tar.gz", "Makefile", ".cookrc", "a.pn\u212a", "a.PNG ")
	var table strings.Builder
	for _, name := range names {
		m, err := choice.Method("x/"+name, "")
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%s: %s %v", name, m.Recipe.Name, m.Outputs)
		for i, f := range recipeset.Fields(m.Cooker) {
			o := m.Options[i]
			byDefault := o.From == rules.Origin{File: "default"}
			if o.Field != f || slices.Contains(recipeset.Fields(m.Recipe.New()), f) != byDefault {
				t.Errorf("%s: %s = %s is from %v, want %v", name, o.Key, o.Value, o.From, f)
			}
			if !byDefault {
				line += fmt.Sprintf("; %s = %s (%s %s)", o.Key, o.Value, o.From, o.From.Match)
			}
		}
		line += fmt.Sprintf("; %v %s\n", m.Chosen(), m.Chosen().Match)
		if line != name+": copy [{path}]; built-in **\n" {
			table.WriteString(line)
		}
		if len(m.Rules) != 1 || m.Rules[0] != m.Chosen() {
			t.Errorf("%s: rules %v", name, m.Rules)
		}
	}
	const golden = "testdata/defaults.txt"
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(table.String(), "\n")); d != "" {
		t.Error(d)
	}
}

// TestWordsOfRecipesAreNotMisspelt checks that no fix replaces a word of one recipe with a word of
// another recipe.
func TestWordsOfRecipesAreNotMisspelt(t *testing.T) {
	all := recipes.All()
	set, err := recipeset.New(all...)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, r := range all {
		for _, o := range recipeset.Options(r.New()) {
			words = append(words, o.Key)
			if list, ok := o.Schema(r.New())["enum"].([]string); ok {
				words = append(words, list...)
			}
		}
	}
	slices.Sort(words)
	words = slices.Compact(words)
	check := func(text string) {
		_, err := rules.Compile([]rules.File{{Name: "cook.toml", Data: []byte(text)}}, set)
		var list rules.Errors
		errors.As(err, &list)
		for _, e := range list {
			if edit, ok := e.Fix(); ok {
				t.Errorf("%q: %q becomes %q", text, edit.Old, edit.New)
			}
		}
	}
	for _, r := range all {
		for _, w := range words {
			check(fmt.Sprintf("[[rule]]\nmatch = '*'\nrecipe = '%s'\n%s = 'x'", r.Name, w))
			for _, o := range recipeset.Options(r.New()) {
				if strings.Contains(o.Want, `"`) {
					check(fmt.Sprintf("[[rule]]\nmatch = '*'\nrecipe = '%s'\n%s = '%s'", r.Name, o.Key, w))
				}
			}
		}
	}
}
