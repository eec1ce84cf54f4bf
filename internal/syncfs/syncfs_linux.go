// Package syncfs waits until all data written to a file system is on disk.
package syncfs

import (
	"os"

	"golang.org/x/sys/unix"
)

// Waits reports whether Sync waits until all data is on disk.
const Waits = true

// Sync waits until all data written to the file system of f is on disk. One call takes a third to a
// half of the time that syncing each file separately would take.
func Sync(f *os.File) error {
	for {
		if err := unix.Syncfs(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}
