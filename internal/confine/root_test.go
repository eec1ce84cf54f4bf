package confine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestRemoveEmptyKeepsOthers(t *testing.T) {
	name := t.TempDir()
	for _, dir := range []string{"empty", "full/empty"} {
		if err := os.MkdirAll(filepath.Join(name, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(name, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for path, want := range map[string]bool{"empty": true, "full": false, "file": false, "file/below": true, "none": true} {
		if gone, err := d.Root().RemoveEmpty(path); gone != want || err != nil {
			t.Errorf("%s: gone %v, %v; want %v", path, gone, err, want)
		}
	}
	if _, err := os.Lstat(filepath.Join(name, "empty")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("empty is still there: %v", err)
	}
	for _, path := range []string{"full/empty", "file"} {
		if _, err := os.Lstat(filepath.Join(name, path)); err != nil {
			t.Error(err)
		}
	}
}

func TestInterruptedCallIsRepeated(t *testing.T) {
	calls := 0
	err := again(func() error {
		if calls++; calls < 3 {
			return &fs.PathError{Op: "rename", Path: "a", Err: syscall.EINTR}
		}
		return fs.ErrNotExist
	})
	if calls != 3 || err != fs.ErrNotExist {
		t.Errorf("%d calls, error %v; want 3 and that of the last", calls, err)
	}
}
