package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestOpenFileCanBeRemoved(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(name); err != nil {
		t.Error(err)
	}
	if data, err := io.ReadAll(f); err != nil || string(data) != "text" {
		t.Errorf("read %q, %v", data, err)
	}
	f.Close()
	if _, err := Open(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opened again: %v", err)
	}
	if _, err := Open(filepath.Dir(name)); !errors.Is(err, ErrNot) {
		t.Errorf("a directory: %v", err)
	}
}
