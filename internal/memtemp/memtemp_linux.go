// Package memtemp is for tests that would otherwise wait for the disk most of the time.
package memtemp

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// dir is where Linux has a tmpfs for all.
const dir = "/dev/shm"

// room is how much must be free, in bytes: several times what the tests of one package
// have there at one time.
const room = 1 << 30

// Use has the temporary folders of this process, and of those it starts, in memory: those of
// testing.T.TempDir and of os.MkdirTemp, removed as ever. It is for TestMain. Nothing changes
// if TMPDIR says where folders are to be, which is how to run the tests on a disk, or if
// there is no tmpfs with room where programs may be started.
func Use() {
	if hasRoom() {
		os.Setenv("TMPDIR", dir)
	}
}

// Dir is t.TempDir where Use would have it, for single tests of packages whose others are about
// file systems.
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
