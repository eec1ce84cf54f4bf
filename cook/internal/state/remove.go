package state

import (
	"errors"
	"io/fs"
	"runtime"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/statedir"
)

// Remove removes all that the cooker keeps for the output folder, the lock last: from
// then on another cook may make a new one, and the folder stays.
func (d *Dir) Remove() error {
	root := d.home.Root()
	parts, err := d.parts()
	if err != nil {
		return err
	}
	if err := d.removeTags(); err != nil {
		return err
	}
	if err := d.out.Root().Remove(manifest.Name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := d.removeParts(parts); err != nil {
		return err
	}
	if d.home != d.out {
		// Before the lock: once the lock is gone, another cook may write this file anew.
		if err := d.out.Root().Remove(manifest.StateDir); err != nil && !errors.Is(err, fs.ErrNotExist) {
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
		d.unlock() // Windows removes no lock that is open
	}
	if err := root.RemoveAll(lockName); err != nil {
		return err
	}
	if _, err = root.RemoveEmpty(manifest.StateDir); err == nil && d.home != d.out {
		statedir.Prune(d.home.Name())
	}
	return err
}
