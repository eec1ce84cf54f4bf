package state

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/statedir"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/confine"
)

// IndexName is the path of the index in the output directory.
const IndexName = manifest.StateDir + "/index"

// Names of cook's other files, relative to the output directory.
const (
	lockName      = manifest.StateDir + "/lock"
	changesPrefix = "changes-"
	journalName   = manifest.StateDir + "/journal"
	dirtyName     = manifest.StateDir + "/dirty"
	historyName   = manifest.StateDir + "/history"
	earlierName   = manifest.StateDir + "/earlier"
)

// files reads and writes cook's own files.
type files struct {
	out  *confine.Dir
	home *confine.Dir // directory with .cook; usually equal to out
	lock *lock        // nil unless this process holds the lock
	// logged is set once a file in the output directory was synced after BeginReading. Such a sync
	// also writes the log of the file system.
	logged bool
}

// homeOf returns the directory that contains one of cook's own files: home or the output directory.
func (f *files) homeOf(p string) *confine.Dir {
	if p == manifest.StateDir || strings.HasPrefix(p, manifest.StateDir+"/") {
		return f.home
	}
	return f.out
}

// absoluteName returns the absolute name of one of cook's own files.
func (f *files) absoluteName(p string) string {
	return filepath.Join(f.homeOf(p).Name(), filepath.FromSlash(p))
}

// readStateFile reads one of cook's own files. It returns an error unless the file is regular.
func (f *files) readStateFile(name string) ([]byte, error) {
	file, err := f.homeOf(name).OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var b bytes.Buffer
	if info, err := file.Stat(); err == nil {
		b.Grow(int(info.Size()) + bytes.MinRead)
	}
	_, err = b.ReadFrom(file)
	return b.Bytes(), err
}

// replaceSynced replaces a file completely or not at all, even if the power fails. If the process
// is killed, a temporary file may stay in .cook.
func (f *files) replaceSynced(name string, data []byte) error {
	f.logged = true
	return f.putFile(name, data, (*atomicfile.File).Sync)
}

// replaceDurably is like replaceSynced. When it returns, the file's name is on the disk, too.
func (f *files) replaceDurably(name string, data []byte) error {
	if err := f.replaceSynced(name, data); err != nil {
		return err
	}
	return atomicfile.SyncFolder(filepath.Dir(f.absoluteName(name)))
}

// putFile replaces a file. It calls ready after it has written the data, and before it renames the
// file.
func (f *files) putFile(name string, data []byte, ready func(*atomicfile.File) error) error {
	failed := func(err error) error { return fmt.Errorf("write %s: %w", f.absoluteName(name), err) }
	file, discard, err := f.createTemporary(name)
	if err != nil {
		return cmp.Or(f.checkLock(), failed(err)) // the directory may have been removed
	}
	defer discard()
	if _, err := file.Write(data); err != nil {
		return failed(err)
	}
	if err := ready(file); err != nil {
		return failed(err)
	}
	if err := f.checkLock(); err != nil {
		return err
	}
	if err := file.Commit(name); err != nil {
		return failed(err)
	}
	return nil
}

// withoutSync is a ready function for putFile that does not sync. The run notices if a power cut
// destroys the file.
func withoutSync(*atomicfile.File) error { return nil }

// createTemporary creates a temporary file for one of cook's own files. The caller must call
// discard at the end, even after Commit.
func (f *files) createTemporary(name string) (file *atomicfile.File, discard func(), err error) {
	if f.homeOf(name) != f.home {
		return createWork(f.out.Root())
	}
	if file, err = atomicfile.CreateIn(f.home.Root(), manifest.StateDir, 0o666); err != nil {
		return nil, nil, err
	}
	return file, file.Discard, nil
}

// createWork creates a temporary file in an output directory whose .cook is not a directory, or may
// become a file.
func createWork(out confine.Root) (file *atomicfile.File, discard func(), err error) {
	if err := out.MkdirAll(statedir.Work, 0o777); err != nil {
		return nil, nil, err
	}
	if file, err = atomicfile.CreateIn(out, statedir.Work, 0o666); err != nil {
		out.RemoveEmpty(statedir.Work)
		return nil, nil, err
	}
	return file, func() { file.Discard(); out.RemoveEmpty(statedir.Work) }, nil
}

// writeNew writes one of cook's own files without the lock, while no file depends on it.
func (f *files) writeNew(name string, data []byte) error {
	file, discard, err := f.createTemporary(name)
	if err != nil {
		return err
	}
	defer discard()
	if _, err := file.Write(data); err != nil {
		return err
	}
	return file.Commit(name)
}

// removeMaybe removes a file in home if it exists. An error names the absolute path.
func (f *files) removeMaybe(name string) error {
	err := f.home.Root().Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if fault := (*fs.PathError)(nil); errors.As(err, &fault) {
		fault.Path = f.absoluteName(name) // a confine.Root knows only relative names
	}
	return err
}

// removeName removes a file .cook that names a directory without state.
func (f *files) removeName() error {
	if statedir.Named(f.out.Name(), manifest.StateDir) == "" {
		return nil
	}
	return f.out.Root().Remove(manifest.StateDir)
}
