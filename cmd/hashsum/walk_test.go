package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// tree makes files; a name that ends with a slash is a directory.
func tree(t testing.TB, names ...string) string {
	t.Helper()
	root := filepath.ToSlash(t.TempDir())
	for _, name := range names {
		dir, file := root+"/"+name, ""
		if !strings.HasSuffix(name, "/") {
			dir, file = filepath.Dir(dir), dir
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if file != "" {
			if err := os.WriteFile(file, []byte(name), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

// walked returns the names that a walk reports, relative to a root.
func walked(t testing.TB, root string, args ...string) (files, others []string) {
	t.Helper()
	short := func(name string) string { return strings.TrimPrefix(name, root+"/") }
	w := walker{
		file:    func(name string) bool { files = append(files, short(name)); return true },
		failed:  func(err error) { others = append(others, "failed "+strings.ReplaceAll(err.Error(), root+"/", "")) },
		skipped: func(name, why string) { others = append(others, short(name)+" "+why) },
	}
	w.walkArguments(t.Context(), args)
	return files, others
}

func TestWalkOrder(t *testing.T) {
	names := []string{"a/b", "a/c/d", "a.b", "a-b/x", "a0", "ab", "B", "a/c.d", "a/c-d", "é", "empty/"}
	root := tree(t, names...)
	want := slices.DeleteFunc(names, func(n string) bool { return strings.HasSuffix(n, "/") })
	slices.Sort(want)
	for _, arg := range []string{root, root + "/"} {
		got, others := walked(t, root, arg)
		if diff := cmp.Diff(want, got); diff != "" || others != nil {
			t.Errorf("%s: %s\n%q", arg, diff, others)
		}
	}
	got, _ := walked(t, root, root+"/ab", stdinName, root+"/a", root+"/B", root+"/ab")
	if diff := cmp.Diff([]string{"ab", "-", "a/b", "a/c-d", "a/c.d", "a/c/d", "B", "ab"}, got); diff != "" {
		t.Error(diff)
	}
}

// A dirEntry has the fields of fs.DirEntry that compareEntries uses.
type dirEntry struct {
	fs.DirEntry
	name string
	dir  bool
}

func (e dirEntry) Name() string { return e.name }
func (e dirEntry) IsDir() bool  { return e.dir }

func TestCompareIsOrderOfPaths(t *testing.T) {
	name := rapid.StringOfN(rapid.SampledFrom([]rune("a.-0/\x01\xff")), 1, 4, -1).
		Filter(func(s string) bool { return !strings.Contains(s, "/") })
	rapid.Check(t, func(t *rapid.T) {
		a := dirEntry{name: name.Draw(t, "a"), dir: rapid.Bool().Draw(t, "a is directory")}
		b := dirEntry{name: name.Filter(func(s string) bool { return s != a.name }).Draw(t, "b"), dir: rapid.Bool().Draw(t, "b is directory")}
		path := func(e dirEntry) string {
			if e.dir {
				return e.name + "/" + name.Draw(t, "below")
			}
			return e.name
		}
		if got, want := compareEntries(a, b) < 0, path(a) < path(b); got != want {
			t.Fatalf("%+v before %+v: %v, want %v", a, b, got, want)
		}
	})
}

func TestWalkReportsMissingArguments(t *testing.T) {
	root := tree(t, "a")
	files, others := walked(t, root, root+"/gone", root+"/a")
	if len(files) != 1 || len(others) != 1 || !strings.HasPrefix(others[0], "failed ") {
		t.Errorf("%q, %q", files, others)
	}
}

// A directory that disappears before it is listed must be reported as an error. The walk must
// continue.
func TestWalkFailedListing(t *testing.T) {
	root := tree(t, "a")
	var failures []error
	w := walker{failed: func(err error) { failures = append(failures, err) }}
	if !w.walkFolder(t.Context(), root+"/gone/") || len(failures) != 1 || !errors.Is(failures[0], fs.ErrNotExist) {
		t.Errorf("%v", failures)
	}
}

func TestWalkStops(t *testing.T) {
	root := tree(t, "a", "b", "d/c", "d/e", "f")
	for stop := 1; stop < 5; stop++ {
		n := 0
		w := walker{file: func(string) bool { n++; return n < stop }}
		w.walkArguments(t.Context(), []string{root, root})
		if n != stop {
			t.Errorf("%d files after the walk should have ended at %d", n, stop)
		}
	}
	n := 0
	ctx, cancel := context.WithCancel(t.Context())
	w := walker{file: func(string) bool { n++; cancel(); return true }}
	if w.walkArguments(ctx, []string{root, root}); n != 1 {
		t.Errorf("%d files of a cancelled walk", n)
	}
}
