package restat_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A tree is a directory on the disk with assets, outputs and tools. Its other fields are facts for
// the index that cannot be read from the disk.
type tree struct {
	testing.TB
	base      string            // contains the directories assets, out and tools
	others    []string          // dependencies that are not assets
	absent    []string          // dependencies that did not exist
	links     map[string]string // real paths of directories that were listed behind a link
	unsettled map[string]bool   // files whose stamps were too fresh
	fresh     map[string]bool   // directories whose stamps were too fresh
	odd       map[string]bool   // directories with unreliable stamps
}

// smallTree makes a tree with every kind of node.
func smallTree(t testing.TB) *tree {
	w := &tree{TB: t, base: t.TempDir()}
	for _, name := range []string{
		"assets/cook.toml", "assets/.cookignore", "assets/a.txt", "assets/b.txt", "assets/x/c.txt", "assets/x/cook.toml",
		"assets/x/y/d.txt", "assets/z/e.txt", "assets/lib/o.inc", "assets/x/p.inc",
		"out/a.txt.out", "out/b.txt.out", "out/x/c.txt.out", "out/x/y/d.txt.out", "tools/cc",
	} {
		w.write(name, "content of "+name)
	}
	w.others = []string{"lib/o.inc", "x/p.inc", filepath.Join(w.base, "tools", "cc")}
	w.absent = []string{"x/no.inc", "nowhere/no.inc", "a.txt/no.inc", strings.Repeat("long", 100)}
	return w
}

// Of smallTree, the directories assets, x, x/y and z are listed. lib, nowhere and a.txt contain
// dependencies of recipes.
var smallCounts = restat.Counts{
	Opened: 4 + 3 + 3 + 1, // asset directories, then directories of dependencies, outputs and tools
	Stats:  4 + 8 + 3 + 2 + 4,
	// The summands are directories, sources and cook's files, other files, absent files, and
	// outputs.
}

func (w *tree) name(name string) string { return filepath.Join(w.base, filepath.FromSlash(name)) }

func (w *tree) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *tree) mkdir(name string) { w.Helper(); w.must(os.MkdirAll(w.name(name), 0o777)) }

func (w *tree) write(name, text string) {
	w.Helper()
	w.mkdir(path.Dir(name))
	w.must(os.WriteFile(w.name(name), []byte(text), 0o666))
}

func (w *tree) touch(name string) {
	w.Helper()
	w.must(os.Chtimes(w.name(name), time.Unix(1, 0), time.Unix(1, 0)))
}

func (w *tree) remove(name string)      { w.Helper(); w.must(os.RemoveAll(w.name(name))) }
func (w *tree) rename(from, to string)  { w.Helper(); w.must(os.Rename(w.name(from), w.name(to))) }
func (w *tree) link(name, other string) { w.Helper(); w.must(os.Link(w.name(name), w.name(other))) }

func (w *tree) stamp(name string) scan.Stamp {
	w.Helper()
	info, err := os.Lstat(name)
	w.must(err)
	return scan.StampOf(info)
}

// tick waits until the file system gives new times to changes.
func (w *tree) tick() {
	w.Helper()
	change := func() scan.Stamp {
		w.write("tick", "")
		defer w.remove("tick")
		s := w.stamp(w.name("tick"))
		return scan.Stamp{MTime: s.MTime, CTime: s.CTime}
	}
	for begin := change(); change() == begin; {
	}
}

// function is the checksum function of the tests' indexes.
func function(t testing.TB) hashing.Func {
	f, ok := hashing.Lookup("xxh128")
	if !ok {
		t.Fatal("no xxh128")
	}
	return f
}

// index describes the files on the disk.
func (w *tree) index() index.Encoded {
	w.Helper()
	b := index.Empty().Anew("xxh128")
	for place, real := range w.links {
		b.PutFolder(scan.Folder{Path: place, Real: real, Stamp: w.stamp(w.name("assets/" + real)), Odd: w.odd[place]}, true)
	}
	sources := map[string]index.Action{}
	w.walk("assets", func(place string, d fs.DirEntry) {
		switch {
		case strings.HasPrefix(place+"/", "lib/"):
		case d.IsDir():
			b.PutFolder(scan.Folder{Path: place, Real: place, Stamp: w.stamp(w.name("assets/" + place)), Odd: w.odd[place]}, !w.fresh[place])
		case d.Type().IsRegular() && !slices.Contains(w.others, place):
			role := index.Asset
			switch path.Base(place) {
			case scan.ConfigName:
				role = index.Config
			case scan.IgnoreName:
				role = index.Ignore
			default:
				sources[place] = index.Action{Path: place}
			}
			b.PutFile(w.file(w.name("assets/"+place), place, role))
		}
	})
	for _, other := range w.others {
		name := other
		if !filepath.IsAbs(other) {
			name = w.name("assets/" + other)
		}
		b.PutFile(w.file(name, other, index.Other))
	}
	w.walk("out", func(place string, d fs.DirEntry) {
		if d.IsDir() {
			return
		}
		source := strings.TrimSuffix(place, ".out")
		a, ok := sources[source]
		if !ok {
			w.Fatalf("out/%s has no source", place)
		}
		f := w.file(w.name("out/"+place), place, index.Made)
		a.Made = append(a.Made, index.Artifact{Path: place, Stamp: f.Stamp, Settled: f.Settled, Sum: f.Sum})
		sources[source] = a
	})
	for _, a := range sources {
		for _, missing := range w.absent {
			a.Deps = append(a.Deps, index.Dep{Name: missing, On: dependency.OfFile(missing)})
		}
		b.PutAction(a)
	}
	e, _, err := b.Encode()
	w.must(err)
	return e
}

func (w *tree) walk(top string, visit func(place string, d fs.DirEntry)) {
	w.Helper()
	w.must(filepath.WalkDir(w.name(top), func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(w.name(top), name)
		if rel == "." {
			rel = ""
		}
		visit(filepath.ToSlash(rel), d)
		return err
	}))
}

// file reads a file for the index. For dependencies, it uses stat instead of lstat.
func (w *tree) file(name, place string, role index.Role) index.File {
	w.Helper()
	stat := os.Lstat
	if role == index.Other {
		stat = os.Stat
	}
	info, err := stat(name)
	w.must(err)
	data, err := os.ReadFile(name)
	w.must(err)
	f := function(w)
	return index.File{
		Path: place, Role: role, Stamp: scan.StampOf(info), Settled: !w.unsettled[place], Sum: f.Sum128(data),
	}
}

// live returns the index of the files on the disk. Any later change of a file changes its time.
func (w *tree) live() *index.Index { return w.edited(func(*index.Index, *index.Next) {}) }

// edited is like live, after some edits.
func (w *tree) edited(edit func(x *index.Index, n *index.Next)) *index.Index {
	w.Helper()
	e := w.index()
	first, err := index.Open(slices.Clone(e.Flat), e.Changes)
	w.must(err)
	w.must(first.Load())
	next := first.Edit()
	edit(first, next)
	changed, ok, err := next.Encode()
	w.must(err)
	if !ok {
		changed = e
	}
	live, err := index.Open(e.Flat, changed.Changes)
	w.must(err)
	w.mkdir("out")
	w.tick()
	return live
}

func (w *tree) options(live *index.Index) restat.Options {
	return restat.Options{Index: live, Assets: w.name("assets"), Out: w.name("out"), Workers: 1}
}

func (w *tree) sweep(opt restat.Options) *restat.Found {
	w.Helper()
	found, err := restat.Find(w.Context(), opt)
	w.must(err)
	return found
}

// told returns the differences that a sweep found, sorted, one per line.
func (w *tree) told(live *index.Index, found *restat.Found) []string {
	lines := []string{}
	for _, f := range found.Files {
		lines = append(lines, [...]string{"changed ", "missing ", "appeared "}[f.Kind]+w.shown(live, f))
	}
	for _, f := range found.Folders {
		folder := live.Folder(f.Ref)
		lines = append(lines, map[bool]string{true: "gone ", false: "list "}[f.Gone]+"./"+folder.Path())
	}
	slices.Sort(lines)
	return lines
}

func (w *tree) shown(live *index.Index, f restat.File) string {
	place := filepath.ToSlash(strings.TrimPrefix(live.Path(f.Ref), w.base+string(filepath.Separator)))
	return fmt.Sprintf("%s %s", [...]string{"asset", "other", "config", "ignore", "made", "absent"}[f.Role], place)
}

// expect calls sweep with one worker and with several, and compares the differences with the wanted
// ones.
func (w *tree) expect(opt restat.Options, want ...string) *restat.Found {
	w.Helper()
	slices.Sort(want)
	opt.Workers = 8
	many := w.sweep(opt)
	opt.Workers = 1
	found := w.sweep(opt)
	if d := cmp.Diff(append([]string{}, want...), w.told(opt.Index, found)); d != "" {
		w.Errorf("-want +got:\n%s", d)
	}
	if d := cmp.Diff(found, many); d != "" {
		w.Errorf("-one worker +many:\n%s", d)
	}
	return found
}
