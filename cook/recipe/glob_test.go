package recipe

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// lister is Env.List of a tree.
func lister(tree fs.FS) func(folder, pattern string, ofFolders bool) ([]string, bool, error) {
	return func(folder, pattern string, ofFolders bool) (names []string, found bool, err error) {
		entries, err := fs.ReadDir(tree, folder)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, false, nil
		}
		for _, e := range entries {
			if e.IsDir() == ofFolders && doublestar.MatchUnvalidated(pattern, e.Name()) {
				names = append(names, e.Name())
			}
		}
		return names, true, err
	}
}

func TestGlob(t *testing.T) {
	tree := fstest.MapFS{}
	for _, name := range []string{"d/a.x", "d/b.h", "d/c.h", "d/sub/e.h", "d/sub/deep/f.h", "lib/g.h", "lib/h.inc", "z.h"} {
		tree[name] = &fstest.MapFile{}
	}
	for _, tc := range []struct {
		pattern string
		want    []string
		deps    []string // paths
	}{
		{"*.h", []string{"b.h", "c.h"}, []string{"d/*.h"}},
		{"./*.h", []string{"b.h", "c.h"}, []string{"d/*.h"}},
		{"/lib/*.{h,inc}", []string{"/lib/g.h", "/lib/h.inc"}, []string{"lib/*.{h,inc}"}},
		{"/*.h", []string{"/z.h"}, []string{"*.h"}},
		{"../lib/*", []string{"../lib/g.h", "../lib/h.inc"}, []string{"lib/*"}},
		{"**/*.h", []string{"b.h", "c.h", "sub/deep/f.h", "sub/e.h"},
			[]string{"d/*.h", "d/*/", "d/sub/*.h", "d/sub/*/", "d/sub/deep/*.h", "d/sub/deep/*/"}},
		{"**/**/f.h", []string{"sub/deep/f.h"}, []string{"d/*/", "d/f.h", "d/sub/*/", "d/sub/deep/*/", "d/sub/deep/f.h", "d/sub/f.h"}},
		{"s*/*.h", []string{"sub/e.h"}, []string{"d/s*/", "d/sub/*.h"}},
		{"sub/**", []string{"sub/deep/f.h", "sub/e.h"}, []string{"d/sub/*", "d/sub/*/", "d/sub/deep/*", "d/sub/deep/*/"}},
		{"none/*.h", nil, []string{"d/none/*.h"}},
	} {
		job := NewJob(Env{Path: "d/a.x", List: lister(tree)}, 0)
		got, err := job.Glob(tc.pattern)
		if err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, %v; want %q", tc.pattern, got, err, tc.want)
		}
		var deps []string
		for _, d := range job.Deps() {
			if at, err := Resolve("d/a.x", d.Name); err != nil || at != d.Path {
				t.Errorf("%s: %q is at %q, %v; want %q", tc.pattern, d.Name, at, err, d.Path)
			}
			if d.Found == strings.Contains(d.Path, "none") {
				t.Errorf("%s: %q is found: %v", tc.pattern, d.Path, d.Found)
			}
			deps = append(deps, strings.NewReplacer(".\x00", "", "*\x00", "*/").Replace(strings.ReplaceAll(d.Path, "s*\x00", "s*/")))
		}
		slices.Sort(deps)
		if d := cmp.Diff(tc.deps, deps); d != "" {
			t.Errorf("%s: -want +got\n%s", tc.pattern, d)
		}
	}
}

func TestGlobRefuses(t *testing.T) {
	job := NewJob(Env{Path: "d/a.x", List: lister(fstest.MapFS{})}, 0)
	for pattern, want := range map[string]string{
		"[a": "not valid", "a\x00*": "not valid", "{a/b,c}/*": "{a,b} cannot hold a slash", "../../*": "outside the asset tree",
	} {
		if _, err := job.Glob(pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", pattern, err)
		}
	}
	if _, err := NewJob(Env{Path: "a"}, 0).Glob("*"); err == nil {
		t.Error("no error where nothing can be listed")
	}
}

// Glob finds what doublestar does that walks the tree itself.
func TestGlobIsDoublestar(t *testing.T) {
	names := rapid.SampledFrom([]string{"a", "b", "a/a", "a/b", "b/a/c", "b/b/b", "c/x/y/z", "ab", "b/ab"})
	parts := rapid.SampledFrom([]string{"a", "b", "*", "**", "?", "[ab]", "{a,b}", "a*", "x", "y"})
	rapid.Check(t, func(t *rapid.T) {
		tree := fstest.MapFS{}
		for _, name := range rapid.SliceOf(names).Draw(t, "names") {
			tree[name+".h"] = &fstest.MapFile{}
		}
		pattern := path.Join(rapid.SliceOfN(parts, 0, 3).Draw(t, "folders")...)
		pattern = path.Join(pattern, rapid.SampledFrom([]string{"*.h", "a.h", "?.h", "*"}).Draw(t, "file"))
		want, err := doublestar.Glob(tree, pattern, doublestar.WithFilesOnly())
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(want)
		got, err := NewJob(Env{Path: "source", List: lister(tree)}, 0).Glob(pattern)
		if err != nil || !slices.Equal(got, slices.Compact(want)) {
			t.Fatalf("%s: %q, %v; want %q", pattern, got, err, want)
		}
	})
}

// The names of listings resolve as those of files do.
func TestResolveListing(t *testing.T) {
	for name, want := range map[string]string{
		".\x00*": "d/.\x00*", "/.\x00*": ".\x00*", "../.\x00*\x00": ".\x00*\x00", "../..\x00*": "", "../../.\x00*": "", ".\x00": "d/.\x00", "x.\x00*": "",
	} {
		if got, err := Resolve("d/a", name); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", name, got, err, want)
		}
	}
}
