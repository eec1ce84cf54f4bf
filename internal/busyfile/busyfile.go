// Package busyfile removes and replaces files while other programs have them open.
//
// Windows refuses both operations on drives without POSIX semantics (FAT, network drives). It also
// refuses them while another program has the file open without sharing deletion, as virus scanners
// and indexers do briefly. [Files] repeats the call after pauses, which get longer. Then it moves
// the busy file into a trash directory, which the next run empties. If the system refuses that,
// too, it returns an [Error] with the file's name. On other systems both operations succeed at
// once.
package busyfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/internal/pathname"
)

// A Folder makes system calls on the files of a directory. It does not repeat failed calls.
type Folder interface {
	Lstat(name string) (fs.FileInfo, error)
	MkdirAll(name string, perm fs.FileMode) error
	ReadDir(name string) ([]fs.DirEntry, error)
	Remove(name string) error
	RemoveAll(name string) error
	Rename(from, to string) error
}

// Files repeats calls of a Folder while files are busy. Its methods may be called concurrently.
type Files struct {
	In    Folder
	Trash string              // directory for moved busy files; "" disables moving
	Busy  func(error) bool    // function that reports whether an error means a busy file; nil means IsBusy
	Pause func(time.Duration) // function that waits; nil means time.Sleep
	vain  atomic.Int32        // number of consecutive calls that failed after all their pauses
}

// pauses is the maximum number of pauses per call. The first pause takes 1 ms, and each is twice as
// long as the previous one: half a second in total.
const pauses = 9

// Error is the error for a file that cannot be removed or replaced because another program has it
// open.
type Error struct {
	Path string
	Err  error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s is open in another program; close that program, and run cook again (%v)",
		pathname.Show(e.Path), e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Remove removes a file or an empty directory. If a file stays busy, Remove moves it to the trash
// directory.
func (f *Files) Remove(name string) error {
	err := f.repeatWhileBusy(func() error { return f.In.Remove(name) })
	if !f.busy(err) {
		return err
	}
	aside, moved := f.moveAside(name)
	if !moved {
		return f.explainBusy(name, err)
	}
	f.In.Remove(aside) // if Remove fails, the next run empties the trash directory
	return nil
}

// RemoveAll removes a file or a directory with its content. It continues after errors.
func (f *Files) RemoveAll(name string) error {
	err := f.In.RemoveAll(name)
	if err == nil || !f.busy(err) && !needsSteps(err) {
		return err
	}
	return f.removeInSteps(name)
}

// removeInSteps removes each file separately, so that a busy file does not prevent the removal of
// other files.
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

// Rename renames a file or a directory. If the target file stays busy, Rename moves it to the trash
// directory, and back if the new file cannot be renamed.
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

// repeatWhileBusy repeats a call while it fails because of a busy file, for at most half a second.
// After calls that failed in spite of all pauses, it pauses fewer times. With the full time for
// each file, many busy files could take hours.
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

// moveAside moves a regular file to the trash directory, unless the file is already in it.
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

// explainBusy adds the name of a busy file to an error. It returns errors about directories
// unchanged, because the system reports busy directories and nonempty directories with the same
// error.
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

// explainRename adds the name of the busy file to the error of a rename. The busy file is the
// target if the target exists, otherwise the renamed file.
func (f *Files) explainRename(from, to string, err error) error {
	if _, lstatErr := f.In.Lstat(to); lstatErr != nil {
		return f.explainBusy(from, err)
	}
	return f.explainBusy(to, err)
}

// Disk is the Folder that uses the functions and paths of package os.
type Disk struct{}

func (Disk) Lstat(name string) (fs.FileInfo, error)       { return os.Lstat(name) }
func (Disk) MkdirAll(name string, perm fs.FileMode) error { return os.MkdirAll(name, perm) }
func (Disk) ReadDir(name string) ([]fs.DirEntry, error)   { return os.ReadDir(name) }
func (Disk) Remove(name string) error                     { return os.Remove(name) }
func (Disk) RemoveAll(name string) error                  { return os.RemoveAll(name) }
func (Disk) Rename(from, to string) error                 { return os.Rename(from, to) }

// Remove is like os.Remove, for a file that another program may have open.
func Remove(name string) error { return (&Files{In: Disk{}}).Remove(name) }

// RemoveAll is like os.RemoveAll, for files that other programs may have open.
func RemoveAll(name string) error { return (&Files{In: Disk{}}).RemoveAll(name) }

// Rename is like os.Rename, for files that other programs may have open.
func Rename(from, to string) error { return (&Files{In: Disk{}}).Rename(from, to) }
