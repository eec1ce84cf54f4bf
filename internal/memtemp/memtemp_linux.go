// Package memtemp puts temporary directories of tests into memory, because on a disk such tests
// would mostly wait.
package memtemp

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// dir is the in-memory file system that Linux provides for all programs.
const dir = "/dev/shm"

// room is the required free space in bytes. The tests of one package need only a fraction of it.
const room = 1 << 30

// Use puts the temporary directories of this process and its children into memory. It affects
// testing.T.TempDir and os.MkdirTemp; directories are still removed. Call it in TestMain. It does
// nothing if TMPDIR is set, so set TMPDIR to test on a disk. It also does nothing unless there is
// an in-memory file system with enough space that allows executing programs.
func Use() {
	if hasRoom() {
		os.Setenv("TMPDIR", dir)
	}
}

// Dir is like t.TempDir, but in memory. It is for single tests in packages whose other tests need a
// real file system.
func Dir(t testing.TB) string {
	if !hasRoom() {
		return t.TempDir()
	}
	made, err := os.MkdirTemp(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(made); err != nil {
			t.Error(err)
		}
	})
	return made
}

func hasRoom() bool {
	var st unix.Statfs_t
	return os.Getenv("TMPDIR") == "" && unix.Statfs(dir, &st) == nil &&
		st.Type == unix.TMPFS_MAGIC && st.Flags&(unix.ST_NOEXEC|unix.ST_RDONLY) == 0 &&
		int64(st.Bavail)*int64(st.Bsize) >= room && unix.Access(dir, unix.W_OK) == nil
}
