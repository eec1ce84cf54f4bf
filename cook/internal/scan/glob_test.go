package scan

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// tableMatch is a simple implementation of matchGlob. After each step, it knows all positions in s
// where a match of the previous steps can end.
func tableMatch(glob []step, s []byte) bool {
	reach := make([]bool, len(s)+1)
	reach[0] = true
	for _, st := range glob {
		next := make([]bool, len(s)+1)
		for i, ok := range reach {
			if !ok {
				continue
			}
			switch st.op {
			case opStar:
				next[i] = true
				for j := i; j < len(s) && s[j] != '/'; j++ {
					next[j+1] = true
				}
			case opDeep:
				for j := i; j <= len(s); j++ {
					next[j] = true
				}
			case opFolders:
				next[i] = true
				for j := i; j < len(s); j++ {
					next[j+1] = next[j+1] || s[j] == '/'
				}
			default:
				if i < len(s) && st.takes(s[i]) {
					next[i+1] = true
				}
			}
		}
		reach = next
	}
	return reach[len(s)]
}

func TestGreedyMatcherAgreesWithTable(t *testing.T) {
	words := []string{"a", "b", "/", "/", "*", "*", "**/", "/**", "/**/", "?", "[ab]", "[!a]", `**\/`}
	letters := []byte("aab/c")
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 12).Draw(t, "glob"), "")
		s := rapid.SliceOfN(rapid.SampledFrom(letters), 0, 20).Draw(t, "path")
		glob, ok := compileGlob(text)
		if !ok {
			t.Fatalf("%q does not compile", text)
		}
		// matchGlob requires paths without empty elements.
		path := []byte(cleanSlashes(string(s)))
		if got, want := matchGlob(glob, path), tableMatch(glob, path); got != want {
			t.Fatalf("%q against %q: got %v, want %v", text, path, got, want)
		}
	})
}

func cleanSlashes(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '/' }), "/")
}

// TestManyStarsTakeBoundedTime uses patterns that take exponential time with backtracking.
func TestManyStarsTakeBoundedTime(t *testing.T) {
	as := strings.Repeat("a", 2000)
	tests := []struct {
		glob, path string
		want       bool
	}{
		{strings.Repeat("a*", 200) + "b", as, false},
		{strings.Repeat("*a", 200) + "*b", as, false},
		{strings.Repeat("*?", 200) + "*b", as, false},
		{strings.Repeat("[ab]*", 200) + "b", as, false},
		{strings.Repeat("a*", 200), as, true},
		{strings.Repeat("**/a/", 200) + "b", strings.Repeat("a/", 1000) + "a", false},
		{strings.Repeat("**/*a*/", 100) + "b", strings.Repeat("aa/", 700) + "a", false},
		{strings.Repeat("**/*a*/", 100) + "b", strings.Repeat("aa/", 700) + "b", true},
		{strings.Repeat("*/", 300) + "b", strings.Repeat("a/", 1000) + "a", false},
	}
	for _, tt := range tests {
		glob, ok := compileGlob(tt.glob)
		if !ok {
			t.Fatalf("%.20q does not compile", tt.glob)
		}
		if got := matchGlob(glob, []byte(tt.path)); got != tt.want {
			t.Errorf("%.20q... against %.20q...: got %v", tt.glob, tt.path, got)
		}
	}
}

func TestIgnoreLinesAreParsedAsGitDoes(t *testing.T) {
	patterns := parseIgnore([]byte("# one\n\n*.a\n[broken\n!b/\n/c/d*"))
	type line struct {
		number                     int
		negate, folderOnly, byName bool
		text                       string
	}
	want := []line{
		{3, false, false, true, ".a"},
		{5, true, true, true, "b"},
		{6, false, false, false, "c/d"},
	}
	if len(patterns) != len(want) {
		t.Fatalf("%d patterns, want %d", len(patterns), len(want))
	}
	for i, p := range patterns {
		if got := (line{p.line, p.negate, p.folderOnly, p.byName, p.text}); got != want[i] {
			t.Errorf("pattern %d: got %+v, want %+v", i, got, want[i])
		}
	}
}

func FuzzIgnore(f *testing.F) {
	for _, text := range []string{"a*b", "**/a", "a/**/b", "[[:alpha:]-]", "[!]a-]\\", "!x/\r\n#\n\\ ", "a*a*a*a*b", "[[:a", "\xef\xbb\xbf/**"} {
		f.Add([]byte(text), []byte("a/b.c/aab"), false)
	}
	f.Fuzz(func(t *testing.T, text, path []byte, isFolder bool) {
		if len(text) > 1<<12 || len(path) > 1<<12 {
			return
		}
		patterns := parseIgnore(text)
		path = []byte(cleanSlashes(string(path)))
		if len(path) == 0 {
			return
		}
		name := len(slashParent(string(path)))
		if name > 0 {
			name++
		}
		var list *ignoreList
		list = list.withPatterns(patterns, "")
		decided := list.deciding(path, name, isFolder)
		if decided != nil && decided.folderOnly && !isFolder {
			t.Fatalf("line %d is for directories", decided.line)
		}
		for _, p := range patterns {
			if len(p.glob) > len(text) {
				t.Fatalf("line %d: %d steps from %d bytes", p.line, len(p.glob), len(text))
			}
			rest, ok := strings.CutPrefix(string(path), p.text)
			if p.shape == shapeGlob && ok && matchGlob(p.glob, []byte(rest)) != tableMatch(p.glob, []byte(rest)) {
				t.Fatalf("line %d: matchers disagree on %q", p.line, rest)
			}
		}
	})
}
