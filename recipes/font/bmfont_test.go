package font

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/recipetest"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobs"
)

// binaryFont returns a font of the binary form with a character on page 0.
func binaryFont(pages ...string) string {
	block := func(kind byte, content string) string {
		return string(binary.LittleEndian.AppendUint32([]byte{kind}, uint32(len(content)))) + content
	}
	char := make([]byte, 20)
	return "BMF\x03" + block(1, "\x07\x00") + block(3, strings.Join(pages, "\x00")+"\x00") + block(4, string(char))
}

const (
	textFont = "info face=\"A B\" size=7\ncommon pages=1\npage id=0 file=\"p/a.png\"\r\nchar id=65 page=0\n"
	xmlFont  = "<?xml version=\"1.0\"?>\n<!-- <page/> -->\n<font>\n <pages><page id=\"0\" file='p/a.png' /></pages>\n <chars><char id=\"65\" page=\"0\"/></chars>\n</font>\n"
)

// A bmRun is the result of the recipe for one font.
type bmRun struct {
	out    string
	err    error
	warned []string
	deps   []recipe.Dep
}

// cookBMFont cooks f/a.fnt to out/a.fnt. made maps the path of each image to its cooked files. It
// is nil if no rule cooks images.
func cookBMFont(t testing.TB, o *bmFontOptions, text string, made map[string][]string) bmRun {
	t.Helper()
	tree := fstest.MapFS{"f/a.fnt": {Data: []byte(text)}}
	for _, name := range []string{"p/a.png", "p/b.png", "p/a&b.png", "p/é.png", "p/x.bin"} {
		tree["f/"+name] = &fstest.MapFile{}
	}
	env := jobs.OfTree(BMFontRecipe(), tree, "f/a.fnt")
	if made != nil {
		copied := *o
		copied.ImageRules, o = "1", &copied
		env.Followed = func(path string) (string, any, []string) {
			if list, ok := made[path]; ok {
				return "image", nil, slices.Clone(list)
			}
			return "copy", nil, []string{path}
		}
	}
	name := filepath.Join(t.TempDir(), "a.fnt")
	env.Outputs, env.Names = []string{name}, []string{"f/a.fnt"}
	env.Create = func(int) (*os.File, error) { return os.Create(name) }
	job := jobs.New(BMFontRecipe(), env, int64(len(text)))
	err := o.Cook(t.Context(), job)
	out, readErr := os.ReadFile(name)
	if err == nil && readErr != nil {
		t.Fatal(readErr)
	}
	return bmRun{string(out), err, jobs.Warnings(job), jobs.Deps(job)}
}

func TestPagesHaveNamesOfCookedImages(t *testing.T) {
	cooked := &bmFontOptions{Pages: "cooked"}
	one := func(artifact string) map[string][]string { return map[string][]string{"f/p/a.png": {artifact}} }
	for _, tc := range []struct {
		name, source string
		o            *bmFontOptions
		made         map[string][]string
		old, new     string // the only difference between source and output
	}{
		{"no rule", textFont, cooked, nil, "p/a.png", "p/a.png.ktx2"},
		{"text", textFont, cooked, one("f/p/a.webp"), "p/a.png", "p/a.webp"},
		{"copied", textFont, cooked, one("f/p/a.png"), "", ""},
		{"kept", textFont, &bmFontOptions{Pages: "keep"}, one("f/p/a.webp"), "", ""},
		{"elsewhere", textFont, cooked, one("img/a b.webp"), "p/a.png", "../img/a b.webp"},
		{"no quotes", strings.ReplaceAll(textFont, `"p/a.png"`, "p/a.png"), cooked, one("f/a b.webp"), "p/a.png", `"a b.webp"`},
		{"dots", strings.ReplaceAll(textFont, "p/a.png", "./p/a.png"), cooked, one("f/p/a.png"), "", ""},
		{"mark", "\ufeff" + textFont, cooked, one("f/p/a.webp"), "p/a.png", "p/a.webp"},
		{"XML", xmlFont, cooked, one("f/p/a.webp"), "p/a.png", "p/a.webp"},
		{"XML escapes", xmlFont, cooked, one("f/p/'&.webp"), "p/a.png", "p/&apos;&amp;.webp"},
		{"XML reference", strings.ReplaceAll(xmlFont, "a.png", "a&#x26;b.png"), cooked, nil, "b.png", "b.png.ktx2"},
		{"binary", binaryFont("p/a.png"), cooked, one("f/p/a.webp"), "\x08\x00\x00\x00p/a.png", "\x09\x00\x00\x00p/a.webp"},
		{"binary pages", binaryFont("p/a.png", "p/b.png"), cooked, map[string][]string{"f/p/a.png": {"f/1.png"}, "f/p/b.png": {"f/2.png"}},
			"\x10\x00\x00\x00p/a.png\x00p/b.png", "\x0c\x00\x00\x001.png\x002.png"},
		{"URL", strings.ReplaceAll(textFont, "p/a.png", "https://x/a.png"), cooked, one("f/p/a.webp"), "", ""},
		{"data URI", strings.ReplaceAll(textFont, "p/a.png", "data:image/png;base64,AA=="), cooked, one("f/p/a.webp"), "", ""},
		{"no image", strings.ReplaceAll(textFont, "a.png", "x.bin"), cooked, nil, "", ""},
	} {
		have := cookBMFont(t, tc.o, tc.source, tc.made)
		if d := cmp.Diff(strings.Replace(tc.source, tc.old, tc.new, 1), have.out); have.err != nil || len(have.warned) > 0 || d != "" {
			t.Errorf("%s: %v %q %s", tc.name, have.err, have.warned, d)
		}
	}
}

// If a page's file is not cooked to exactly one image, the page must keep its name. A warning must
// name the line and column.
func TestPageWithoutImageIsWarnedOf(t *testing.T) {
	for _, tc := range []struct{ name, file, warned string }{
		{"missing", "no.png", `3:17: page 0: there is no file no.png; the font names it anyway`},
		{"absolute", "/a.png", `3:17: page 0: /a.png is not a relative path with slashes, so the font keeps this name; name a file relative to the font`},
		{"Windows", `p\a.png`, `is not a relative path with slashes`},
		{"outside", "../../a.png", `outside the asset tree; the font keeps this name`},
		{"two files", "p/b.png", `3:17: page 0: p/b.png is cooked to 2 files, but a page must be one file; cook the image by another rule, or write pages = "keep`},
	} {
		source := strings.ReplaceAll(textFont, "p/a.png", tc.file)
		have := cookBMFont(t, &bmFontOptions{Pages: "cooked"}, source, map[string][]string{"f/p/b.png": {"f/p/b.webp", "f/p/b@2x.webp"}})
		if have.err != nil || have.out != source || len(have.warned) != 1 || !strings.Contains(have.warned[0], tc.warned) {
			t.Errorf("%s: %v %q", tc.name, have.err, have.warned)
		}
	}
	have := cookBMFont(t, &bmFontOptions{Pages: "cooked"}, textFont, nil)
	want := []recipe.Dep{{Name: "p/a.png", On: recipe.Dependency{Kind: dependency.Presence, Path: "f/p/a.png"}, Found: true}}
	if d := cmp.Diff(want, have.deps); d != "" {
		t.Error(d)
	}
}

func TestFaultyBMFontIsRefused(t *testing.T) {
	text := func(old, new string) string { return strings.Replace(textFont, old, new, 1) }
	xml := func(old, new string) string { return strings.Replace(xmlFont, old, new, 1) }
	chopped := binaryFont("p/a.png")
	for source, want := range map[string]string{
		"hello":                              `the file is not a BMFont`,
		"":                                   `the file is empty`,
		"info size=1\n":                      `the font has no page`,
		"<font></font>":                      `the font has no page`,
		"BMF\x03":                            `the font has no page`,
		text("id=0", "id=256"):               `3:9: id = "256" in a page is not a number from 0 to 255`,
		text("id=0", ""):                     `3:1: a page needs the attributes id and file; export the font again`,
		text(`file="p/a.png"`, ""):           `3:1: a page needs the attributes id and file; export the font again`,
		text("p/a.png", ""):                  `3:17: page 0 has no file name`,
		text(`png"`, "png"):                  `3:16: the closing quote is missing`,
		text("id=0", "id"):                   `3:6: this is not an attribute`,
		text("page=0", "page=1"):             `4:1: a character refers to page 1, which the font does not have; export the font again`,
		text("char id", "page id"):           `4:1: a page needs the attributes id and file; export the font again`,
		textFont + "page id=0 file=b":        `5:16: page 0 is listed twice; export the font again`,
		text("size=7", "size=\x00"):          `1:22: the font has a zero byte`,
		xml("</chars>", ""):                  `6:1: the end tag "font" has no start tag; remove it or add the start tag`,
		xml("</font>", ""):                   `3:1: the element "font" has no end tag`,
		xml("<chars>", "<!DOCTYPE a>"):       `5:2: a BMFont cannot have a document type`,
		xml("</chars>", "<!-- "):             `the closing --> is missing after this`,
		xml("a.png", "a&b.png"):              `4:31: this is not a character reference`,
		xml("a.png", "a&#0;.png"):            `4:31: this is not a character reference`,
		xml("a.png", "a<.png"):               `4:31: write &lt; instead of < in the value of attribute "file"`,
		xml("'p/a.png'", "p"):                `4:27: the value of attribute "file" is not in quotes`,
		xml(`page="0"`, `page`):              `5:23: in the element "char", want an attribute`,
		xml("<chars>", "<"):                  `5:2: the element name after < is missing`,
		"<font>" + strings.Repeat("<a>", 40): `1:100: elements are nested deeper than 32 levels`,
		"BMF\x02":                            `the binary form has version 2, want 3`,
		chopped[:len(chopped)-1]:             `byte 24: a block of 20 bytes is longer than the rest`,
		chopped[:13]:                         `byte 11: the file ends in the header of a block; copy or export the font again`,
		binaryFont("p/a.png") + "\x03\x01\x00\x00\x00\x00": `the file has a second block of pages; export the font again`,
		binaryFont(""):                 `page 0 has no file name`,
		"BMF\x03\x03\x01\x00\x00\x00a": `byte 9: the zero byte after a page name is missing`,
	} {
		if have := cookBMFont(t, &bmFontOptions{Pages: "cooked"}, source, nil); have.err == nil || !strings.Contains(have.err.Error(), want) {
			t.Errorf("%.80q: %v, want %s", source, have.err, want)
		}
	}
	for source, made := range map[string]string{binaryFont("p/a.png", "p/b.png"): "f/p/a.webp", textFont: `f/".png`} {
		if have := cookBMFont(t, &bmFontOptions{Pages: "cooked"}, source, map[string][]string{"f/p/a.png": {made}}); have.err == nil || !strings.Contains(have.err.Error(), "page") {
			t.Errorf("%.40q: %v", source, have.err)
		}
	}
}

// Files of other programs with the extension .fnt must not be recognized.
func TestOtherFNTFilesAreNotBMFonts(t *testing.T) {
	for head, want := range map[string]string{
		textFont: bmText, xmlFont: bmXML, binaryFont("a"): bmBinary, "\ufeff\n<font>": bmXML,
		"\x00\x03\x00\x10":       "", // a bitmap font of Windows
		"info about the fonts\n": "", "<fonts>": "", "<?xml": "", "BMFONT": "", "": "",
	} {
		if have := bmFormOf([]byte(head)); have != want {
			t.Errorf("%.20q: %q, want %q", head, have, want)
		}
	}
}

// Only page names may differ. The test restores the old names in the output, and expects the bytes
// of the source.
func TestOnlyPageNamesDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-zé &]{1,9}\.png`)
		old := rapid.SliceOfN(name, 1, 3).Draw(t, "old")
		form := rapid.SampledFrom([]string{bmText, bmXML, bmBinary}).Draw(t, "form")
		source := binaryFont(old...)
		if form != bmBinary {
			var b strings.Builder
			b.WriteString(map[string]string{bmText: "info face=\"\" a=1\n", bmXML: "<font>"}[form])
			for i, p := range old {
				b.WriteString(map[string]string{bmText: "page file=\"" + p + "\" id=", bmXML: "<page file=\"" + escaped(p) + "\" id=\""}[form])
				b.WriteString(string(rune('0' + i)))
				b.WriteString(map[string]string{bmText: "\n", bmXML: "\"></page>"}[form])
			}
			b.WriteString(map[string]string{bmText: "kerning first=1\n", bmXML: "<a/></font>"}[form])
			source = b.String()
		}
		f, err := parseBMFont(t.Context(), []byte(source))
		if err != nil {
			t.Fatalf("%q: %v", source, err)
		}
		length := rapid.IntRange(1, 20).Draw(t, "length")
		var next []string
		for i := range old {
			next = append(next, strings.Repeat(string(rune('a'+i)), length))
		}
		cooked, err := f.withPageNames(next)
		if err != nil {
			t.Fatalf("%q: %v", source, err)
		}
		g, err := parseBMFont(t.Context(), cooked)
		if err != nil {
			t.Fatalf("%q: %v", cooked, err)
		}
		for i, p := range g.pages {
			if p.name != next[i] || p.id != f.pages[i].id {
				t.Errorf("page %d is %q, want %q", p.id, p.name, next[i])
			}
		}
		back, err := g.withPageNames(old)
		if form == bmBinary && err != nil {
			return // names of different lengths are invalid in the binary form
		}
		if d := cmp.Diff(source, string(back)); err != nil || d != "" {
			t.Errorf("%v %s", err, d)
		}
	})
}

func FuzzBMFont(f *testing.F) {
	for _, s := range []string{textFont, xmlFont, binaryFont("a.png"), "<font a=", "info a=\npage id=\"", "<font><!--"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		font, err := parseBMFont(t.Context(), text)
		if err != nil {
			return
		}
		names := make([]string, len(font.pages))
		for i, p := range font.pages {
			names[i] = p.name
		}
		if same, err := font.withPageNames(names); err != nil || string(same) != string(text) {
			t.Errorf("unchanged names change the font, %v", err)
		}
	})
}

func TestBMFontRecipeKeepsItsPromises(t *testing.T) {
	recipetest.Check(t, BMFontRecipe(), map[string]any{"pages": "keep", "image_rules": "1"})
}
