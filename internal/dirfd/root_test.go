package dirfd

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestReplacedEntryIsNotOpened replaces a file or directory just before it is opened.
func TestReplacedEntryIsNotOpened(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "folder", "file"), "right")
	write(t, filepath.Join(dir, "other", "file"), "wrong")
	f, err := openRootFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sub, err := f.openNextRoot("folder")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	folder, err := f.root.Lstat("folder")
	if err != nil {
		t.Fatal(err)
	}
	file, err := sub.root.Lstat("file")
	if err != nil {
		t.Fatal(err)
	}

	if same, err := f.openSeenFolder("folder", folder); err != nil {
		t.Errorf("the directory that was seen: %v", err)
	} else {
		same.Close()
	}
	if same, err := sub.openSeen("file", file, new(Info)); err != nil {
		t.Errorf("the file that was seen: %v", err)
	} else {
		same.Close()
	}
	_, err = f.openSeenFolder("other", folder)
	wantErr(t, "another directory", err, syscall.ELOOP)

	if err := os.Rename(filepath.Join(dir, "other", "file"), filepath.Join(dir, "folder", "other")); err != nil {
		t.Fatal(err)
	}
	_, err = sub.openSeen("other", file, new(Info))
	wantErr(t, "another file", err, syscall.ELOOP)
}
