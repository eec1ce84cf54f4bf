package confine

import (
	"errors"
	"io/fs"
	"os"

	"github.com/assetcook/assetcook/internal/pathname"
)

// callOnce makes each call of busyfile.Files as the system understands it.
type callOnce struct{ *os.Root }

func (c callOnce) Remove(name string) error {
	err := again(func() error { return c.Root.Remove(name) })
	if lacksPosixDeletion(err) {
		return removeByHandle(c.Root, name)
	}
	return err
}

func (c callOnce) Rename(from, to string) error {
	return again(func() error { return c.Root.Rename(from, to) })
}

// Remove removes a file or an empty directory.
func (r Root) Remove(name string) error { return r.busy.Remove(name) }

// RemoveAll removes a file, or a directory and all in it, as far as that is possible.
func (r Root) RemoveAll(name string) error {
	err := again(func() error { return r.Root.RemoveAll(name) })
	if err == nil || !needsSteps(err) {
		return err
	}
	return r.removeInSteps(name)
}

// removeInSteps removes each file on its own, so that a busy one delays no other.
func (r Root) removeInSteps(name string) error {
	info, err := r.Lstat(name)
	if pathname.IsAbsent(err) {
		return nil
	}
	if err == nil && info.IsDir() {
		var entries []fs.DirEntry
		if entries, err = fs.ReadDir(r.FS(), name); err == nil {
			for _, e := range entries {
				err = errors.Join(err, r.removeInSteps(name+"/"+e.Name()))
			}
		}
	}
	if err != nil {
		return err
	}
	if err = r.Remove(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
