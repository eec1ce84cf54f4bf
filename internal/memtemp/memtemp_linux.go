// Package memtemp is for tests that would otherwise wait for the disk most of the time.
package memtemp

import (
	"os"

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
	var st unix.Statfs_t
	if os.Getenv("TMPDIR") != "" || unix.Statfs(dir, &st) != nil {
		return
	}
	if st.Type == unix.TMPFS_MAGIC && st.Flags&(unix.ST_NOEXEC|unix.ST_RDONLY) == 0 &&
		int64(st.Bavail)*int64(st.Bsize) >= room && unix.Access(dir, unix.W_OK) == nil {
		os.Setenv("TMPDIR", dir)
	}
}
