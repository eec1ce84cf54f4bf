//go:build unix

package scan

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/memtemp"
)

// TestIgnoreRulesByExample checks lists of ignored and kept paths, also with git.
func TestIgnoreRulesByExample(t *testing.T) {
	tests := []struct {
		name    string
		ignores map[string]string
		folders []string
		out, in []string // paths that are ignored, and paths that are kept
	}{
		{"name", map[string]string{"": "a.png\n"}, nil, []string{"a.png", "x/a.png", "a.png/x"}, []string{"b.png", "aa.png", "a.pngx"}},
		{"suffix", map[string]string{"": "*.psd\n"}, nil, []string{".psd", "a.psd", "x/y/a.psd"}, []string{"psd", "a.psd2"}},
		{"prefix", map[string]string{"": "tmp*\n"}, nil, []string{"tmp", "tmp1", "x/tmp/y"}, []string{"xtmp"}},
		{"anchored", map[string]string{"": "/a\n"}, nil, []string{"a", "a/b"}, []string{"b/a"}},
		{"slash inside anchors", map[string]string{"": "a/b\n"}, nil, []string{"a/b", "a/b/c"}, []string{"x/a/b", "a", "a/bc"}},
		{"directory only", map[string]string{"": "a/\n"}, []string{"a", "y/a"}, []string{"a", "a/x", "y/a/z"}, []string{"x/a"}},
		{"anchored directory only", map[string]string{"": "/a/\n"}, []string{"a", "y/a"}, []string{"a"}, []string{"y/a"}},
		{"star keeps to its element", map[string]string{"": "a/*/c\n"}, nil, []string{"a/b/c"}, []string{"a/c", "a/b/b/c"}},
		{"deep in front", map[string]string{"": "**/c/d\n"}, nil, []string{"c/d", "a/c/d", "a/b/c/d"}, []string{"d", "cc/d"}},
		{"deep in the middle", map[string]string{"": "a/**/d\n"}, nil, []string{"a/d", "a/b/d", "a/b/c/d"}, []string{"d", "b/a/d", "a/bd"}},
		{"deep behind", map[string]string{"": "a/**\n"}, nil, []string{"a/b", "a/b/c"}, []string{"a", "b/a/c"}},
		{"deep stuck to a name", map[string]string{"": "x/a**b\n"}, nil, []string{"x/ab", "x/axb"}, []string{"x/a/b"}},
		{"deep and star", map[string]string{"": "a/**/*.x/*b\n"}, nil, []string{"a/.x/b", "a/q/r.x/bb", "a/x.x/x.x/b"}, []string{"a/r.x/x/b", "a/b"}},
		{"question mark", map[string]string{"": "a?c\n"}, nil, []string{"abc", "a?c"}, []string{"ac", "a/c", "abbc"}},
		{"negation", map[string]string{"": "*.x\n!keep.x\n"}, nil, []string{"a.x"}, []string{"keep.x", "d/keep.x"}},
		{"last one wins", map[string]string{"": "!a\na\n"}, nil, []string{"a"}, nil},
		{"parent cannot be taken back", map[string]string{"": "d/\n!d/a\n"}, []string{"d"}, []string{"d/a"}, nil},
		{"contents can", map[string]string{"": "d/*\n!d/a\n"}, []string{"d"}, []string{"d/b"}, []string{"d", "d/a"}},
		{"nested wins", map[string]string{"": "*.x\n", "d": "!a.x\n"}, nil, []string{"a.x", "d/b.x"}, []string{"d/a.x", "d/e/a.x"}},
		{"nested is relative", map[string]string{"d": "/a\nb/c\n"}, nil, []string{"d/a", "d/b/c"}, []string{"a", "b/c", "d/e/a", "d/e/b/c"}},
		{"ignored directory's file is not read", map[string]string{"": "d\n", "d": "!*\n"}, nil, []string{"d/a"}, nil},
		{"comment", map[string]string{"": "#a\n\\#b\n"}, nil, []string{"#b"}, []string{"#a", "a"}},
		{"bang", map[string]string{"": "\\!a\n!!b\n"}, nil, []string{"!a"}, []string{"a", "!b"}},
		{"trailing space", map[string]string{"": "a  \nb\\ \nc\\  \nd\t\n e\n"}, nil, []string{"a", "b ", "c ", "d\t", " e"}, []string{"a  ", "b", "c", "c  ", "d", "e"}},
		{"carriage return", map[string]string{"": "a\r\nb\r\r\n\r\nc\r"}, nil, []string{"a", "b\r", "c"}, []string{"a\r", "b", "c\r", "\r"}},
		{"carriage return and space", map[string]string{"": "a \r\nb\r \n"}, nil, []string{"a", "b\r"}, []string{"a ", "b"}},
		{"BOM", map[string]string{"": "\xef\xbb\xbfa\n\xef\xbb\xbfb\n"}, nil, []string{"a", "\xef\xbb\xbfb"}, []string{"b", "\xef\xbb\xbfa"}},
		{"no line end", map[string]string{"": "a\nb"}, nil, []string{"a", "b"}, nil},
		{"NUL ends a line", map[string]string{"": "a\x00b\n\x00\nc\n"}, nil, []string{"a", "c"}, []string{"b"}},
		{"set", map[string]string{"": "[abx-z]\n"}, nil, []string{"a", "b", "x", "y", "z"}, []string{"c", "w", "-", "ab"}},
		{"set negated", map[string]string{"": "q[!a-c]\nr[^a-c]\n"}, nil, []string{"qd", "q!", "rd", "r^"}, []string{"qa", "rb", "q", "r"}},
		{"set with odd ones", map[string]string{"": "[]-]\nq[a-]\nr[]a]\ns[\\]]\nt[a\\-z]\n"}, nil, []string{"]", "-", "q-", "r]", "s]", "t-", "ta"}, []string{"q]", "tb", "t\\"}},
		{"set out of order", map[string]string{"": "[z-a]\n"}, nil, []string{"z"}, []string{"a", "m", "-"}},
		{"set never takes a slash", map[string]string{"": "x/a[/]b\ny/a[!b]c\n"}, nil, nil, []string{"x/a/b", "y/a/c"}},
		{"class", map[string]string{"": "[[:digit:][:upper:]_]\n"}, nil, []string{"7", "Q", "_"}, []string{"q", ":", "d"}},
		{"not a class", map[string]string{"": "[[:a]b\n[[:]\n"}, nil, []string{"[b", ":b", "ab", "[", ":"}, []string{"b"}},
		{"malformed", map[string]string{"": "[a\na\\\n[[:nope:]]\n[\\\n"}, nil, nil, []string{"[a", "a", "a\\", "n", "["}},
		{"escapes", map[string]string{"": "\\*\n\\a\nx\\\\y\n"}, nil, []string{"*", "a", "x\\y"}, []string{"\\*", "b"}},
		{"escaped slash", map[string]string{"": "a\\/b\n**\\/c\nd\\/\n"}, []string{"d"}, []string{"a/b", "q/c", "q/r/c"}, []string{"c", "d"}},
		{"nothing", map[string]string{"": "/\n//\n!\n!/\n   \n"}, []string{"a"}, nil, []string{"a", "b/c"}},
		{"literal part comes off first", map[string]string{"": "/foo**/bar\n"}, nil, []string{"foobar", "foo/bar", "foox/y/bar"}, []string{"foobaz"}},
		{"any bytes", map[string]string{"": "\xff*\n[\x80-\x90]\n"}, nil, []string{"\xffa", "\x85"}, []string{"a\xff", "\x91"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newForest(tt.ignores, tt.folders...)
			for _, path := range tt.out {
				if !f.judge(path).ignored() {
					t.Errorf("%q is kept", path)
				}
			}
			for _, path := range tt.in {
				if f.judge(path).ignored() {
					t.Errorf("%q is ignored", path)
				}
			}
			f.compare(t, t.TempDir(), append(append([]string{}, tt.out...), tt.in...))
		})
	}
}

func TestSetsMatchTheSameBytesAsGit(t *testing.T) {
	sets := []string{"[!-/]", "[a-z]", "[^a-z]", "[\\a-\\z]", "[--0]", "[]-a]", "[!]a-]", "[\x80-\xff]", "[\x01-\x1f]", "?"}
	for _, c := range []string{"alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit", "word", ""} {
		sets = append(sets, "[[:"+c+":]]", "[![:"+c+":]]", "[[:"+c+":]-z]")
	}
	ignores := map[string]string{}
	var paths []string
	for i, set := range sets {
		folder := fmt.Sprintf("d%d", i)
		ignores[folder] = "x" + set + "\n"
		for b := 1; b < 256; b++ {
			if b != '/' {
				paths = append(paths, folder+"/x"+string([]byte{byte(b)}))
			}
		}
	}
	newForest(ignores).compare(t, t.TempDir(), paths)
}

// Random patterns and names consist of these few words, so that they often match.
var (
	patternWords = []string{
		"a", "b", "c", "a", "b", "ab", ".", "-", " ", "/", "/", "/", "*", "*", "*", "**", "**/", "/**", "?", "!", "#", "\\", "\t", "\r",
		"[", "]", "^", "[ab]", "[!a]", "[^b-]", "[a-c]", "[]a]", "[[:alpha:]]", "[[:x:]]", "[:", ":]", "*.psd", "node_modules", "\\*", "\\ ", "\\/", "\xff", "\xef\xbb\xbf",
	}
	nameWords = []string{"a", "a", "b", "b", "c", "ab", ".", ".psd", "node_modules", ".blend1", "-", " ", "*", "!", "#", "\\", "[", "]", "^", ":", "\t", "\xff"}
)

func drawName(t *rapid.T) string {
	words := rapid.SliceOfN(rapid.SampledFrom(nameWords), 1, 3)
	name := rapid.Map(words, func(w []string) string { return strings.Join(w, "") })
	return name.Filter(func(s string) bool { return s != "." && s != ".." }).Draw(t, "name")
}

func drawPath(t *rapid.T) string {
	var names []string
	for range rapid.IntRange(1, 4).Draw(t, "depth") {
		names = append(names, drawName(t))
	}
	return strings.Join(names, "/")
}

func drawIgnore(t *rapid.T) string {
	line := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(patternWords), 1, 7), func(w []string) string {
		return strings.Join(w, "")
	})
	text := strings.Join(rapid.SliceOfN(line, 1, 6).Draw(t, "patterns"), "\n")
	return text + rapid.SampledFrom([]string{"\n", "\r\n", ""}).Draw(t, "end")
}

func drawForest(t *rapid.T) forest {
	folders := make([]string, rapid.IntRange(0, 5).Draw(t, "folders"))
	for i := range folders {
		folders[i] = drawPath(t)
	}
	ignores := map[string]string{"": drawIgnore(t)}
	for _, folder := range folders {
		if rapid.Bool().Draw(t, "has ignore file") {
			ignores[folder] = drawIgnore(t)
		}
	}
	return newForest(ignores, folders...)
}

// TestRandomPathsAreIgnoredAsByGit compares verdicts on random paths and patterns with git, which
// names the deciding line.
func TestRandomPathsAreIgnoredAsByGit(t *testing.T) {
	parent := memtemp.Dir(t)
	rapid.Check(t, func(rt *rapid.T) {
		f := drawForest(rt)
		var paths []string
		for folder := range f.folders {
			paths = append(paths, folder, folder+"/a", folder+"/ab.c/b")
		}
		for range 60 {
			paths = append(paths, drawPath(rt))
		}
		dir, err := os.MkdirTemp(parent, "")
		if err != nil {
			rt.Fatal(err)
		}
		f.compare(rt, dir, paths)
	})
}

func TestWalkKeepsTheFilesThatGitKeeps(t *testing.T) {
	parent := memtemp.Dir(t)
	rapid.Check(t, func(rt *rapid.T) {
		f := drawForest(rt)
		dir, err := os.MkdirTemp(parent, "")
		if err != nil {
			rt.Fatal(err)
		}
		if err := f.plant(dir, IgnoreName); err != nil {
			rt.Fatal(err)
		}
		files := map[string]bool{}
		for range 20 {
			path := drawPath(rt)
			if err := os.MkdirAll(filepath.Join(dir, slashParent(path)), 0o777); err != nil {
				continue // a file cannot have names below it
			}
			if err := os.WriteFile(filepath.Join(dir, path), nil, 0o666); err == nil && !hasJunk(path) {
				files[path] = true
			}
		}
		tree, err := Dir(context.Background(), dir, Options{})
		if err != nil {
			rt.Fatal(err)
		}
		var all []string
		for path := range files {
			all = append(all, path)
		}
		f.defaults = Defaults // git gives them the lowest precedence, as the walk does
		verdicts, err := f.askGit(dir, all)
		if err != nil {
			rt.Fatal(err)
		}
		want := map[string]bool{}
		for i, path := range all {
			if !verdicts[i].ignored() {
				want[path] = true
			}
		}
		got := map[string]bool{}
		for _, e := range tree.Entries {
			got[e.Path] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("git (-) and walk (+) keep\n%s\n%q", diff, f.ignores)
		}
		if len(tree.Problems) > 0 {
			rt.Fatalf("problems: %v", tree.Problems)
		}
	})
}

func hasJunk(path string) bool {
	names := strings.Split(path, "/")
	for i, name := range names {
		if junkFolder(name) && i < len(names)-1 || junkFile(name) && i == len(names)-1 {
			return true
		}
	}
	return false
}
