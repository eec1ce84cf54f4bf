package place

import (
	"errors"
	"io/fs"

	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/statedir"
	"github.com/assetcook/assetcook/internal/busyfile"
)

// tmpDir is the directory for scratch files.
func (o *Outputs) tmpDir() string { return o.work + "/tmp" }

// trashDir is the directory for retired artifacts.
func (o *Outputs) trashDir() string { return o.work + "/trash" }

// Idle reports whether there is no artifact to retire, and no file of a killed run.
func (o *Outputs) Idle() bool {
	for _, dir := range []string{o.tmpDir(), o.trashDir()} {
		if _, err := o.dir.Root().Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return len(o.retired) == 0
}

// Prepare makes empty directories for scratch files and retired artifacts, and returns the
// permissions that artifacts are to have.
func (o *Outputs) Prepare() (mode fs.FileMode, err error) {
	root := o.dir.Root()
	for _, dir := range []string{o.tmpDir(), o.trashDir()} {
		// Files that another program has open may stay until a later run.
		if err := root.RemoveAll(dir); err != nil && !busyfile.IsBusy(err) {
			return 0, err
		}
		if err := root.MkdirAll(dir, 0o777); err != nil {
			return 0, err
		}
	}
	tmp, err := o.dir.Sub(o.tmpDir())
	if err != nil {
		return 0, err
	}
	o.made = root.Folder(o.tmpDir())
	o.scratch = cookone.OpenScratchDir(tmp)
	defer func() {
		if err != nil {
			o.closeScratch()
		}
	}()
	o.mode, err = o.scratch.NewFileMode()
	return o.mode, err
}

func (o *Outputs) closeScratch() error {
	o.made.Close()
	return o.scratch.Close()
}

// CleanUp removes the directories of Prepare, and output directories that became empty. Files
// that it leaves take space until the next run, and do no other harm.
func (o *Outputs) CleanUp() error {
	var err error
	if o.scratch != nil {
		err = o.closeScratch()
	}
	for _, dir := range o.done.emptied {
		err = errors.Join(err, o.done.removeEmpty(o.dir.Root(), dir))
	}
	for _, dir := range []string{o.tmpDir(), o.trashDir()} {
		err = errors.Join(err, o.dir.Root().RemoveAll(dir))
	}
	if o.work == statedir.Work {
		_, rmErr := o.dir.Root().RemoveEmpty(o.work)
		err = errors.Join(err, rmErr)
	}
	return err
}
