//go:build unix

package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOnlyRegularFilesAreOpened opens a named pipe without a writer. If Open blocked, the test
// would hang.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(in("file"), []byte("text"), 0o666), syscall.Mkfifo(in("pipe"), 0o666), os.Symlink("file", in("link")),
		os.Mkdir(in("folder"), 0o777)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file", "link"} {
		f, err := Open(in(name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f.Close()
	}
	for name, want := range map[string]string{"pipe": "this is a pipe, not a regular file", "folder": "this is a directory, not a regular file"} {
		if _, err := Open(in(name)); !errors.Is(err, ErrNot) || !strings.HasSuffix(err.Error(), name+": "+want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(in("/dev/null")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Open("/dev/null"); !errors.Is(err, ErrNot) {
		t.Error(err)
	}
	if _, err := os.OpenFile(in("pipe"), os.O_WRONLY|NoWait, 0); !errors.Is(err, syscall.ENXIO) {
		t.Errorf("a pipe for writing: %v", err)
	}
}
