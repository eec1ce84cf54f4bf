package confine

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/dirfd"
)

// names are paths in a tree with valid and invalid symbolic links.
var names = []string{
	".", "..", "", "/", "a", "a/", "a/file", "a//file", "a/./file", "a/../top", "top", "top/", "top/below", "gone", "gone/file", "a/gone",
	"../secret", "link", "chain", "absolute", "out", "absolute-out", "circle", "dangling", "folder", "folder/file", "folder/up", "folder/../top",
	"deep/b/c/file", "deep/b/c", "up/top", "deep/b/c/back/file", "outward/secret", "outward", "a\x00b", "closed/file", "closed",
	strings.Repeat("x", 300), strings.Repeat("d/", 3000) + "file",
}

// linked returns a directory that contains the files and links in names.
func linked(t *testing.T) *Dir {
	base, d := tree(t)
	in := filepath.Join(base, "in")
	for _, dir := range []string{"deep/b/c", "closed"} {
		if err := os.MkdirAll(filepath.Join(in, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"deep/b/c/file", "closed/file"} {
		if err := os.WriteFile(filepath.Join(in, name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(in, "closed"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(in, "closed"), 0o777) })
	for name, target := range map[string]string{
		"link": "a/file", "chain": "link", "absolute": filepath.Join(in, "a", "file"), "out": "../secret", "absolute-out": filepath.Join(base, "secret"),
		"circle": "circle", "dangling": "nowhere", "folder": "a", "up": ".", "deep/b/c/back": "..", "outward": "..",
	} {
		link(t, target, filepath.Join(in, filepath.FromSlash(name)))
	}
	return d
}

// alike reports whether two errors have the same text and either both wrap fs.ErrNotExist or
// neither does.
func alike(a, b error) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Error() == b.Error() && errors.Is(a, fs.ErrNotExist) == errors.Is(b, fs.ErrNotExist)
}

// TestAnswersAgreeWithOSRoot compares the system call for a whole path with os.Root, which opens
// each directory in the path.
func TestAnswersAgreeWithOSRoot(t *testing.T) {
	d := linked(t)
	r := d.Root()
	for _, name := range names {
		want, wantErr := r.Root.Lstat(name)
		got, err := r.Lstat(name)
		if !alike(err, wantErr) {
			t.Errorf("lstat %.40q: error %v, want %v", name, err, wantErr)
		} else if err == nil && (dirfd.InfoOf(got) != dirfd.InfoOf(want) || got.Name() != want.Name()) {
			t.Errorf("lstat %.40q: %v, want %v", name, got, want)
		}
		want, wantErr = r.Root.Stat(name)
		got, err = r.Stat(name)
		if !alike(err, wantErr) {
			t.Errorf("stat %.40q: error %v, want %v", name, err, wantErr)
		} else if err == nil && dirfd.InfoOf(got) != dirfd.InfoOf(want) {
			t.Errorf("stat %.40q: %v, want %v", name, got, want)
		}
		if dir, base := path.Split(name); base != "" {
			folder := r.Folder(path.Clean(dir))
			want, wantErr := r.Root.Lstat(path.Join(dir, base))
			got, err := folder.Lstat(base)
			folder.Close()
			if !alike(err, wantErr) {
				t.Errorf("lstat %.40q in its directory: error %v, want %v", name, err, wantErr)
			} else if err == nil && dirfd.InfoOf(got) != dirfd.InfoOf(want) {
				t.Errorf("lstat %.40q in its directory: %v, want %v", name, got, want)
			}
		}
		for _, flag := range []int{os.O_RDONLY, os.O_RDWR | os.O_CREATE | os.O_EXCL} {
			text, wantErr := open1(r.Root.OpenFile, r, name, flag)
			gotText, err := open1(r.OpenFile, r, name, flag)
			if !alike(err, wantErr) || gotText != text {
				t.Errorf("open %.40q, flags %#x: %q, error %v; want %q, %v", name, flag, gotText, err, text, wantErr)
			}
		}
	}
}

// open1 opens a file and returns its name and mode, or its content. It removes a file that it
// created.
func open1(open func(string, int, fs.FileMode) (*os.File, error), r Root, name string, flag int) (string, error) {
	f, err := open(name, flag, 0o640)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	text := f.Name() + info.Mode().String()
	if flag&os.O_CREATE != 0 {
		return text, r.Remove(name)
	}
	if info.IsDir() {
		return text, nil
	}
	data, err := io.ReadAll(f)
	return text + string(data), err
}

// TestRenamesAgreeWithOSRoot compares renaming with os.Root, both by paths and between open
// directories.
func TestRenamesAgreeWithOSRoot(t *testing.T) {
	for _, from := range []string{"a/file", "a", "top", "gone", "gone/file", "link", "circle", "folder/file", "deep/b/c", "outward/secret", ".", "..", "", "a/", "a//file", "top/below"} {
		for _, to := range []string{"a/new", "top", "gone/new", "deep/b/c/new", "folder/new", "outward/new", "../new", "circle/new", "a", "", "top/new"} {
			if from == "a" && to == "a" {
				continue // renaming a directory to its own name is not tested
			}
			want := renamed(t, from, to, func(r Root) error { return r.Root.Rename(from, to) })
			if got := renamed(t, from, to, func(r Root) error { return r.Rename(from, to) }); got != want {
				t.Errorf("rename %.40q to %q: %s; want %s", from, to, got, want)
			}
			fromDir, fromName := path.Split(from)
			toDir, toName := path.Split(to)
			if fromName == "" || toName == "" || path.Join(fromDir, fromName) != from {
				continue
			}
			got := renamed(t, from, to, func(r Root) error {
				f, g := r.Folder(path.Clean(fromDir)), r.Folder(path.Clean(toDir))
				defer f.Close()
				defer g.Close()
				return f.Rename(fromName, &g, toName)
			})
			if got != want {
				t.Errorf("rename %.40q to %q by directories: %s; want %s", from, to, got, want)
			}
		}
	}
}

// TestRenameToNewNeverReplaces renames onto each kind of file, and to free names.
func TestRenameToNewNeverReplaces(t *testing.T) {
	for _, to := range []string{"new", "deep/new", "top", "a", "a/file", "link", "circle", "folder"} {
		rename := func(move func(f, g *Folder, name string) error) string {
			return renamed(t, "deep/b/c", to, func(r Root) error {
				f, g := r.Folder("deep/b"), r.Folder(path.Dir(to))
				defer f.Close()
				defer g.Close()
				return move(&f, &g, path.Base(to))
			})
		}
		supported := true
		got := rename(func(f, g *Folder, name string) error {
			err := f.RenameToNew("c", g, name)
			supported = !errors.Is(err, errors.ErrUnsupported)
			if _, missing := g.Lstat(name); supported && err != nil && (!errors.Is(err, fs.ErrExist) || missing != nil) {
				t.Errorf("%s: %v, and %v", to, err, missing)
			}
			return nil
		})
		if !supported {
			t.Skip("the file system cannot rename to free names only")
		}
		if want := rename(func(f, g *Folder, name string) error {
			if _, err := g.Lstat(name); err == nil {
				return nil
			}
			return f.Rename("c", g, name)
		}); got != want {
			t.Errorf("%s: %s; want %s", to, got, want)
		}
	}
}

// renamed renames a file in a fresh tree, and returns the resulting state.
func renamed(t *testing.T, from, to string, rename func(Root) error) string {
	d := linked(t)
	said := "done"
	if err := rename(d.Root()); err != nil {
		said = err.Error()
	}
	for _, name := range []string{from, to} {
		info, err := os.Lstat(filepath.Join(d.Name(), name))
		if err != nil {
			said += ", none"
		} else {
			said += ", " + info.Mode().String()
		}
	}
	return said
}

// TestClosedRootFails checks that calls of a closed Root fail. Another file may have been opened
// with the same descriptor since.
func TestClosedRootFails(t *testing.T) {
	_, d := tree(t)
	r := d.Root()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Lstat("top"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("lstat: %v", err)
	}
	if err := r.Rename("top", "new"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("rename: %v", err)
	}
	if f, err := r.OpenFile("top", os.O_RDONLY, 0); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("open: %v, %v", f, err)
	}
}
