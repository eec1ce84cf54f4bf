package state

import (
	"errors"
	"io/fs"
	"runtime"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/statedir"
)

// Remove removes all of cook's own files, the lock last. After that another cook may lock the
// output directory, so Remove leaves the directory itself.
func (d *Dir) Remove() error {
	root := d.files.home.Root()
	parts, err := d.Manifest.listParts()
	if err != nil {
		return err
	}
	if err := d.files.removeTags(); err != nil {
		return err
	}
	if err := d.files.out.Root().Remove(manifest.Name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := d.Manifest.removeParts(parts); err != nil {
		return err
	}
	if d.files.home != d.files.out {
		// Before the lock, because another cook may then write a new one.
		if err := d.files.out.Root().Remove(manifest.StateDir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	state, err := root.Open(manifest.StateDir)
	if err != nil {
		return err
	}
	names, err := state.Readdirnames(-1)
	state.Close()
	if err != nil {
		return err
	}
	for _, name := range names {
		if name = manifest.StateDir + "/" + name; name != lockName {
			if err := root.RemoveAll(name); err != nil {
				return err
			}
		}
	}
	if runtime.GOOS == "windows" {
		d.files.unlock() // Windows removes no open lock
	}
	if err := root.RemoveAll(lockName); err != nil {
		return err
	}
	if _, err = root.RemoveEmpty(manifest.StateDir); err == nil && d.files.home != d.files.out {
		statedir.Prune(d.files.home.Name())
	}
	return err
}
