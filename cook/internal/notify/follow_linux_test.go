package notify

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/internal/leaktest"
)

// follower keeps a tree watched as the package comment describes. It adds a directory once, and
// again after it was reported as unwatched.
type follower struct {
	w     *Watcher
	root  string
	has   map[string]bool
	links map[string]bool
}

func newFollower(w *Watcher, root string) *follower {
	return &follower{w: w, root: root, has: map[string]bool{}, links: map[string]bool{}}
}

func (f *follower) follow(c Changes) error {
	if c.Lost {
		f.has = map[string]bool{}
		return f.visit(f.root)
	}
	for _, path := range c.Unwatched {
		delete(f.has, path)
	}
	for _, path := range c.Folders {
		if err := f.visit(path); err != nil {
			return err
		}
	}
	for path := range f.links {
		if err := f.relink(path); err != nil {
			return err
		}
	}
	return nil
}

// relink checks where a link leads now.
func (f *follower) relink(path string) error {
	if info, err := os.Stat(path); !f.has[path] && (err != nil || !info.IsDir()) {
		return nil
	} else if !f.has[path] {
		return f.visit(path)
	}
	if err := f.w.Add(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil // if the path now leads to another directory, the next Sync reports it as unwatched
}

// visit adds a directory, lists it, and visits its new subdirectories.
func (f *follower) visit(path string) error {
	if !f.has[path] {
		if err := f.w.Add(path); errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		f.has[path] = true
	}
	entries, _ := os.ReadDir(path) // if the directory vanished, the next Sync reports it
	for _, e := range entries {
		below := filepath.Join(path, e.Name())
		if e.Type() == fs.ModeSymlink {
			f.links[below] = true
		}
		if info, err := os.Stat(below); err == nil && info.IsDir() && !f.has[below] {
			if err := f.visit(below); err != nil {
				return err
			}
		}
	}
	return nil
}

// The test makes random changes to a followed tree. A later change in any of its directories must
// be reported for all paths of the directory.
func TestFollowedTreeReportsEveryChange(t *testing.T) {
	leaktest.Check(t)
	w := start(t) // one watcher for all cases, because closing it is slow
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "follow")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		root := filepath.Join(dir, "tree")
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		check(os.MkdirAll(filepath.Join(root, "a", "b"), 0o777))
		f := newFollower(w, root)
		check(f.visit(root))

		// There are few names, so that paths are reused; "../out" is outside of the tree.
		path := rapid.SampledFrom([]string{"a", "b", "c", "a/a", "a/b", "b/a", "b/b", "c/a", "a/b/a", "b/b/b", "../out"})
		type step struct {
			kind     int
			from, to string
		}
		steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
			return step{rapid.IntRange(0, 3).Draw(t, "kind"), path.Draw(t, "from"), path.Draw(t, "to")}
		}), 1, 40).Draw(t, "steps")

		// Many steps fail because their file does not exist. The test ignores these errors.
		var doing sync.WaitGroup
		doing.Go(func() {
			for _, s := range steps {
				from, to := filepath.Join(root, s.from), filepath.Join(root, s.to)
				switch s.kind {
				case 0:
					os.MkdirAll(to, 0o777)
				case 1:
					os.Rename(from, to)
				case 2:
					os.RemoveAll(from)
				case 3:
					if s.to == "c" { // a link below its target would make a circle
						os.Remove(to)
						os.Symlink("b/b", to)
					}
				}
			}
		})
		if rapid.Bool().Draw(t, "at once") {
			for range 5 {
				c, err := w.Sync(t.Context())
				check(err)
				check(f.follow(c))
			}
		}
		doing.Wait()
		for {
			c, err := w.Sync(t.Context())
			check(err)
			if len(c.Folders) == 0 && !c.Lost {
				break
			}
			check(f.follow(c))
		}

		for _, name := range foldersBelow(root) {
			check(os.WriteFile(filepath.Join(name, "file"), nil, 0o666))
			c, err := w.Sync(t.Context())
			check(err)
			here, err := os.Stat(name)
			check(err)
			for _, other := range foldersBelow(root) {
				there, err := os.Stat(other)
				check(err)
				if got, want := slices.Contains(c.Folders, other), os.SameFile(here, there); got != want {
					t.Errorf("change in %s: %s is reported: %t, want %t", name, other, got, want)
				}
			}
			if len(c.Unwatched) > 0 {
				t.Errorf("a file in %s ended %v", name, c.Unwatched)
			}
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		for path := range f.has {
			w.folders.end(path)
		}
		_, unused := w.folders.takeChanges()
		for _, id := range unused {
			w.release(id)
		}
		if n := len(w.folders.byPath) + len(w.folders.byWatch); n > 0 {
			t.Fatalf("%d entries left", n)
		}
	})
	must(t, w.Close())
}

// foldersBelow returns a directory and all its subdirectories, also through links.
func foldersBelow(path string) []string {
	all := []string{path}
	entries, _ := os.ReadDir(path)
	for _, e := range entries {
		below := filepath.Join(path, e.Name())
		if info, err := os.Stat(below); err == nil && info.IsDir() {
			all = append(all, foldersBelow(below)...)
		}
	}
	return all
}

// The test adds a new path of a directory while the event that ends its old path is still queued.
func TestAddBeforeItsRenameIsReadKeepsTheWatch(t *testing.T) {
	w, dir := start(t), t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	must(t, os.Mkdir(a, 0o777))
	f := newFollower(w, dir)
	must(t, f.visit(dir))
	w.mu.Lock() // the lock stops the goroutine drain
	must(t, os.Rename(a, b))
	id, err := w.queue.watchFolder(b)
	must(t, err)
	w.folders.addWatch(b, id)
	w.mu.Unlock()
	f.has[b] = true
	must(t, f.follow(sync1(t, w)))
	sync1(t, w)
	write(t, filepath.Join(b, "f"), "")
	if c := sync1(t, w); !slices.Contains(c.Folders, b) {
		t.Errorf("change in b gives %v", c)
	}
}
