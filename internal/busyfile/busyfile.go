// Package busyfile removes and replaces files while other programs have them open.
//
// Windows refuses both on drives without POSIX semantics (FAT, network drives), and where
// the other program opened the file without sharing deletion, as virus scanners and indexers
// do for a moment. [Files] repeats the call after short, growing pauses. Then it moves the
// busy file into a trash directory, which the next run empties. If the system refuses that,
// too, an [Error] names the file. Other systems refuse neither, and lose no time here.
package busyfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/internal/pathname"
)

// A Folder makes system calls on the files of a directory, each once.
type Folder interface {
	Lstat(name string) (fs.FileInfo, error)
	MkdirAll(name string, perm fs.FileMode) error
	ReadDir(name string) ([]fs.DirEntry, error)
	Remove(name string) error
	RemoveAll(name string) error
	Rename(from, to string) error
}

// Files repeats calls of a Folder. The methods may be called concurrently.
type Files struct {
	In    Folder
	Trash string              // directory for files moved aside; "" forbids that
	Busy  func(error) bool    // nil for IsBusy
	Pause func(time.Duration) // nil for time.Sleep
	vain  atomic.Int32        // consecutive calls whose pauses did not help
}

// pauses is the most pauses of a call: 1 ms, doubled each time, half a second in all.
const pauses = 9

// Error is the error for a file that another program keeps from being removed or replaced.
type Error struct {
	Path string
	Err  error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s is open in another program; close that program, or whatever shows or scans the file, and run cook again (%v)",
		pathname.Show(e.Path), e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Remove removes a file or an empty directory. A file that stays busy is moved aside.
func (f *Files) Remove(name string) error {
	err := f.repeatWhileBusy(func() error { return f.In.Remove(name) })
	if !f.busy(err) {
		return err
	}
	aside, moved := f.moveAside(name)
	if !moved {
		return f.explainBusy(name, err)
	}
	f.In.Remove(aside) // on failure, the next run empties the trash
	return nil
}

// RemoveAll removes a file, or a directory and all in it, as far as that is possible.
func (f *Files) RemoveAll(name string) error {
	err := f.In.RemoveAll(name)
	if err == nil || !f.busy(err) && !needsSteps(err) {
		return err
	}
	return f.removeInSteps(name)
}

// removeInSteps removes each file on its own, so that a busy one delays no other.
func (f *Files) removeInSteps(name string) error {
	info, err := f.In.Lstat(name)
	if pathname.IsAbsent(err) {
		return nil
	}
	if err == nil && info.IsDir() {
		var entries []fs.DirEntry
		if entries, err = f.In.ReadDir(name); err == nil {
			for _, e := range entries {
				err = errors.Join(err, f.removeInSteps(name+"/"+e.Name()))
			}
		}
	}
	if err != nil {
		return err
	}
	if err = f.Remove(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Rename renames a file or a directory. A target file that stays busy is moved aside, and
// moved back if the new file cannot take its place.
func (f *Files) Rename(from, to string) error {
	err := f.In.Rename(from, to)
	if !f.busy(err) || !f.isRegular(from) {
		return err
	}
	if err = f.repeatWhileBusy(func() error { return f.In.Rename(from, to) }); !f.busy(err) {
		return err
	}
	aside, moved := f.moveAside(to)
	if !moved {
		return f.explainRename(from, to, err)
	}
	if err = f.In.Rename(from, to); err != nil {
		return errors.Join(err, f.In.Rename(aside, to))
	}
	f.In.Remove(aside)
	return nil
}

func (f *Files) busy(err error) bool {
	if f.Busy != nil {
		return f.Busy(err)
	}
	return IsBusy(err)
}

// repeatWhileBusy repeats a call until it meets no busy file, for at most half a second. After
// calls whose pauses did not help, it pauses less, so that many busy files do not take hours.
func (f *Files) repeatWhileBusy(call func() error) error {
	err := call()
	wait := time.Millisecond
	for left := max(1, pauses-f.vain.Load()); left > 0 && f.busy(err); left-- {
		if f.Pause != nil {
			f.Pause(wait)
		} else {
			time.Sleep(wait)
		}
		wait *= 2
		err = call()
	}
	if f.busy(err) {
		f.vain.Add(1)
	} else {
		f.vain.Store(0)
	}
	return err
}

// moveAside moves a regular file into the trash directory, unless it is there already.
func (f *Files) moveAside(name string) (aside string, moved bool) {
	if f.Trash == "" || strings.HasPrefix(name, f.Trash+"/") || !f.isRegular(name) {
		return "", false
	}
	aside = path.Join(f.Trash, fmt.Sprintf("busy-%016x", rand.Uint64()))
	if err := f.In.Rename(name, aside); err == nil {
		return aside, true
	}
	if f.In.MkdirAll(f.Trash, 0o777) != nil {
		return "", false
	}
	return aside, f.In.Rename(name, aside) == nil
}

// explainBusy adds the name of a busy file to an error. An error about a directory stays as it
// is, because the system has one error for directories in use and for those not empty.
func (f *Files) explainBusy(name string, err error) error {
	if !f.isRegular(name) {
		return err
	}
	return &Error{name, err}
}

func (f *Files) isRegular(name string) bool {
	info, err := f.In.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

// explainRename adds the name of the busy file to the error of a rename: the target, if
// there is one.
func (f *Files) explainRename(from, to string, err error) error {
	if _, lstatErr := f.In.Lstat(to); lstatErr != nil {
		return f.explainBusy(from, err)
	}
	return f.explainBusy(to, err)
}
