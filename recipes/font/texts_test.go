package font

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"golang.org/x/image/font/gofont/goregular"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/dependency"
)

func TestTextFilesAddTheirRunes(t *testing.T) {
	for _, tc := range []struct {
		name string
		x    recipe.Extract
		file string
		want string
	}{
		{"text", runesOfText, "\ufeffdéjà\r\n\tvu", "djuvàé"},
		{"a replacement character", runesOfText, "a\ufffd", "a\ufffd"},
		{"nothing", runesOfText, "", ""},
		{"no UTF-8", runesOfText, "ab\nc\xff", "\x002:2: byte 0xff is not UTF-8"},
		{"too long", runesOfText, strings.Repeat("a", maxText+1), "\x00the texts have more than 4 MiB; list their characters in charset instead"},
		{"values of JSON", runesOfJSON, "\ufeff" + `{"key":"vA","k2" : ["B\u00e9\n",{"k3":"\ud83d\ude00"},true,1.5e3,null]}`, "ABvé😀"},
		{"a key far from its colon", runesOfJSON, `{"k"` + strings.Repeat(" ", 100) + `:"v"}`, "v"},
		{"a quote within", runesOfJSON, `["a\"b",":"]`, `":ab`},
		{"one string", runesOfJSON, `"hi"`, "hi"},
		{"no JSON", runesOfJSON, "{\n\"a\":}", "\x002:5"},
		{"empty JSON", runesOfJSON, "", "\x00the file is empty"},
	} {
		says, err := tc.x.Of(strings.NewReader(tc.file), int64(len(tc.file)))
		got := says.About("a.ttf")
		same := string(got) == tc.want
		if strings.HasPrefix(tc.want, refusal) {
			same = strings.HasPrefix(string(got), tc.want)
		}
		if err != nil || !same {
			t.Errorf("%s: %q, %v; want %q", tc.name, got, err, tc.want)
		}
	}
}

// chars returns the characters of a cooked font.
func chars(t *testing.T, res recipetest.Result) string {
	t.Helper()
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	var m metrics
	if err := json.Unmarshal(res.Outputs[metricsOutput], &m); err != nil {
		t.Fatal(err)
	}
	var list []rune
	for _, g := range m.Glyphs {
		list = append(list, g.Rune)
	}
	return string(list)
}

// A font must have the characters of all files that match the patterns. It must depend only on
// these characters.
func TestTextsByPattern(t *testing.T) {
	tree := fstest.MapFS{
		"f/a.ttf":            {Data: goregular.TTF},
		"locale/en.json":     {Data: []byte(`{"zz":"Play"}`)},
		"locale/eu/de.JSON":  {Data: []byte(`{"zz":"Öl"}`)},
		"locale/eu/notes.md": {Data: []byte("q")},
		"f/x.txt":            {Data: []byte("!")},
	}
	use := func(patterns ...string) recipetest.Result {
		o := options(func(o *fontOptions) { o.Charset, o.Text = nil, patterns })
		return recipetest.Cook(t, Recipe(), o, tree, "", "f/a.ttf")
	}
	res := use("/locale/**/*.{json,JSON}", "*.txt")
	if got := chars(t, res); got != "!PalyÖ" {
		t.Errorf("%q", got)
	}
	want := "!PalyÖ"
	if got := chars(t, use("../locale/en.json", "/locale/eu/de.JSON", "x.txt")); got != want {
		t.Errorf("by name: %q", got)
	}
	for _, d := range res.Deps { // a dependency on a whole file would change even if an edit adds no new character
		if !d.Found || d.On.Kind == dependency.File {
			t.Errorf("depends on %v", d.On)
		}
	}
	res = use("x.txt", "none/*.txt")
	if chars(t, res) != "!" || !slices.Equal(res.Warned, []string{"text: no file matches the pattern none/*.txt"}) {
		t.Error(res.Warned)
	}
	tree["locale/bad.json"] = &fstest.MapFile{Data: []byte("{")}
	if res = use("/locale/*.json"); res.Err == nil || !strings.Contains(res.Err.Error(), "text: /locale/bad.json: 1:2") {
		t.Error(res.Err)
	}
}

func FuzzRunesOfTexts(f *testing.F) {
	f.Add([]byte("d\xc3\xa9j\xc3\xa0"))
	f.Add([]byte(`{"a":["\ud800","b\\"],"c":{"d":"e"}}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, x := range []recipe.Extract{runesOfText, runesOfJSON} {
			says, err := x.Of(bytes.NewReader(file), int64(len(file)))
			got := says.About("")
			if err != nil || !utf8.Valid(got) || len(got) > 3*len(file)+200 {
				t.Fatalf("%q, %v", got, err)
			}
			if list := []rune(string(got)); !strings.HasPrefix(string(got), refusal) && (!slices.IsSorted(list) || len(slices.Compact(list)) != len([]rune(string(got)))) {
				t.Fatalf("%q is not a sorted set", got)
			}
		}
		var value any
		if json.Unmarshal(file, &value) != nil {
			return
		}
		says, _ := jsonRunes(bytes.NewReader(file), int64(len(file)))
		got := says.About("")
		if strings.HasPrefix(string(got), refusal) {
			return // the file has a repeated key, or is not UTF-8
		}
		set := new(runeSet)
		addValues(set, value)
		if string(got) != string(set.sortedRunes()) {
			t.Fatalf("%q, want %q", got, string(set.sortedRunes()))
		}
	})
}

// addValues adds the strings in a decoded JSON value.
func addValues(set *runeSet, value any) {
	switch v := value.(type) {
	case string:
		set.addRunes(v)
	case []any:
		for _, x := range v {
			addValues(set, x)
		}
	case map[string]any:
		for _, x := range v {
			addValues(set, x)
		}
	}
}
