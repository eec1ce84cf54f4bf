//go:build amd64 || arm64

package scan

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestLstatDoesNotAllocate(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("n", 255)
	plant(t, dir, map[string]string{"a": "12345", long: ""})
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f, err := openFolder(root, ".")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	names := []string{"a", long, "a"}
	allocs := testing.AllocsPerRun(10, func() {
		for _, name := range names {
			if _, err := f.lstat(name); err != nil {
				t.Fatal(err)
			}
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
	// The buffer must not keep bytes of a longer name. A NUL must not end a name.
	if _, err := f.lstat("nn"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if st, err := f.lstat("a\x00"); err != syscall.EINVAL || st != (Stamp{}) {
		t.Errorf("got %+v, %v", st, err)
	}
	if st, err := f.lstat("a"); err != nil || st != stampAt(t, dir, "a") {
		t.Errorf("got %+v, %v", st, err)
	}
}
