//go:build unix

package scan

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestSpecialFilesAreProblems(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir) // the path of a socket must be short
	plant(t, dir, map[string]string{"a": "", "d/.cookignore/": "", "lf": "-> f", "ls": "-> s", ".cookignore": "ignored\n"})
	for _, name := range []string{"f", "ignored", "junk~", "e.toml", "cook.toml"} {
		if err := syscall.Mkfifo(name, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("unix", "s")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tree := walk(t, dir, Options{})
	wantTree(t, tree, []string{"a"}, nil, []string{
		"cook.toml: irregular", "d/.cookignore: bad ignore file", "e.toml: irregular", "f: irregular", "lf: irregular", "ls: irregular", "s: irregular",
	})
	if got := tree.Problems[3].Error(); !strings.Contains(got, "is a named pipe;") {
		t.Errorf("got %s", got)
	}
	if got := tree.Problems[6].Error(); !strings.Contains(got, "is a socket;") {
		t.Errorf("got %s", got)
	}
}

func TestFIFOAsIgnoreFileIsNotOpened(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a": "", "d/f": ""})
	if err := syscall.Mkfifo(filepath.Join(dir, "d", IgnoreName), 0o666); err != nil {
		t.Fatal(err)
	}
	wantTree(t, walk(t, dir, Options{}), []string{"a"}, nil, []string{"d/.cookignore: bad ignore file"})
}

// TestFIFOThatReplacesIgnoreFileDoesNotBlock replaces the ignore file with a FIFO after the lstat.
func TestFIFOThatReplacesIgnoreFileDoesNotBlock(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a": "", "d/f": "", "d/.cookignore": ""})
	name := filepath.Join(dir, "d", IgnoreName)
	tree, err := scanWith(dir, 1, func(root *os.Root, rel string) (folder, error) {
		f, err := openFolder(root, rel)
		return swapping{f, IgnoreName, func() error {
			return errors.Join(os.Remove(name), syscall.Mkfifo(name, 0o666))
		}}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	wantTree(t, tree, []string{"a"}, nil, []string{"d/.cookignore: bad ignore file"})
}

// TestLinkThatReplacesDirectoryIsNotEntered replaces a directory with a link to the outside, after
// the directory's lstat.
func TestLinkThatReplacesDirectoryIsNotEntered(t *testing.T) {
	base := t.TempDir()
	plant(t, base, map[string]string{"outside/secret": "", "assets/a": "", "assets/d/f": ""})
	d := filepath.Join(base, "assets", "d")
	tree, err := scanWith(filepath.Join(base, "assets"), 1, func(root *os.Root, rel string) (folder, error) {
		if rel == "d" {
			if err := errors.Join(os.RemoveAll(d), os.Symlink(filepath.Join(base, "outside"), d)); err != nil {
				t.Error(err)
			}
		}
		return openFolder(root, rel)
	})
	if err != nil {
		t.Fatal(err)
	}
	wantTree(t, tree, []string{"a"}, nil, []string{"d: unreadable"})
}

// TestPathsTooLongForTheSystemAreProblems creates a tree that is deeper than the longest path.
func TestPathsTooLongForTheSystemAreProblems(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a": ""})
	at, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.Repeat("n", 200)
	for range maxPath()/200 + 3 {
		if err := at.Mkdir(name, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := at.WriteFile("f", nil, 0o666); err != nil {
			t.Fatal(err)
		}
		below, err := at.OpenRoot(name)
		if err != nil {
			t.Fatal(err)
		}
		at.Close()
		at = below
	}
	at.Close()
	tree := walk(t, dir, Options{})
	if len(tree.Problems) != 1 {
		t.Fatalf("problems: %v", tree.Problems)
	}
	p := tree.Problems[0]
	if p.Kind != Unreadable || !errors.Is(p, errTooLong) || !tree.Incomplete(p.Path+"/f") {
		t.Errorf("got %v", p)
	}
	for _, e := range tree.Entries {
		if _, err := os.Lstat(filepath.Join(dir, e.Path)); err != nil {
			t.Errorf("entry that cannot be opened: %v", err)
		}
	}
	if want := 1 + 1 + strings.Count(p.Path, "/"); len(tree.Entries) != want {
		t.Errorf("%d entries, want %d", len(tree.Entries), want)
	}
}
