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

	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobenv"
)

// lister returns an Env.List that lists directories of a tree.
func lister(tree fs.FS) func(Dependency) ([]string, bool, error) {
	return func(listing Dependency) (names []string, found bool, err error) {
		entries, err := fs.ReadDir(tree, listing.Path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, false, nil
		}
		for _, e := range entries {
			if e.IsDir() == (listing.Kind == dependency.Folders) && doublestar.MatchUnvalidated(listing.Pattern, e.Name()) {
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
		deps    []string
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
		job := &Job{env: jobenv.Env{Path: "d/a.x", List: lister(tree)}}
		got, err := job.Glob(tc.pattern)
		if err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, %v; want %q", tc.pattern, got, err, tc.want)
		}
		var deps []string
		recorded, _ := job.recordedInputs()
		for _, d := range recorded {
			if at, err := d.On.Named(d.Name).Resolve("d/a.x"); err != nil || at != d.On {
				t.Errorf("%s: %q is at %v, %v; want %v", tc.pattern, d.Name, at, err, d.On)
			}
			if d.Found == strings.Contains(d.On.Path, "none") {
				t.Errorf("%s: %v is found: %v", tc.pattern, d.On, d.Found)
			}
			deps = append(deps, d.On.String())
		}
		slices.Sort(deps)
		if d := cmp.Diff(tc.deps, deps); d != "" {
			t.Errorf("%s: -want +got\n%s", tc.pattern, d)
		}
	}
}

func TestGlobRefuses(t *testing.T) {
	job := &Job{env: jobenv.Env{Path: "d/a.x", List: lister(fstest.MapFS{})}}
	for pattern, want := range map[string]string{
		"[a": "is invalid", "a\x00*": "is invalid", "{a/b,c}/*": "cannot contain a slash", "../../*": "outside the asset tree",
	} {
		if _, err := job.Glob(pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", pattern, err)
		}
	}
	if _, err := (&Job{env: jobenv.Env{Path: "a"}}).Glob("*"); err == nil {
		t.Error("no error where nothing can be listed")
	}
}

// TestGlobIsDoublestar compares Glob with doublestar.Glob, which walks the tree itself.
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
		got, err := (&Job{env: jobenv.Env{Path: "source", List: lister(tree)}}).Glob(pattern)
		if err != nil || !slices.Equal(got, slices.Compact(want)) {
			t.Fatalf("%s: %q, %v; want %q", pattern, got, err, want)
		}
	})
}
