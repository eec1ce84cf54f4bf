package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/statedir"
	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
)

// ErrOtherFileSystem reports that the directory is on another file system than the output
// directory. A single sync could not write the state and the outputs in order.
var ErrOtherFileSystem = errors.New("the directory is on another file system than the output directory; choose one on the same")

// Settle makes home the directory of the state, and moves an existing state there. It reports
// whether home is new. Call it without the lock. For a move it takes and keeps the lock. While
// another cook runs, it fails with a *LockedError.
//
// If the process is killed, the state may be in the old or the new directory, and the output
// directory may not name the new one. The next Settle completes the move.
func (d *Dir) Settle(home string) (settled bool, err error) {
	if home == d.files.home.Name() {
		return false, nil
	}
	if err := os.MkdirAll(home, 0o777); err != nil {
		return false, fmt.Errorf("state directory: %w", err)
	}
	to, err := confine.Open(home)
	if err != nil {
		return false, fmt.Errorf("state directory: %w", err)
	}
	defer func() {
		if !settled {
			to.Close()
			statedir.Prune(to.Name())
		}
	}()
	if to.Name() == d.files.home.Name() {
		return false, nil
	}
	if err = checkHome(d, to); err == nil && d.Exists() {
		err = moveState(d, to)
	} else if err == nil {
		err = beginIn(d, to)
	}
	if err != nil {
		return false, fmt.Errorf("state directory %s: %w", to.Name(), err)
	}
	if d.files.home != d.files.out {
		d.files.home.Close()
	}
	d.files.home = to
	if d.files.home.Name() == d.files.out.Name() {
		to.Close()
		d.files.home = d.files.out
	}
	return true, nil
}

// checkHome returns an error if a directory cannot contain the state. It removes files that a
// killed Settle left.
func checkHome(d *Dir, to *confine.Dir) error {
	ours, err := d.files.out.Root().Stat(".")
	if err != nil {
		return err
	}
	its, err := to.Root().Stat(".")
	if err != nil {
		return err
	}
	// Stamps have no device on Windows.
	sameDrive := strings.EqualFold(filepath.VolumeName(d.files.out.Name()), filepath.VolumeName(to.Name()))
	if !sameDrive || scan.StampOf(ours).Device != scan.StampOf(its).Device {
		return ErrOtherFileSystem
	}
	info, err := to.Root().Lstat(manifest.StateDir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && to.Name() == d.files.out.Name() {
		return nil
	}
	if err != nil {
		return err
	}
	named := statedir.Named(to.Name(), statedir.Outputs)
	switch of, err := os.Stat(named); {
	case named != "" && err == nil && os.SameFile(of, ours):
		if d.Exists() {
			return to.Root().RemoveAll(manifest.StateDir)
		}
		return nil
	case named != "" && statedir.Named(d.files.out.Name(), manifest.StateDir) != to.Name():
		return fmt.Errorf("the directory holds the state of %s; choose another directory, or remove .cook from this one", pathname.Show(named))
	}
	for _, name := range []string{IndexName, ownerName, historyName} {
		if _, err := to.Root().Lstat(name); named == "" && !errors.Is(err, fs.ErrNotExist) {
			return errors.New("the directory is an output directory that holds its own state; choose another directory")
		}
	}
	return nil
}

// moveState moves the state to another directory.
func moveState(d *Dir, to *confine.Dir) error {
	if _, err := d.Lock(); err != nil {
		return err
	}
	text, err := statedir.Text(to.Name(), d.files.out.Name())
	if err != nil {
		return err
	}
	if err := d.files.putFile(statedir.Outputs, text, withoutSync); err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		d.files.unlock() // Windows cannot move an open file
	}
	if to.Name() == d.files.out.Name() {
		if err := d.files.out.Root().Remove(manifest.StateDir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	from := d.files.home.Name()
	if err := busyfile.Rename(d.Folder(), filepath.Join(to.Name(), manifest.StateDir)); err != nil {
		return err
	}
	statedir.Prune(from)
	return nameHome(d, to)
}

// beginIn creates a new state in a directory.
func beginIn(d *Dir, to *confine.Dir) error {
	if to.Name() == d.files.out.Name() {
		return d.files.removeName() // Make creates .cook later
	}
	if err := to.Root().MkdirAll(manifest.StateDir, 0o777); err != nil {
		return err
	}
	text, err := statedir.Text(to.Name(), d.files.out.Name())
	if err != nil {
		return err
	}
	before := d.files.home
	d.files.home = to
	defer func() { d.files.home = before }()
	if err := d.files.writeNew(statedir.Outputs, text); err != nil {
		return err
	}
	for _, tag := range tags {
		if err := d.files.writeNew(manifest.StateDir+"/"+tag.name, []byte(tag.text)); err != nil {
			return err
		}
	}
	return nameHome(d, to)
}

// nameHome writes the file .cook in the output directory, which names the directory of the state.
func nameHome(d *Dir, to *confine.Dir) error {
	if to.Name() == d.files.out.Name() {
		return nil
	}
	text, err := statedir.Text(d.files.out.Name(), to.Name())
	if err != nil {
		return err
	}
	f, discard, err := createWork(d.files.out.Root())
	if err != nil {
		return err
	}
	defer discard()
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.Commit(manifest.StateDir)
}
