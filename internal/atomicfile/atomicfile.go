// Package atomicfile writes files atomically: it writes to a temporary file and then renames it, so
// that readers never see a partial file.
//
// After a power failure the file may still be incomplete. To prevent that, sync the [File] before
// its Commit and, if later work relies on the name, sync its directory ([SyncFolder]) after it.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/regular"
)

// Prefix is the start of the name of every temporary file. It identifies leftovers of a killed
// process.
const Prefix = ".tmp-"

// maxTries limits the search for an unused name. With 64 random bits even a second try is extremely
// unlikely.
const maxTries = 100

// Write replaces the content of path by the output of write, or leaves path unchanged if an error
// occurs. It creates the file with perm minus the umask. The parent directory must exist, because
// Write creates the temporary file in it. On failure Write removes the temporary file.
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

// File is a temporary file that is not renamed yet. It is open for reading and writing. Call either
// Commit or Discard when it is complete.
type File struct {
	*os.File
	in    Folder
	name  string // path of the file, relative to the Folder
	ended bool
}

// A Folder resolves names. An [os.Root] confines names to its directory.
type Folder interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Rename(from, to string) error
	Remove(name string) error
}

// disk resolves names like package os, and waits until other programs close busy files.
type disk struct{ busy *busyfile.Files }

func (disk) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}
func (d disk) Rename(from, to string) error { return d.busy.Rename(from, to) }
func (d disk) Remove(name string) error     { return d.busy.Remove(name) }

// Create creates a temporary file in dir with perm minus the umask. dir must be on the file system
// of the final name.
func Create(dir string, perm fs.FileMode) (*File, error) {
	return CreateIn(disk{&busyfile.Files{In: busyfile.Disk{}}}, dir, perm)
}

// CreateIn is like Create, but dir and the path passed to Commit are relative to the Folder in.
func CreateIn(in Folder, dir string, perm fs.FileMode) (*File, error) {
	for try := 1; ; try++ {
		name := filepath.Join(dir, fmt.Sprintf("%s%016x", Prefix, rand.Uint64()))
		// The flag NoWait has no effect on a new file. It saves five system calls of package os
		// that would test whether the file supports polling.
		f, err := in.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|regular.NoWait, perm)
		if err == nil {
			return &File{File: f, in: in, name: name}, nil
		}
		if !errors.Is(err, fs.ErrExist) || try == maxTries {
			return nil, err
		}
	}
}

// Commit closes the file and renames it to path, replacing an existing file. On failure it removes
// the temporary file.
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

// Discard closes and removes the file. After Commit or an earlier Discard it does nothing, so a
// caller can defer it.
func (f *File) Discard() {
	if f.ended {
		return
	}
	f.ended = true
	f.Close() // the error is ignored: Commit may have closed the file
	// The error is ignored, because nothing else can be done about the temporary file.
	f.in.Remove(f.name)
}

// SyncFolder waits until the entries of a directory are on disk, so that they survive a power
// failure. It does nothing on systems without such a call.
func SyncFolder(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // some network and user-space file systems cannot sync directories
	}
	if err != nil {
		return fmt.Errorf("sync directory %s: %w", name, err)
	}
	return nil
}
