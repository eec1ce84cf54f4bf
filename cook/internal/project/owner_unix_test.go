//go:build unix

package project

import (
	"os"
	"path/filepath"
	"testing"
)

// A file of another user in a directory above is not read. A file of root, the user, or the owner
// of the directory is read.
func TestForeign(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	root := t.TempDir()
	folder, file := filepath.Join(root, "mine"), filepath.Join(root, "cook.toml")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("[project]\ndir = 'mine'\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	found := func() bool {
		p, err := Find(folder)
		if err != nil {
			t.Fatal(err)
		}
		return p != nil
	}
	if !found() {
		t.Fatal("a file of root is not read")
	}
	if err := os.Chown(file, 12345, -1); err != nil {
		t.Fatal(err)
	}
	if found() {
		t.Error("a file of another user is read")
	}
	if err := os.Chown(folder, 12345, -1); err != nil {
		t.Fatal(err)
	}
	if !found() {
		t.Error("a file of the owner of the directory is not read")
	}
}
