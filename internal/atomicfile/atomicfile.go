// Package atomicfile writes files that are never seen half written: it fills a temporary file and
// then renames it.
//
// It guarantees a whole file for the next reader, but not after a power cut. For that, sync the
// [File] before its Commit, and, if later work relies on the name, its directory ([SyncFolder])
// after it.
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

// Prefix begins the name of every temporary file, so that leftovers of a killed process can be
// recognized.
const Prefix = ".tmp-"

// maxTries bounds the search for a free name. With 64 random bits even a second try is extremely
// unlikely.
const maxTries = 100

// Write replaces the content of path by the output of write, or leaves path unchanged. It creates
// the file with perm minus the umask. The parent directory must exist: the temporary file is
// created in it, and removed on every failure.
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

// File is a temporary file before its rename. It is open for reading and writing. Either Commit or
// Discard ends it.
type File struct {
	*os.File
	in    Folder
	name  string // path relative to in
	ended bool
}

// A Folder resolves names. An [os.Root] confines names to its directory.
type Folder interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Rename(from, to string) error
	Remove(name string) error
}

// disk resolves names like package os, and waits for other programs to close files.
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

// CreateIn is Create in a Folder, which resolves the names of dir and of Commit.
func CreateIn(in Folder, dir string, perm fs.FileMode) (*File, error) {
	for try := 1; ; try++ {
		name := filepath.Join(dir, fmt.Sprintf("%s%016x", Prefix, rand.Uint64()))
		// NoWait has no effect on a new file, but saves five system calls of package os that test
		// whether the file can be polled.
		f, err := in.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|regular.NoWait, perm)
		if err == nil {
			return &File{File: f, in: in, name: name}, nil
		}
		if !errors.Is(err, fs.ErrExist) || try == maxTries {
			return nil, err
		}
	}
}

// Commit closes the file and renames it to path, which it replaces. On failure it removes the file.
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

// Discard closes and removes the file. After Commit or Discard it does nothing, so it can be
// deferred.
func (f *File) Discard() {
	if f.ended {
		return
	}
	f.ended = true
	f.Close() // may already be closed by Commit
	// If a temporary file cannot be removed, no further step helps.
	f.in.Remove(f.name)
}

// SyncFolder waits until the names in a directory are on the disk, so that later renames cannot
// survive without them. It does nothing where the system has no such call.
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
		return nil // some network and user-space file systems
	}
	if err != nil {
		return fmt.Errorf("sync directory %s: %w", name, err)
	}
	return nil
}
