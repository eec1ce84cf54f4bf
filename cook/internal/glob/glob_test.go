package glob

import (
	"path"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPatternChoosesPaths(t *testing.T) {
	for _, tc := range []struct {
		patterns string
		yes, no  string
	}{
		{"*.png", "a.png x/a.png x/y/.png \xff/\xfe.png", "a.PNG a.pngx png a.png/b"},
		{"/*.png", "a.png", "x/a.png"},
		{"a.png", "a.png x/a.png", "ba.png a.pngx"},
		{"/a.png", "a.png", "x/a.png"},
		{"./a.png", "a.png", "x/a.png"},
		{"./*.png", "a.png", "x/a.png"},
		{"x/a.png", "x/a.png", "a.png y/x/a.png x/a.pngx"},
		{"ui", "ui/a ui/x/b ui x/ui", "uix ui.png x/ui/a uix/a"},
		{"/ui", "ui/a ui/x/b ui", "uix x/ui x/ui/a"},
		{"ui/", "ui/a ui/x/b", "uix x/ui x/ui/a"},
		{"./ui/", "ui/a ui/x/b", "uix x/ui x/ui/a"},
		{"x/ui", "x/ui/a x/ui", "ui/a x/uix y/x/ui/a"},
		{"x/ui/", "x/ui/a", "ui/a x/uix/a"},
		{"u*/", "ui/a ux/x/b", "xu/a x/ui/a"},
		{"{ui,fx}", "ui/a fx/b x/fx", "x/fx/b"},
		{"{ui,fx/}", "ui/a fx/b", "fu x/fx/b"},
		{"**/ui", "ui x/ui", "ui/a"},
		{"u?", "ui x/ui", "ui/a"},
		{".", "a x/a", ""},
		{"./", "a x/a", ""},
		{"ui !ui/old", "ui/a ui/x/old", "ui/old ui/old/a ui/old/x/a"},
		{"ui !old", "ui/a ui/old/a", "ui/old old"},
		{". !*.png x", "a x/a.png", "a.png y/a.png"},
		{"x/**", "x/a x/y/a x/\xff", "y/x/a xa y"},
		{"/x/**", "x/a x/y/a", "y/x/a"},
		{"**", "a x/a x/y/a", ""},
		{"/**", "a x/a x/y/a", ""},
		{"*", "a x/a x/y/a", ""},
		{"/*", "a", "x/a"},
		{"**/a.png", "a.png x/a.png x/y/a.png", "ba.png x/ba.png"},
		{"**/x/*.png", "x/a.png y/x/a.png", "a.png x/y/a.png"},
		{"x/**/*_n.png", "x/a_n.png x/y/z/a_n.png x/_n.png", "a_n.png x/a.png x_n.png y/x/a_n.png"},
		{"x/**/a", "x/a x/y/a", "a x/ba"},
		{"x/*/a", "x/y/a", "x/a x/y/z/a"},
		{"?.png", "a.png x/é.png \xff.png", "ab.png .png"},
		{"[a-c].png", "b.png x/c.png", "d.png -.png"},
		{"[!a-c].png", "d.png \xff.png", "b.png"},
		{"*.{png,tga}", "a.png x/a.tga", "a.jpg a.{png,tga}"},
		{"{a,b/**}/*.{png,tga}", "a/x.png b/x.tga b/c/d/x.png", "x.png a/b/x.png c/x.png"},
		{"a{,b{c,d}}", "a abc abd", "ab a{,bc}"},
		{`a\*b`, "a*b x/a*b", "axb a\\*b"},
		{`\!a`, "!a", "a"},
		{`\{a,b\}`, "{a,b}", "a b"},
		{"[{]a[}]", "{a}", "a"},
		{"a[1].png", "a1.png a[1].png x/a[1].png", "a.png"},
		{"x[1]/a{1,2}", "x1/a1 x[1]/a{1,2} x[1]/a{1,2}/b", "x[1]/a1 a{1,2}"},
		{"x/** !*.png", "x/a x/y/a.tga", "x/a.png y/a"},
		{"x/** !/x/*.png", "x/a x/y/a.png", "x/a.png"},
		{"* !*.{png,tga} keep.*", "keep.png a.jpg x/keep.tga", "a.png a.tga"},
		{"* ![ab]", "c aa", "a x/b [ab]"},
	} {
		var list List
		for text := range strings.FieldsSeq(tc.patterns) {
			if err := list.Add(text); err != nil {
				t.Fatal(err)
			}
		}
		for want, paths := range map[bool]string{true: tc.yes, false: tc.no} {
			for p := range strings.FieldsSeq(paths) {
				if got := list.Match(p, path.Base(p)); got != want {
					t.Errorf("%s on %q: %v", tc.patterns, p, got)
				}
			}
		}
	}
}

func TestPatternsAreMatchedTheCheapestWay(t *testing.T) {
	for text, want := range map[string]kind{
		"**": anything, "*": anything, "**/*": anything, "**/**": anything, "/**": anything, "/*": glob,
		"*.png": ending, "**/*.png": ending, "*_n.png": ending, "/*.png": glob, "a*.png": glob, "**.png": glob,
		"a.png": literal, "x/a.png": literal, "**/a.png": literal,
		"x/**": below, "x/y/**": below, "x*/**": glob,
		"x/**/*.png": belowEnd, "x/y/**/*": belowEnd, "x/**/a*.png": glob, "x/*/*.png": glob,
		`\*.png`: glob, "[*].png": glob,
	} {
		ps, err := parseGlob(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := ps[0].kind; got != want {
			t.Errorf("%s: kind %d, want %d", text, got, want)
		}
	}
}

func TestBadPatternIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":           `pattern "": empty`,
		"!":          `pattern "!": empty`,
		"!a":         `pattern "!a": the pattern excludes files, but no pattern before it includes files; put such a pattern first`,
		"/":          `pattern "/": empty`,
		"a{b":        `pattern "a{b": a [class] or {alternatives} is not closed, or the pattern ends in a backslash`,
		"a}":         `pattern "a}": a [class] or {alternatives} is not closed, or the pattern ends in a backslash`,
		"[]":         `pattern "[]": a [class] or {alternatives} is not closed, or the pattern ends in a backslash`,
		`a\`:         `pattern "a\\": a [class] or {alternatives} is not closed, or the pattern ends in a backslash`,
		`textures\a`: `pattern "textures\\a": a backslash can only escape a special character; write "/" between directories`,
		"a//b":       `pattern "a//b": the pattern has an empty element; remove a slash`,
		"//a":        `pattern "//a": the pattern has an empty element; remove a slash`,
		"a/./b":      `pattern "a/./b": the pattern has the element ".", which occurs in no path; remove it`,
		"../a":       `pattern "../a": the pattern has the element "..", which occurs in no path; remove it`,
		"././a":      `pattern "././a": the pattern has the element ".", which occurs in no path; remove it`,
		"/.":         `pattern "/.": the pattern has the element ".", which occurs in no path; remove it`,
		"{../,}a":    `pattern "{../,}a": the pattern has the element "..", which occurs in no path; remove it`,
		"textures//": `pattern "textures//": the pattern has an empty element; remove a slash`,
		"textures/ ": "",
	} {
		got := ""
		if err := new(List).Add(text); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

func TestBracesExpandToAlternatives(t *testing.T) {
	for glob, want := range map[string][]string{
		"a":              {"a"},
		"{a}":            {"a"},
		"{}":             {""},
		"{a,b}{c,d}":     {"ac", "ad", "bc", "bd"},
		"x{a,{b,c}d}y":   {"xay", "xbdy", "xcdy"},
		`{a\,b,c}`:       {`a\,b`, "c"},
		`\{a,b\}{c,\}}`:  {`\{a,b\}c`, `\{a,b\}\}`},
		"[{,}]{[,],[}]}": {"[{,}][,]", "[{,}][}]"},
	} {
		got, ok := alternatives(glob)
		if d := cmp.Diff(want, got); !ok || d != "" {
			t.Errorf("%s: %v %s", glob, ok, d)
		}
	}
}

// The fast matchers must agree with the doublestar library.
func TestMatchAgreesWithDoublestar(t *testing.T) {
	atom := rapid.SampledFrom([]string{"a", "b", "ab", ".", "*", "**", "?", "/", "/", "/**/", "*.a", "[ab]", `\*`, "{a,b}", "{a/b,}", "é"})
	element := rapid.StringOfN(rapid.SampledFrom([]rune{'a', 'b', '.', '*', 'é', '{'}), 1, 4, -1)
	hits := 0
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(atom, 1, 6).Draw(t, "pattern"), "")
		file := strings.Join(rapid.SliceOfN(element, 1, 4).Draw(t, "path"), "/")
		if rapid.Bool().Draw(t, "badly encoded") {
			file += "\xff"
		}
		var list List
		if err := list.Add(text); err != nil || text == "." || text == "./" {
			return
		}
		seen := file
		if !strings.Contains(text, "/") {
			seen = path.Base(file)
		}
		want := false
		rest := strings.TrimPrefix(strings.TrimPrefix(text, "/"), "./")
		globs, _ := alternatives(rest)
		folder := false // set if the pattern selects directories, unlike in the library
		for _, g := range globs {
			if strings.HasSuffix(g, "/") {
				folder, g = true, g+"**"
			} else if !strings.ContainsAny(g, `*?[{\`) && strings.HasPrefix(file, g+"/") {
				folder, want = true, true
			}
			want = want || doublestar.MatchUnvalidated(g, seen)
		}
		if got := list.Match(file, path.Base(file)); got != want {
			t.Fatalf("%q on %q: got %v, want %v", text, file, got, want)
		}
		if want {
			hits++
			if !strings.HasPrefix(file, list.Prefix()) {
				t.Fatalf("%q matches %q and starts with %q", text, file, list.Prefix())
			}
		}
		// If a brace expands beside a star, the result may contain **. A shell treats it as **, but
		// the library does not. In all other cases, the library must give the same result.
		if !strings.Contains(text, "*{") && !strings.Contains(text, "}*") && !strings.Contains(text, "}/**") && !folder {
			if got := doublestar.MatchUnvalidated(rest, seen); got != want {
				t.Fatalf("%q on %q: got %v, the library says %v", text, file, want, got)
			}
		}
	})
	if hits == 0 && !testing.Short() {
		t.Error("no pattern ever matched, so the test proves nothing")
	}
}

func TestPrefixIsCommonToAllChosenPaths(t *testing.T) {
	for patterns, want := range map[string]string{
		"": "", ".": "", "*.png": "", "a.png": "", "/a.png": "a.png", "ui/": "ui", "x/y/*.png": "x/y", "x/y[12]/**": "x/y", "x/ya x/yb/*": "x/y",
		"x/** !x/y/*": "x", "x/* b": "", "**/x/*": "", `x\*/a`: "x", "x/**/*.png": "x/", "{ab,ac}/*": "", "x/{ab,ac}/*": "x/",
	} {
		var list List
		for _, text := range strings.Fields(patterns) {
			if err := list.Add(text); err != nil {
				t.Fatal(err)
			}
		}
		if got := list.Prefix(); got != want {
			t.Errorf("%s: %q, want %q", patterns, got, want)
		}
	}
}

func TestEscapedPathMatchesOnlyItself(t *testing.T) {
	for path, other := range map[string]string{
		"a/b.png": "a/bxpng", "a*": "ab", "x/a?.png": "x/ab.png", "[ab].c": "a.c", "{a,b}": "a", `a\*b`: "a*b", `\`: "", "d[1]/{x}*.json": "d1/x.json",
	} {
		for _, escaped := range []string{Escape(path), wordMarks.Replace(path)} {
			if strings.Contains(path, `\`) && escaped != Escape(path) {
				continue // the name is invalid on Windows
			}
			var l List
			if err := l.Add("/" + escaped); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			base := func(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }
			if !l.Match(path, base(path)) || l.Match(other, base(other)) {
				t.Errorf("%s: %v, %s: %v", path, l.Match(path, base(path)), other, l.Match(other, base(other)))
			}
		}
	}
}
