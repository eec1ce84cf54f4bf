//go:build unix

package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestPermHonoursUmask(t *testing.T) {
	for _, c := range []struct {
		umask      int
		perm, want fs.FileMode
	}{
		{0o022, 0o666, 0o644},
		{0o077, 0o666, 0o600},
		{0, 0o666, 0o666},
		{0o022, 0o444, 0o444},
		{0o077, 0o444, 0o400},
		{0o022, 0o777, 0o755},
	} {
		path := filepath.Join(t.TempDir(), "f")
		old := syscall.Umask(c.umask)
		err := Write(path, c.perm, give("x"))
		syscall.Umask(old)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != c.want {
			t.Errorf("umask %o, perm %o: %o, %v, want %o", c.umask, c.perm, info.Mode().Perm(), err, c.want)
		}
	}
}
