//go:build linux || darwin

package scan

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"pgregory.net/rapid"
)

// lawTree makes random changes to a real tree. Rapid chooses only the seed of rand, because its own
// generators would prefer a few names.
type lawTree struct {
	t    *rapid.T
	rand *rand.Rand
	base string // directory that contains everything
	dir  string
}

// These names and patterns are few, so that they often match.
var (
	lawNames   = []string{"a", "a", "b", "b", "c", "d", "e.x", "a-", "n~", ConfigName, ".git", "locked"}
	lawIgnores = []string{"a", "*.x", "b/", "/c", "a/b", "!a", "!e.x", "**/d", "/a/*", "c/**", "locked", ConfigName, "n~"}
)

// newLawTree creates a tree below parent with old times. Any later change then changes a stamp,
// even with a coarse clock.
func newLawTree(t *rapid.T, parent string) *lawTree {
	base, err := os.MkdirTemp(parent, "")
	if err != nil {
		t.Fatal(err)
	}
	if base, err = filepath.EvalSymlinks(base); err != nil {
		t.Fatal(err)
	}
	l := &lawTree{
		t:    t,
		rand: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)),
		base: base,
		dir:  filepath.Join(base, "assets"), // a subdirectory, because base has other directories too
	}
	if err := os.Mkdir(l.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for range rapid.IntRange(0, 40).Draw(t, "things") {
		l.change("file", "file", "file", "file", "folder", "folder", "folder", "link", "link", "pipe", "ignore", "bad ignore")
	}
	long := time.Unix(1_000_000_000, 0)
	for _, name := range l.all() {
		if fi, err := os.Lstat(name); err != nil {
			t.Fatal(err)
		} else if fi.Mode()&fs.ModeSymlink != 0 {
			continue
		}
		if err := os.Chtimes(name, long, long); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// change makes a random change, or none if the chosen change is impossible. It changes the content
// of .cookignore files only, because Again does not detect other contents.
func (l *lawTree) change(kinds ...string) {
	kind, existing := pick(l, kinds), pick(l, l.all())
	name := filepath.Join(l.dir, l.path())
	if l.rand.IntN(3) > 0 {
		name = filepath.Join(l.folder(existing), pick(l, lawNames))
	}
	if !l.owns(filepath.Dir(name)) || kind != "remove" && kind != "rename" && os.MkdirAll(filepath.Dir(name), 0o777) != nil {
		return
	}
	var err error
	note := name
	switch kind {
	case "file":
		err = write(name, "", os.O_EXCL)
	case "folder":
		err = os.MkdirAll(name, 0o777)
	case "pipe":
		err = syscall.Mkfifo(name, 0o666)
	case "link":
		note = l.target(name)
		err = os.Symlink(note, name)
		note += " at " + name
	case "ignore":
		lines := []string{pick(l, lawIgnores), pick(l, lawIgnores)}
		note = filepath.Join(filepath.Dir(name), IgnoreName)
		err = write(note, strings.Join(lines, "\n"), os.O_TRUNC)
	case "bad ignore":
		err = os.Mkdir(filepath.Join(filepath.Dir(name), IgnoreName), 0o777)
	case "remove", "rename":
		switch note = existing; {
		case existing == l.dir:
		case kind == "remove":
			err = os.RemoveAll(existing)
		default:
			err = os.Rename(existing, name)
			note += " to " + name
		}
	}
	var expected syscall.Errno
	if err != nil && !errors.As(err, &expected) {
		l.t.Fatal(err)
	}
	l.t.Logf("%s %s: %v", kind, strings.ReplaceAll(note, l.dir, ""), err)
}

// owns reports whether files in a directory are inside base. A renamed link may lead elsewhere.
func (l *lawTree) owns(folder string) bool {
	real, err := filepath.EvalSymlinks(folder)
	for ; errors.Is(err, fs.ErrNotExist); real, err = filepath.EvalSymlinks(folder) {
		folder = filepath.Dir(folder)
	}
	return err == nil && (real == l.base || strings.HasPrefix(real, l.base+"/"))
}

// target returns the target of a link.
func (l *lawTree) target(name string) string {
	target := pick(l, l.all())
	switch l.rand.IntN(12) {
	case 0:
		target = filepath.Dir(name)
	case 1:
		target = filepath.Dir(l.dir) // outside of the asset directory
	case 2:
		target = filepath.Join(l.dir, l.path())
	}
	rel, err := filepath.Rel(filepath.Dir(name), target)
	if err != nil {
		l.t.Fatal(err)
	}
	return rel
}

func pick[T any](l *lawTree, from []T) T { return from[l.rand.IntN(len(from))] }

func (l *lawTree) path() string {
	names := make([]string, 1+l.rand.IntN(4))
	for i := range names {
		names[i] = pick(l, lawNames)
	}
	return strings.Join(names, "/")
}

// all returns the names in the tree. It does not follow links.
func (l *lawTree) all() (names []string) {
	err := filepath.WalkDir(l.dir, func(name string, _ fs.DirEntry, err error) error {
		names = append(names, name)
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return names
}

// folder returns name if it is a directory, and otherwise its parent.
func (l *lawTree) folder(name string) string {
	if fi, err := os.Stat(name); err == nil && fi.IsDir() {
		return name
	}
	return filepath.Dir(name)
}

// write writes a file. It does not wait for a reader of a FIFO.
func write(name, text string, flag int) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|syscall.O_NONBLOCK|flag, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
