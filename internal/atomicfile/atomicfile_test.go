package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func give(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// holds fails the test unless the directory dir contains exactly the names in want.
func holds(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("directory holds %q, want %q", got, want)
	}
}

func TestWriteReplacesWholeFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, want := range []string{"one", "", "three"} {
		if err := Write(path, 0o666, give(want)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("read %q, %v, want %q", got, err, want)
		}
		holds(t, dir, "f")
	}
}

func TestFailedWriteChangesNothing(t *testing.T) {
	broken := errors.New("broken")
	half := func(w io.Writer) error {
		give("half")(w)
		return broken
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := Write(path, 0o666, half); !errors.Is(err, broken) {
		t.Errorf("new file: %v", err)
	}
	holds(t, dir)
	if err := Write(path, 0o666, give("old")); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, 0o666, half); !errors.Is(err, broken) {
		t.Errorf("existing file: %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
		t.Errorf("after a failure the file reads %q, %v", got, err)
	}
	holds(t, dir, "f")

	if err := Write(filepath.Join(dir, "none", "f"), 0o666, give("x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no parent: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "full", "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "full"), 0o666, give("x")); err == nil {
		t.Error("a directory was replaced")
	}
	// The callback closes the file, so Commit fails when it closes the file again.
	err := Write(path, 0o666, func(w io.Writer) error { return w.(io.Closer).Close() })
	if !errors.Is(err, os.ErrClosed) {
		t.Errorf("close failure: %v", err)
	}
	holds(t, dir, "f", "full")
}

func TestPanickingWriteLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		Write(filepath.Join(dir, "f"), 0o666, func(io.Writer) error { panic("stop") })
	}()
	holds(t, dir)
}

func TestDiscardRemovesTheFile(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(dir, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	f.Discard()
	f.Discard()
	holds(t, dir)

	f, err = Create(dir, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(filepath.Join(dir, "f")); err != nil {
		t.Fatal(err)
	}
	f.Discard()
	holds(t, dir, "f")
}

// TestCreateInStaysInside checks that a file created in an os.Root never leaves its directory.
func TestCreateInStaysInside(t *testing.T) {
	base := t.TempDir()
	for _, dir := range []string{"in/sub", "out"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../out", filepath.Join(base, "in", "link")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(filepath.Join(base, "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, err := CreateIn(root, "link", 0o666); err == nil {
		t.Error("a temporary file was made outside")
	}
	f, err := CreateIn(root, "sub", 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Commit("link/f"); err == nil {
		t.Error("a file got a name outside")
	}
	holds(t, filepath.Join(base, "in", "sub"))
	if f, err = CreateIn(root, "sub", 0o666); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit("f"); err != nil {
		t.Fatal(err)
	}
	holds(t, filepath.Join(base, "in"), "f", "link", "sub")
	holds(t, filepath.Join(base, "in", "sub"))
	holds(t, filepath.Join(base, "out"))
}

func TestSyncFolder(t *testing.T) {
	dir := t.TempDir()
	if err := SyncFolder(dir); err != nil {
		t.Error(err)
	}
	// SyncFolder fails for a missing directory, on systems that can sync directories.
	err := SyncFolder(filepath.Join(dir, "missing"))
	if (err == nil) != (runtime.GOOS == "windows") {
		t.Errorf("missing folder: %v", err)
	}
}
