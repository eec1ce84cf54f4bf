package confine

import (
	"io/fs"
	"os"

	"github.com/assetcook/assetcook/internal/busyfile"
)

// callOnce makes each call of busyfile.Files as the system understands it.
type callOnce struct{ *os.Root }

func (c callOnce) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(c.FS(), name) }

func (c callOnce) Remove(name string) error {
	err := again(func() error { return c.Root.Remove(name) })
	if busyfile.LacksPosixDeletion(err) {
		return removeByHandle(c.Root, name)
	}
	return err
}

func (c callOnce) RemoveAll(name string) error {
	return again(func() error { return c.Root.RemoveAll(name) })
}

func (c callOnce) Rename(from, to string) error {
	return again(func() error { return c.Root.Rename(from, to) })
}

// Remove removes a file or an empty directory.
func (r Root) Remove(name string) error { return r.busy.Remove(name) }

// RemoveAll removes a file, or a directory and all in it, as far as that is possible.
func (r Root) RemoveAll(name string) error { return r.busy.RemoveAll(name) }
