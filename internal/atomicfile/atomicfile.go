// Package atomicfile writes files that are never seen half written: a temporary
// file is filled and then renamed to its name.
//
// It promises what the next reader sees, not what survives a power cut; for that
// sync the [File] before its Commit, and its folder ([SyncFolder]) after it if
// what is done next relies on the name.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/regular"
)

// Prefix begins the name of every temporary file, so that leftovers of a killed
// process can be told from other files.
const Prefix = ".tmp-"

// maxTries bounds the search for a free name. With 64 random bits the second try
// is already beyond what anyone will see.
const maxTries = 100

// Write makes path hold what write gives, or leaves it as it was. The file is
// created with perm less the umask. The parent folder must exist: the temporary
// file is made in it, and removed again on every failure.
func Write(path string, perm fs.FileMode, write func(io.Writer) error) error {
	f, err := Create(filepath.Dir(path), perm)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := write(f.File); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return f.Commit(path)
}

// File is a temporary file on its way to its name. It is open for reading and
// writing. Either Commit or Discard ends it.
type File struct {
	*os.File
	in    Folder
	name  string // in that folder
	ended bool
}

// A Folder looks up names. An [os.Root] is one, out of which no name leads.
type Folder interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Rename(from, to string) error
	Remove(name string) error
}

// disk looks up names as package os does, and waits for other programs to close files.
type disk struct{ busy *busyfile.Files }

func (disk) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}
func (d disk) Rename(from, to string) error { return d.busy.Rename(from, to) }
func (d disk) Remove(name string) error     { return d.busy.Remove(name) }

// Create makes a temporary file in dir with perm less the umask. dir must be on
// the file system of the name that the file will get.
func Create(dir string, perm fs.FileMode) (*File, error) {
	return CreateIn(disk{&busyfile.Files{In: busyfile.Disk{}}}, dir, perm)
}

// CreateIn is Create for names that a folder looks up: that of dir, and the one
// that Commit gives.
func CreateIn(in Folder, dir string, perm fs.FileMode) (*File, error) {
	for try := 1; ; try++ {
		name := filepath.Join(dir, fmt.Sprintf("%s%016x", Prefix, rand.Uint64()))
		// NoWait means nothing to a file that is made here, but keeps package os from
		// finding out with five system calls that nothing is to be waited for.
		f, err := in.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|regular.NoWait, perm)
		if err == nil {
			return &File{File: f, in: in, name: name}, nil
		}
		if !errors.Is(err, fs.ErrExist) || try == maxTries {
			return nil, err
		}
	}
}

// Commit closes the file and renames it to path, which it replaces. On failure
// the file is removed.
func (f *File) Commit(path string) error {
	if err := f.Close(); err != nil {
		f.Discard()
		return err
	}
	if err := f.in.Rename(f.name, path); err != nil {
		f.Discard()
		return err
	}
	f.ended = true
	return nil
}

// Discard closes and removes the file. After Commit or Discard it does nothing,
// so it can be deferred.
func (f *File) Discard() {
	if f.ended {
		return
	}
	f.ended = true
	f.Close() // may have happened in Commit
	// Nobody can do anything about a temporary file that cannot be removed.
	f.in.Remove(f.name)
}
