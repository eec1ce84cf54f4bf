package rules

import (
	"path"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/internal/hashname"
)

func TestTemplateMakesOutputPath(t *testing.T) {
	for _, tc := range []struct{ template, path, want string }{
		{"{stem}.spv", "shaders/a.frag", "shaders/a.spv"},
		{"{stem}.spv", "a.frag", "a.spv"},
		{"{base}.webp", "a/hero@2x.png", "a/hero.webp"},
		{"{base}@0.5x{ext}", "hero.png", "hero@0.5x.png"},
		{"{base}.webp", "a/@2x.png", "a/@2x.webp"},
		{"{path}", "a/b/wall.n.PNG", "a/b/wall.n.PNG"},
		{"{path}.zst", "wall.png", "wall.png.zst"},
		{"{path}/lod0", "a/wall.png", "a/wall.png/lod0"},
		{"{dir}/{name}", "a/b/wall.n.png", "a/b/wall.n.png"},
		{"{dir}/x", "a", "x"},
		{"{dir}/x", "b/a", "b/x"},
		{"out/{dir}/x", "a", "out/x"},
		{"out/{dir}/x", "b/c/a", "out/b/c/x"},
		{"{dir}_x", "a", "_x"},
		{"{dir}_x", "b/a", "b_x"},
		{"{stem}-{ext}", "b/wall.n.png", "b/wall.n-.png"},
		{"{name}", "b/.bashrc", "b/.bashrc"},
		{"{stem}{ext}{ext}", "b/.bashrc", "b/.bashrc"},
		{"{stem}_", "..png", "..png_"},
		{"{stem}{ext}", "a.", "a."},
		{"{stem}_", "README", "README_"},
		{"{{{stem}}}", "x/a.b", "x/{a}"},
		{"{{stem}}", "x/a.b", "x/{stem}"},
		{"meshes/{stem}.bin", "x/a.b", "meshes/a.bin"},
		{"{stem}.bin", "\xff/\x00\xfe.b", "\xff/\x00\xfe.bin"},
		{"fixed", "x/a.b", "x/fixed"},
		{"cook/.cook", "x/a.b", "cook/.cook"},
		{"a/manifest.json", "x/a.b", "a/manifest.json"},
		{"console{ext}", "a.b", "console.b"},
		{"x{dir}con", "a.b", "xcon"},
		{"{stem}{ext:png,jpg}", "b/a.JPG", "b/a.JPG"},
		{"{stem}{ext:png,jpg}", "b/a.tga", "b/a.png"},
		{"{stem}{ext:png}", "b/a", "b/a.png"},
		{"{stem}.{hash}.x", "b/a.png", hashname.Planned("b/a.", ".x")},
		{"out/{path}.{hash}", "b/a.png", hashname.Planned("out/b/a.png.", "")},
		{"{{hash}}{stem}", "b/a.png", "b/{hash}a"},
	} {
		tmpl, err := ParseTemplate(tc.template)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if got := tmpl.Name(tc.path); got != tc.want {
			t.Errorf("%s of %q: got %q, want %q", tc.template, tc.path, got, tc.want)
		}
		if got := tmpl.String(); got != tc.template {
			t.Errorf("String() = %q, want %q", got, tc.template)
		}
	}
}

func TestBadTemplateIsRefused(t *testing.T) {
	const everywhere = " cannot be in a file name everywhere"
	for text, want := range map[string]string{
		"":                    "empty",
		"/a":                  "the template must be relative to the output directory",
		"a/":                  "the template ends in a slash, which names a directory",
		"a//b":                `"//" has an empty element between the slashes`,
		"../a":                `the template has the element ".."; write the names of the directories`,
		"a/../b":              `the template has the element ".."; write the names of the directories`,
		"a/./b":               `the template has the element "."; write the names of the directories`,
		".":                   `the template has the element "."; write the names of the directories`,
		".{ext}":              "an element without {name}, {stem}, {path} or text may be empty; add one of them",
		"{ext}":               "an element without {name}, {stem}, {path} or text may be empty; add one of them",
		"{dir}{ext}/a":        "an element without {name}, {stem}, {path} or text may be empty; add one of them",
		"{dir}":               "{dir} names a directory; want a file",
		"x/{dir}":             "{dir} names a directory; want a file",
		`a\b`:                 `'\\'` + everywhere,
		"C:x":                 `':'` + everywhere,
		"a\x00":               `'\x00'` + everywhere,
		"a\x7f":               `'\x7f'` + everywhere,
		"a?":                  `'?'` + everywhere,
		"{file}":              "unknown word {file}; have path, dir, stem, base, name, ext, hash",
		"{hash}/a":            "{hash} is in the name of a directory; write it into the file name, behind the last slash, {dir} and {path}",
		"{hash}{dir}":         "{hash} is in the name of a directory; write it into the file name, behind the last slash, {dir} and {path}",
		"{hash}.{path}":       "{hash} is in the name of a directory; write it into the file name, behind the last slash, {dir} and {path}",
		"{hash}.{hash}":       "{hash} occurs twice; write it once",
		"{stam}":              `unknown word {stam}; did you mean "stem"?`,
		"{}":                  "unknown word {}; have path, dir, stem, base, name, ext, hash",
		"{stem":               `"{" without "}"; write "{{" for a brace`,
		"{a/b}":               `"{" without "}"; write "{{" for a brace`,
		"a{ext:}":             "{ext:}: want a list of extensions, such as {ext:png,jpg}",
		"a{ext:a,.b}":         "{ext:a,.b}: want a list of extensions, such as {ext:png,jpg}",
		"a{stem:a}":           "{stem:a}: want a list of extensions, such as {ext:png,jpg}",
		"stem}":               `"}" without "{"; write "}}" for a brace`,
		"{stem}.":             "an element ends in a dot or a space, which Windows drops",
		"a /b":                "an element ends in a dot or a space, which Windows drops",
		"con":                 `"con" is a device on Windows`,
		"x/NUL.txt":           `"NUL" is a device on Windows`,
		"Com1{ext}":           `"Com1" is a device on Windows`,
		"{dir}lpt²/{name}":    `"lpt²" is a device on Windows`,
		"aux .x/{name}":       `"aux " is a device on Windows`,
		".cook/{name}":        `".cook" is reserved for cook; choose another name`,
		".Cook":               `".Cook" is reserved for cook; choose another name`,
		"{dir}/.cook/x":       `".cook" is reserved for cook; choose another name`,
		"manifest.json":       `"manifest.json" is reserved for cook; choose another name`,
		"{dir}/Manifest.JSON": `"Manifest.JSON" is reserved for cook; choose another name`,
	} {
		want = "template " + strconv.Quote(text) + ": " + want
		if _, err := ParseTemplate(text); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestOutputStaysInOutputDirectory(t *testing.T) {
	piece := rapid.SampledFrom([]string{"{path}", "{dir}", "{stem}", "{name}", "{ext}", "{ext:a,b}", "/", "/", ".", "..", "a", "{{", "}}", " ", "é"})
	element := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{".", ".", "a", "\xff", " ", "{dir}", `\`, ":", "\x00"}), 1, 5).Draw(t, "element"), "")
	})
	judged := 0
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(element, 1, 4).Draw(t, "source"), "/")
		if path.Clean("/"+source) != "/"+source {
			return
		}
		tmpl, err := ParseTemplate(strings.Join(rapid.SliceOfN(piece, 1, 6).Draw(t, "template"), ""))
		if err != nil {
			return
		}
		judged++
		checkInside(t, tmpl, source)
	})
	if judged == 0 && !testing.Short() {
		t.Error("no template was valid, so the test proves nothing")
	}
}

func checkInside(t interface{ Fatalf(string, ...any) }, tmpl Template, source string) {
	name := tmpl.Name(source)
	if name == "" || path.Clean(name) != name || path.Clean("/"+name) != "/"+name || path.Clean("/"+name) == "/" {
		t.Fatalf("template %q makes %q of %q", tmpl, name, source)
	}
}

func TestNamesThatWindowsRefusesAreUnportable(t *testing.T) {
	for output, want := range map[string]string{
		"textures/größe 大.png.ktx2": "",
		"console.txt":               "",
		".hidden/a b.txt":           "",
		"con.txt":                   `is named like the device "con"`,
		"a/NUL":                     `is named like the device "NUL"`,
		"lpt1 .x/b":                 `is named like the device "lpt1 "`,
		"a/b.":                      "has a name that ends in a dot or a space",
		"a /b":                      "has a name that ends in a dot or a space",
		`a\b`:                       `has '\\' in its name`,
		"a:b":                       `has ':' in its name`,
		"a\nb":                      `has '\n' in its name`,
		"\xff":                      "is not UTF-8",
	} {
		if got := Unportable(output); got != want {
			t.Errorf("Unportable(%q) = %q, want %q", output, got, want)
		}
	}
}
