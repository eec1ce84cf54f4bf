package recipes_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/recipes"
)

// recognizers are the recipes that look at the content of a file before they accept it.
func recognizers() map[string]func(head []byte) bool {
	list := map[string]func([]byte) bool{}
	for _, r := range recipes.All() {
		if r.Recognizes != nil {
			list[r.Name] = r.Recognizes
		}
	}
	return list
}

// Lists of files must be recognized if the documentation describes them. Texts of other programs
// must not.
func TestListsAreToldFromOtherTexts(t *testing.T) {
	own := map[string]*rapid.Generator[string]{
		"sounds": rapid.SampledFrom([]string{"steps/*.wav", "hit.wav", "music/", "!hit_old.wav", "# comment", "", "  a b.ogg  "}),
		"atlas":  rapid.SampledFrom([]string{"ui/*.png", "tree.PNG", "img/", "!old/*.png", "# comment", "", "a/{b,c}.webp"}),
		"pak":    rapid.SampledFrom([]string{"**/*.ktx2", "ui/", "!*.json", "# comment", "", "a.json"}),
	}
	other := rapid.SampledFrom([]string{"attack sound 0", "{", "}", "frame 3 walk", "1.5 0 7", "density", "<sounds>", "key=value", "\x00\x01"})
	for name, is := range recognizers() {
		if own[name] == nil {
			continue
		}
		rapid.Check(t, func(t *rapid.T) {
			if text := strings.Join(rapid.SliceOf(own[name]).Draw(t, "lines"), "\n"); !is([]byte(text)) {
				t.Fatalf("%s: %q is not recognized", name, text)
			}
			text := strings.Join(rapid.SliceOfN(other, 1, 9).Draw(t, "lines"), "\n")
			if strings.ContainsAny(text, "./") && name == "pak" {
				return // any name with a dot may be an artifact
			}
			if is([]byte(text)) && strings.Trim(text, "\n") != "" {
				t.Fatalf("%s: %q is recognized", name, text)
			}
		})
	}
}

// No content may crash a recognizer, and equal content must get equal answers.
func FuzzRecognizers(f *testing.F) {
	for _, text := range []string{"", "*.png\n", "LUT_3D_SIZE 2\n", "I\n800\nOBJ", "BMF\x03", "info face=a\n", "\xff\xfe*", strings.Repeat("é", 9), "{[*?"} {
		f.Add([]byte(text))
	}
	all := recognizers()
	f.Fuzz(func(t *testing.T, text []byte) {
		head := text[:min(len(text), recipe.HeadSize)]
		for name, is := range all {
			if got := is(head); got != is(append([]byte{}, head...)) {
				t.Errorf("%s answers differently", name)
			}
		}
	})
}
