package notify

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"github.com/assetcook/assetcook/internal/leaktest"
)

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, name, text string) {
	t.Helper()
	must(t, os.WriteFile(name, []byte(text), 0o666))
}

// tempDir is t.TempDir for drives on which os.RemoveAll fails because they lack
// POSIX semantics.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "notify")
	must(t, err)
	t.Cleanup(func() {
		var all []string
		filepath.WalkDir(dir, func(name string, _ fs.DirEntry, _ error) error {
			all = append(all, name)
			return nil
		})
		for _, name := range slices.Backward(all) {
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
		}
	})
	return dir
}

// watchTree watches directories of a tree, given as paths below it.
func watchTree(t *testing.T, tree string, folders ...string) *Watcher {
	t.Helper()
	w, err := New()
	must(t, err)
	t.Cleanup(func() { w.Close() })
	w.Within(tree)
	for _, folder := range folders {
		must(t, w.Add(filepath.Join(tree, folder)))
	}
	return w
}

// awaitChanges collects changes until enough returns true.
func awaitChanges(t *testing.T, w *Watcher, enough func(Changes) bool) (all Changes) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	for {
		c, err := w.Sync(ctx)
		must(t, err)
		all.Folders = append(all.Folders, c.Folders...)
		all.Unwatched = append(all.Unwatched, c.Unwatched...)
		all.Lost = all.Lost || c.Lost
		if enough(all) {
			return all
		}
		if err := w.Wait(ctx, Patience{}); err != nil {
			t.Fatalf("%v; so far %v", err, all)
		}
	}
}

func has(all, some []string) bool {
	return !slices.ContainsFunc(some, func(one string) bool { return !slices.Contains(all, one) })
}

// The watcher reports every change in a tree by its directory. Directories that are no longer at
// their path become unwatched.
func TestChangesOfTreeAreReported(t *testing.T) {
	for _, test := range []struct {
		name               string
		do                 func(t *testing.T, at func(string) string)
		folders, unwatched []string
	}{
		{"write", func(t *testing.T, at func(string) string) { write(t, at(`a\x\f`), "other") }, []string{`a\x`}, nil},
		{"create", func(t *testing.T, at func(string) string) { write(t, at(`b\new`), "") }, []string{"b"}, nil},
		{"remove", func(t *testing.T, at func(string) string) { must(t, os.Remove(at(`b\f`))) }, []string{"b"}, nil},
		{"rename within", func(t *testing.T, at func(string) string) { must(t, os.Rename(at(`a\f`), at(`a\g`))) }, []string{"a"}, nil},
		{"rename across", func(t *testing.T, at func(string) string) { must(t, os.Rename(at(`a\f`), at(`b\g`))) }, []string{"a", "b"}, nil},
		{"new directory", func(t *testing.T, at func(string) string) { must(t, os.Mkdir(at(`b\n`), 0o777)) }, []string{"b"}, nil},
		{"directory removed", func(t *testing.T, at func(string) string) {
			must(t, os.Remove(at(`a\x\f`)), os.Remove(at(`a\x`)), os.Remove(at(`a\f`)), os.Remove(at("a")))
		}, []string{"."}, []string{"a", `a\x`}},
		{"directory renamed", func(t *testing.T, at func(string) string) { must(t, os.Rename(at("a"), at("c"))) }, []string{"."}, []string{"a", `a\x`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			leaktest.Check(t)
			tree := tempDir(t)
			at := func(name string) string { return filepath.Join(tree, name) }
			must(t, os.MkdirAll(at(`a\x`), 0o777), os.Mkdir(at("b"), 0o777))
			for _, f := range []string{`a\f`, `a\x\f`, `b\f`} {
				write(t, at(f), "text")
			}
			w := watchTree(t, tree, ".", "a", `a\x`, "b")
			if n := len(w.queue.handles); n != 1 {
				t.Errorf("%d handles for one tree", n)
			}
			all := func(names []string) (paths []string) {
				for _, name := range names {
					paths = append(paths, at(name))
				}
				return paths
			}
			test.do(t, at)
			c := awaitChanges(t, w, func(c Changes) bool {
				return has(c.Folders, all(test.folders)) && has(c.Unwatched, all(test.unwatched))
			})
			if c.Lost {
				t.Error("changes were lost")
			}
			must(t, w.Close())
		})
	}
}

// A write outside the added directories is not reported, although the handle of the tree sees it.
func TestUnaddedFolderIsNotReported(t *testing.T) {
	tree := tempDir(t)
	must(t, os.MkdirAll(filepath.Join(tree, "cache"), 0o777), os.Mkdir(filepath.Join(tree, "a"), 0o777))
	w := watchTree(t, tree, ".", "a")
	write(t, filepath.Join(tree, "cache", "f"), "")
	write(t, filepath.Join(tree, "a", "f"), "") // file written later, reported through the same queue
	c := awaitChanges(t, w, func(c Changes) bool { return len(c.Folders) > 0 })
	if slices.Contains(c.Folders, tree) || slices.Contains(c.Folders, filepath.Join(tree, "cache")) {
		t.Errorf("changed: %v", c.Folders)
	}
}

// When the topmost directory is replaced, all directories below it are unwatched, and can be
// added again.
func TestReplacedTreeIsUnwatched(t *testing.T) {
	dir := tempDir(t)
	tree, moved := filepath.Join(dir, "tree"), filepath.Join(dir, "moved")
	must(t, os.MkdirAll(filepath.Join(tree, "a"), 0o777))
	w := watchTree(t, tree, ".", "a")
	must(t, os.Rename(tree, moved), os.MkdirAll(filepath.Join(tree, "a"), 0o777))
	awaitChanges(t, w, func(c Changes) bool { return has(c.Unwatched, []string{tree, filepath.Join(tree, "a")}) })
	must(t, w.Add(tree), w.Add(filepath.Join(tree, "a")))
	write(t, filepath.Join(tree, "a", "f"), "")
	awaitChanges(t, w, func(c Changes) bool { return has(c.Folders, []string{filepath.Join(tree, "a")}) })
}

func TestRemovedTreeIsUnwatched(t *testing.T) {
	tree := filepath.Join(tempDir(t), "tree")
	must(t, os.Mkdir(tree, 0o777))
	w := watchTree(t, tree, ".")
	must(t, os.Remove(tree))
	if requireFolder(tree) == nil {
		t.Skip("this system keeps a removed directory while it is open, and reports nothing")
	}
	awaitChanges(t, w, func(c Changes) bool { return has(c.Unwatched, []string{tree}) })
	if err := w.Add(tree); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("added a removed directory: %v", err)
	}
}

// Windows follows no links below a watched directory, so a junction gets its own handle.
func TestJunctionIsWatched(t *testing.T) {
	dir := tempDir(t)
	tree, target := filepath.Join(dir, "tree"), filepath.Join(dir, "target")
	must(t, os.Mkdir(tree, 0o777), os.Mkdir(target, 0o777))
	link := filepath.Join(tree, "link")
	if err := exec.Command("cmd", "/c", "mklink", "/J", link, target).Run(); err != nil {
		t.Skipf("cannot make a junction: %v", err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) == 0 {
		t.Skipf("junctions are not shown as such (%v)", err)
	}
	w := watchTree(t, tree, ".", "link")
	write(t, filepath.Join(target, "f"), "")
	awaitChanges(t, w, func(c Changes) bool { return has(c.Folders, []string{link}) })
}

func TestCaseOfPathDoesNotMatter(t *testing.T) {
	tree := tempDir(t)
	must(t, os.Mkdir(filepath.Join(tree, "Textures"), 0o777))
	w := watchTree(t, tree, ".", "Textures")
	write(t, filepath.Join(strings.ToUpper(tree), "TEXTURES", "f"), "")
	awaitChanges(t, w, func(c Changes) bool { return has(c.Folders, []string{filepath.Join(tree, "Textures")}) })
}

func TestLongPathIsWatched(t *testing.T) {
	tree := tempDir(t)
	for range 2 {
		tree = filepath.Join(tree, strings.Repeat("n", 150))
	}
	must(t, os.MkdirAll(filepath.Join(tree, "a"), 0o777))
	w := watchTree(t, tree, ".", "a")
	write(t, filepath.Join(tree, "a", "f"), "")
	awaitChanges(t, w, func(c Changes) bool { return has(c.Folders, []string{filepath.Join(tree, "a")}) })
	if !isFolder(filepath.Join(tree, "a")) || isFolder(filepath.Join(tree, "a", "f")) {
		t.Error("directories and files with long paths are not distinguished")
	}
}

// If the buffers overflow, changes are lost, and Sync reports the loss.
func TestOverflowIsReported(t *testing.T) {
	leaktest.Check(t)
	tree := tempDir(t)
	w := watchTree(t, tree, ".")
	w.mu.Lock()
	name := strings.Repeat("n", 200)
	for i := range 4 * treeBuffer / (2 * len(name)) {
		write(t, filepath.Join(tree, name+strconv.Itoa(i)), "")
	}
	w.mu.Unlock()
	c := awaitChanges(t, w, func(c Changes) bool { return c.Lost || len(c.Folders) > 0 })
	if !c.Lost {
		t.Skip("this system's queue has no such limit")
	}
	must(t, w.Add(tree))
	write(t, filepath.Join(tree, "f"), "")
	awaitChanges(t, w, func(c Changes) bool { return has(c.Folders, []string{tree}) })
	must(t, w.Close())
}

// If a request returns nothing or fails, anything may have changed.
func TestEmptyAnswerIsLoss(t *testing.T) {
	tree := tempDir(t)
	w := watchTree(t, tree, ".")
	w.mu.Lock()
	for _, h := range w.queue.handles {
		must(t, windows.CancelIoEx(h.handle, &h.asked))
		for !h.done() {
			windows.WaitForSingleObject(w.queue.event, 10)
		}
	}
	w.mu.Unlock()
	if c, err := w.Sync(t.Context()); err != nil || !c.Lost {
		t.Errorf("%v, %v", c, err)
	}
}

// decode returns an error for a damaged buffer, and never reads beyond its end.
func TestDecodeRefusesDamage(t *testing.T) {
	q := &queue{folders: map[string]watchID{`c:\t`: 1}, paths: map[watchID]string{}}
	for name, b := range map[string][]byte{
		"empty":     {},
		"short":     make([]byte, 11),
		"long name": {0, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 'a', 0},
		"odd name":  {0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 'a', 0},
		"far next":  {99, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 'a', 0},
	} {
		if err := q.decode(`C:\t`, b, func(event) { t.Errorf("%s: an event", name) }); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	var got []event
	both := []byte{16, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 'a', 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 2, 0, 0, 0, 'b', 0}
	must(t, q.decode(`C:\t`, both, func(e event) { got = append(got, e) }))
	if len(got) != 2 || got[0].kind != movedFrom || got[1].kind != movedTo || got[0].cookie != got[1].cookie || string(got[1].name) != "b" {
		t.Errorf("%v", got)
	}
}

// Wait returns when a file is written, and with an error once Close was called.
func TestWaitForTreeEnds(t *testing.T) {
	leaktest.Check(t)
	tree := tempDir(t)
	w := watchTree(t, tree, ".")
	go os.WriteFile(filepath.Join(tree, "f"), nil, 0o666)
	must(t, w.Wait(t.Context(), Patience{Most: time.Minute}), w.Close(), w.Close())
	if err := w.Wait(t.Context(), Patience{time.Hour, time.Hour, time.Hour}); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
}
