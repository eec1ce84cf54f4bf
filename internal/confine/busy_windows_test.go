package confine

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/windows"

	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/regular"
)

// held returns a directory whose file "old" is kept open by another handle with the given share
// mode.
func held(t *testing.T, share uint32) *Dir {
	dir := t.TempDir()
	for _, name := range []string{"old", "new"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	d.MoveBusyTo("trash")
	name, err := windows.UTF16PtrFromString(filepath.Join(dir, "old"))
	if err != nil {
		t.Fatal(err)
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ, share, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { windows.CloseHandle(h) })
	return d
}

func TestReaderThatSharesDeletionDelaysNoReplacement(t *testing.T) {
	d := held(t, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE)
	if err := d.Root().Rename("new", "old"); err != nil {
		t.Fatal(err)
	}
	if data, err := d.Root().ReadFile("old"); err != nil || string(data) != "new" {
		t.Errorf("old holds %q, %v", data, err)
	}
}

func TestReaderThatSharesNoDeletionIsReported(t *testing.T) {
	d := held(t, windows.FILE_SHARE_READ)
	for name, err := range map[string]error{"rename": d.Root().Rename("new", "old"), "remove": d.Root().Remove("old"), "remove all": d.Root().RemoveAll("old")} {
		var busy *busyfile.Error
		if !errors.As(err, &busy) || busy.Path != "old" {
			t.Errorf("%s: %v, want an error about old", name, err)
		}
	}
	for _, name := range []string{"old", "new"} {
		if data, err := d.Root().ReadFile(name); err != nil || string(data) != name {
			t.Errorf("%s holds %q, %v", name, data, err)
		}
	}
}

func TestReadOnlyFilesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "all", "below"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "all/below/file"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o444); err != nil {
			t.Fatal(err)
		}
	}
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := errors.Join(d.Root().Remove("one"), d.Root().RemoveAll("all")); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestLongPathsWork uses files whose paths exceed 260 characters. It writes, renames and removes
// them in a Root, and opens, renames and removes them by full paths.
func TestLongPathsWork(t *testing.T) {
	d, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	long := strings.Repeat("n", 150) + "/" + strings.Repeat("m", 150)
	root := d.Root()
	if err := errors.Join(root.MkdirAll(long, 0o777), root.WriteFile(long+"/one", []byte("one"), 0o666), root.WriteFile(long+"/two", nil, 0o666),
		root.Rename(long+"/one", long+"/two"), root.WriteFile(long+"/one", nil, 0o666), root.Remove(long+"/one")); err != nil {
		t.Error(err)
	}
	whole := filepath.Join(d.Name(), filepath.FromSlash(long))
	f, err := regular.Open(filepath.Join(whole, "two"))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := errors.Join(busyfile.Rename(filepath.Join(whole, "two"), filepath.Join(whole, "three")), busyfile.Remove(filepath.Join(whole, "three"))); err != nil {
		t.Error(err)
	}
	if err := errors.Join(root.WriteFile(long+"/one", nil, 0o666), busyfile.RemoveAll(whole), root.RemoveAll(strings.Repeat("n", 150))); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(d.Name()); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
