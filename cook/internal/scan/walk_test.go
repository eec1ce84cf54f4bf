package scan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// fakeTree is a tree in memory: the stamps of the names in each directory. The root is ".".
type fakeTree map[string]map[string]Stamp

func (t fakeTree) add(path string) {
	for name, mode := path, fs.FileMode(0o644); ; mode = fs.ModeDir | 0o755 {
		folder, base := slashParent(name), name[strings.LastIndexByte(name, '/')+1:]
		key := folder
		if folder == "" {
			key = "."
		}
		if t[key] == nil {
			t[key] = map[string]Stamp{}
		}
		t[key][base] = Stamp{Mode: uint32(mode), Inode: uint64(len(t[key]) + 1)}
		if folder == "" {
			return
		}
		name = folder
	}
}

func (t fakeTree) open(_ *os.Root, rel string) (folder, error) {
	entries, ok := t[filepath.ToSlash(rel)]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return &fakeFolder{entries: entries, names: slices.Collect(maps.Keys(entries))}, nil
}

type fakeFolder struct {
	entries map[string]Stamp
	names   []string
}

func (f *fakeFolder) Readdirnames(n int) ([]string, error) {
	if len(f.names) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(f.names))
	names := f.names[:n]
	f.names = f.names[n:]
	return names, nil
}

func (f *fakeFolder) lstat(name string) (Stamp, error) {
	st, ok := f.entries[name]
	if !ok {
		return st, fs.ErrNotExist
	}
	return st, nil
}

func (f *fakeFolder) stat() (Stamp, error) { return Stamp{Device: 1}, nil }
func (f *fakeFolder) trusted() bool        { return true }
func (f *fakeFolder) Close() error         { return nil }

// TestPathsAreCompleteAndSorted checks that all paths are found and sorted, with any number of
// workers.
func TestPathsAreCompleteAndSorted(t *testing.T) {
	root := t.TempDir()
	name := rapid.StringOfN(rapid.RuneFrom([]rune("a-.0z!")), 1, 3, -1).Filter(func(s string) bool { return s[0] != '.' })
	path := rapid.Map(rapid.SliceOfN(name, 1, 5), func(names []string) string { return strings.Join(names, "/") })
	rapid.Check(t, func(t *rapid.T) {
		tree := fakeTree{".": {}}
		want := []string{}
		files := map[string]bool{}
		for _, p := range rapid.SliceOfN(path, 0, 60).Draw(t, "paths") {
			if isFree(files, tree, p) {
				tree.add(p)
				files[p] = true
				want = append(want, p)
			}
		}
		sort.Strings(want)
		for _, workers := range []int{1, 8} {
			got, err := scanDir(context.Background(), root, Options{Workers: workers}, tree.open)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, paths(got.Entries)); diff != "" {
				t.Fatalf("%d workers (-want +got):\n%s", workers, diff)
			}
			for _, e := range got.Entries {
				folder := slashParent(e.Path)
				if folder == "" {
					folder = "."
				}
				if st := tree[folder][filepath.Base(e.Path)]; st != e.Stamp {
					t.Fatalf("%s: got %+v, want %+v", e.Path, e.Stamp, st)
				}
			}
		}
	})
}

// isFree reports whether a file can be created at path: path is no directory, and no parent is a
// file.
func isFree(files map[string]bool, tree fakeTree, path string) bool {
	if _, isFolder := tree[path]; isFolder {
		return false
	}
	for p := path; p != ""; p = slashParent(p) {
		if files[p] {
			return false
		}
	}
	return true
}

func TestAnyNumberOfWorkersFindsTheSameTree(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{".cookignore": "*.x\n!7.x\n/d3/\n", "cook.toml": "", "d5/cook.toml": "", "d5/e1/cook.toml": ""}
	for d := range 12 {
		for e := range 4 {
			for f := range 9 {
				files[fmt.Sprintf("d%d/e%d/%d.x", d, e, f)] = ""
				files[fmt.Sprintf("d%d/e%d-%d", d, e, f)] = ""
			}
		}
	}
	plant(t, dir, files)
	fail := func(root *os.Root, rel string) (folder, error) {
		if strings.HasSuffix(rel, "e2") {
			return nil, fs.ErrPermission
		}
		return openFolder(root, rel)
	}
	var trees []*Tree
	for _, workers := range []int{1, 8, 0, -3} {
		tree, err := scanWith(dir, workers, fail)
		if err != nil {
			t.Fatal(err)
		}
		if len(tree.Entries) != 11*(4*9+3) || len(tree.Configs) != 3 || len(tree.Problems) != 11 {
			t.Fatalf("%d workers: %d entries, %d configs, %d problems", workers, len(tree.Entries), len(tree.Configs), len(tree.Problems))
		}
		trees = append(trees, tree)
	}
	for _, tree := range trees[1:] {
		if diff := cmp.Diff(trees[0], tree, cmpopts.EquateErrors()); diff != "" {
			t.Error(diff)
		}
	}
}

func scanWith(root string, workers int, open openFunc) (*Tree, error) {
	return scanDir(context.Background(), root, Options{Workers: workers}, open)
}

// faulty is a real directory with simulated faults: disappearing names, failing lstat calls, or an
// incomplete listing.
type faulty struct {
	folder
	ghosts  []string
	failing map[string]error
	broken  error
	listed  bool
}

func (f *faulty) Readdirnames(n int) ([]string, error) {
	names, err := f.folder.Readdirnames(n)
	if err == io.EOF && !f.listed {
		f.listed = true
		return append(names, f.ghosts...), nil
	}
	if len(names) > 0 && f.broken != nil {
		return names[:1], f.broken
	}
	return names, err
}

func (f *faulty) lstat(name string) (Stamp, error) {
	if err := f.failing[name]; err != nil {
		return Stamp{}, err
	}
	return f.folder.lstat(name)
}

func TestFaultIsAProblemOfItsPath(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a": "", "d/a": "", "d/b": "", "d/e/a": "", "z/a": ""})
	io5 := errors.New("input/output error")
	all := []string{"a", "d/a", "d/b", "d/e/a", "z/a"}
	tests := []struct {
		name    string
		at      string
		openErr error
		fault   faulty
		want    []string
		probs   []string
	}{
		{"directory cannot be opened", "d", fs.ErrPermission, faulty{}, []string{"a", "z/a"}, []string{"d: unreadable"}},
		{"directory is gone", "d", fs.ErrNotExist, faulty{}, []string{"a", "z/a"}, nil},
		{"listing breaks off", "d", nil, faulty{broken: io5}, []string{"a", "z/a"}, []string{"d: unreadable"}},
		{"entry cannot be stat'ed", "d", nil, faulty{failing: map[string]error{"b": io5}}, []string{"a", "d/a", "d/e/a", "z/a"}, []string{"d/b: unreadable"}},
		{"directory cannot be stat'ed", "d", nil, faulty{failing: map[string]error{"e": io5}}, []string{"a", "d/a", "d/b", "z/a"}, []string{"d/e: unreadable"}},
		{"entry is gone", "d", nil, faulty{failing: map[string]error{"b": fs.ErrNotExist}}, []string{"a", "d/a", "d/e/a", "z/a"}, nil},
		{"entry never was", "d", nil, faulty{ghosts: []string{"ghost"}}, all, nil},
		{"name comes twice", "d", nil, faulty{ghosts: []string{"b", "e", "b"}}, all, nil},
		{"ignore file is gone", "d", nil, faulty{ghosts: []string{IgnoreName}}, all, nil},
		{"ignore file cannot be stat'ed", "d", nil, faulty{ghosts: []string{IgnoreName}, failing: map[string]error{IgnoreName: io5}},
			[]string{"a", "z/a"}, []string{"d/.cookignore: bad ignore file"}},
		{"junk cannot be stat'ed", "d", nil, faulty{ghosts: []string{"x~"}, failing: map[string]error{"x~": io5}}, all, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree, err := scanWith(dir, 2, func(root *os.Root, rel string) (folder, error) {
				f, err := openFolder(root, rel)
				if rel != tt.at || err != nil {
					return f, err
				}
				if tt.openErr != nil {
					f.Close()
					return nil, &fs.PathError{Op: "openat", Path: rel, Err: tt.openErr}
				}
				fault := tt.fault
				fault.folder = f
				return &fault, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			wantTree(t, tree, tt.want, nil, tt.probs)
			for _, path := range all {
				_, found := slices.BinarySearch(paths(tree.Entries), path)
				gone := len(tt.probs) == 0
				if !found && tree.Incomplete(path) == gone {
					t.Errorf("%s is missing, but Incomplete is %v", path, !gone)
				}
			}
		})
	}
}

func TestUnlistableRootIsAnError(t *testing.T) {
	_, err := scanWith(t.TempDir(), 2, func(*os.Root, string) (folder, error) { return nil, fs.ErrPermission })
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}

// TestCanceledWalkOpensNoMoreDirectories cancels the context when the n-th directory is opened.
// Each worker may then open at most one directory.
func TestCanceledWalkOpensNoMoreDirectories(t *testing.T) {
	tree := fakeTree{}
	for d := range 50 {
		for f := range 3 {
			tree.add(fmt.Sprintf("d%d/e%d/f", d, f))
		}
	}
	root := t.TempDir()
	for _, workers := range []int{1, 4} {
		for _, n := range []int64{1, 2, 40} {
			ctx, cancel := context.WithCancel(context.Background())
			var opened, late atomic.Int64
			_, err := scanDir(ctx, root, Options{Workers: workers}, func(r *os.Root, rel string) (folder, error) {
				if ctx.Err() != nil {
					late.Add(1)
				}
				if opened.Add(1) == n {
					cancel()
				}
				return tree.open(r, rel)
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%d workers, end at directory %d: got %v", workers, n, err)
			}
			if late.Load() > int64(workers) {
				t.Errorf("%d workers, end at directory %d: %d opened after it", workers, n, late.Load())
			}
		}
	}
}

// TestCanceledWalkLeavesHugeDirectory cancels the context while a large directory is read.
func TestCanceledWalkLeavesHugeDirectory(t *testing.T) {
	const files = 20 * chunk
	tree := fakeTree{}
	for f := range files {
		tree.add(fmt.Sprintf("d/%d", f))
	}
	ctx, cancel := context.WithCancel(context.Background())
	var asked atomic.Int64
	_, err := scanDir(ctx, t.TempDir(), Options{}, func(r *os.Root, rel string) (folder, error) {
		f, err := tree.open(r, rel)
		return counting{f, func() {
			if asked.Add(1) == 3*chunk {
				cancel()
			}
		}}, err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n := asked.Load(); n > 5*chunk {
		t.Errorf("%d of %d entries were stat'ed", n, files)
	}
}

type counting struct {
	folder
	count func()
}

func (c counting) lstat(name string) (Stamp, error) {
	c.count()
	return c.folder.lstat(name)
}

func TestOneLstatPerEntry(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{".cookignore": "*.x\n"}
	for f := range 30 {
		files[fmt.Sprintf("d%d/%d", f%3, f)] = ""
		files[fmt.Sprintf("d%d/%d.x", f%3, f)] = ""
	}
	plant(t, dir, files)
	var asked atomic.Int64
	_, err := scanWith(dir, 2, func(r *os.Root, rel string) (folder, error) {
		f, err := openFolder(r, rel)
		return counting{f, func() { asked.Add(1) }}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := asked.Load(); n != 60+3+1 {
		t.Errorf("%d lstats for 60 files, 3 directories and an ignore file", n)
	}
}
