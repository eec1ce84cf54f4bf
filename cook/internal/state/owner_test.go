package state

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assetcook/assetcook/internal/confine"
)

// OtherOwner returns an owner that exists. A damaged file names no owner.
func TestOwner(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a, b, out := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "out")
	for _, name := range []string{a, b, out} {
		if err := os.Mkdir(name, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := confine.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	d := Open(folder)
	if err := d.Make(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Lock(); err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got := d.OtherOwner(a); got != "" {
		t.Errorf("without a note: %q", got)
	}
	if err := d.SetOwner(a); err != nil {
		t.Fatal(err)
	}
	if got := d.OtherOwner(a); got != "" {
		t.Errorf("of itself: %q", got)
	}
	if got := d.OtherOwner(b); got != a {
		t.Errorf("another folder: %q, want %q", got, a)
	}
	file := filepath.Join(out, ownerName)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) {
		if err := os.WriteFile(file, whole[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		if got := d.OtherOwner(b); got != "" {
			t.Errorf("%d bytes of it: %q", n, got)
		}
	}
	if err := os.WriteFile(file, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(a, filepath.Join(dir, "renamed")); err != nil {
		t.Fatal(err)
	}
	if got := d.OtherOwner(filepath.Join(dir, "renamed")); got != "" {
		t.Errorf("after it was renamed: %q", got)
	}
}
