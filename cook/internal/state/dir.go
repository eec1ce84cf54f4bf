package state

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/statedir"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
)

// IndexName is the index, below the output folder.
const IndexName = manifest.StateDir + "/index"

// Names of the rest of the state.
const (
	lockName      = manifest.StateDir + "/lock"
	changesPrefix = "changes-"
	journalName   = manifest.StateDir + "/journal"
	dirtyName     = manifest.StateDir + "/dirty"
	historyName   = manifest.StateDir + "/history"
)

// A Dir is the state of one output folder. Without a lock it only answers questions.
type Dir struct {
	out  *confine.Dir
	home *confine.Dir // holds .cook; out itself, unless the state is elsewhere
	lock *lock        // nil without

	// logged says that a file of the output folder was synced since BeginReading, so
	// the log of its file system is written.
	logged bool
	// dirty says that there is a dirty marker, raised that it is of this run.
	dirty, raised bool

	fineOnce   sync.Once // see FineStamps
	fine       bool
	fineDevice uint64
}

// Open returns the state of an output folder. Close it after use.
func Open(out *confine.Dir) *Dir {
	d := &Dir{out: out, home: out}
	defer func() { out.MoveBusyTo(d.Trash()) }()
	if info, err := out.Root().Lstat(manifest.StateDir); err != nil || !info.Mode().IsRegular() {
		return d
	}
	if name := statedir.Home(out.Name()); name != out.Name() {
		if home, err := confine.Open(name); err == nil {
			d.home = home
		}
	}
	return d
}

// Exists reports whether the output folder has been cooked into before.
func (d *Dir) Exists() bool {
	info, err := d.home.Root().Lstat(manifest.StateDir)
	return err == nil && !info.Mode().IsRegular() // a file names a directory that is gone
}

// Make makes the folder of the state, and the tags of an output folder that is empty.
func (d *Dir) Make() error {
	empty := d.isEmpty()
	err := error(nil)
	if d.home == d.out {
		err = d.removeName()
	}
	if err == nil {
		err = d.home.Root().MkdirAll(manifest.StateDir, 0o777)
	}
	if err != nil {
		return fmt.Errorf("output folder %s: %w", d.out.Name(), err)
	}
	if empty {
		return d.tag()
	}
	return nil
}

// Close lets go of the lock, and of the state.
func (d *Dir) Close() {
	d.unlock()
	if d.home != d.out {
		d.home.Close()
		d.home = d.out
	}
}

func (d *Dir) unlock() {
	if d.lock != nil {
		d.lock.Close()
		d.lock = nil
	}
}

// Folder returns the absolute name of the folder .cook.
func (d *Dir) Folder() string { return d.name(manifest.StateDir) }

// Home returns the absolute name of the folder that holds .cook.
func (d *Dir) Home() string { return d.home.Name() }

// Work returns the directory in the output folder for files that have no name yet.
func (d *Dir) Work() string {
	if d.home == d.out {
		return manifest.StateDir
	}
	return statedir.Work
}

// Trash returns the directory in the output folder for files that are to be removed. It
// exists only during a run, or while another program has one of the files open.
func (d *Dir) Trash() string { return d.Work() + "/trash" }

// in returns the folder of one of cook's own files: the state's, or the output folder.
func (d *Dir) in(p string) *confine.Dir {
	if p == manifest.StateDir || strings.HasPrefix(p, manifest.StateDir+"/") {
		return d.home
	}
	return d.out
}

func (d *Dir) name(p string) string { return filepath.Join(d.in(p).Name(), filepath.FromSlash(p)) }

// MayExist reports whether something of that name is in the output folder, or cannot
// be ruled out.
func (d *Dir) MayExist(output string) bool {
	_, err := d.in(output).Root().Lstat(output)
	return err == nil || !pathname.IsAbsent(err)
}

// A Finder looks for one file of the output folder after another. It does so fastest
// folder by folder, and need not see folders that are made meanwhile.
type Finder struct {
	out  *confine.Dir
	path string // of the folder
	dir  *confine.Folder
}

// Finder begins to look.
func (d *Dir) Finder() *Finder { return &Finder{out: d.out} }

// MayBeFile is MayExist for anything but a folder.
func (f *Finder) MayBeFile(output string) bool {
	dir, base := path.Split(output)
	if f.dir == nil || dir != f.path {
		f.Close()
		opened := f.out.Root().Folder(path.Clean(dir))
		f.path, f.dir = dir, &opened
	}
	if f.dir.Absent() {
		return false
	}
	info, err := f.dir.Lstat(base)
	return err == nil && !info.IsDir() || err != nil && !pathname.IsAbsent(err)
}

// Close ends the search.
func (f *Finder) Close() {
	if f.dir != nil {
		f.dir.Close()
		f.dir = nil
	}
}

// Interrupted reports whether the last run left something that has to be tidied up.
func (d *Dir) Interrupted() bool {
	for _, left := range []string{journalName, dirtyName, d.Work() + "/tmp", d.Work() + "/trash"} {
		if _, err := d.in(left).Root().Lstat(left); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}

// ClearLeftovers removes what put left behind in a process that was killed.
func (d *Dir) ClearLeftovers() error {
	left, err := fs.ReadDir(d.home.Root().FS(), manifest.StateDir)
	for _, e := range left {
		if strings.HasPrefix(e.Name(), atomicfile.Prefix) {
			err = errors.Join(err, d.home.Root().Remove(manifest.StateDir+"/"+e.Name()))
		}
	}
	return err
}

// BeginReading notes that contents are read from now on: what they say goes to the
// disk after this moment.
func (d *Dir) BeginReading() { d.logged = false }

// readStateFile reads a file. It returns an error for anything but a regular file.
func (d *Dir) readStateFile(name string) ([]byte, error) {
	f, err := d.in(name).OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	if info, err := f.Stat(); err == nil {
		b.Grow(int(info.Size()) + bytes.MinRead)
	}
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}

// replace writes a file whole or leaves the old one, power cuts included. What a killed
// process may leave behind lies in the state folder, where ClearLeftovers finds it.
func (d *Dir) replace(name string, data []byte) error {
	d.logged = true
	return d.putFile(name, data, (*atomicfile.File).Sync)
}

// replaceDurably replaces a file on whose name the next thing that is done relies: no
// power cut can leave that and not the name.
func (d *Dir) replaceDurably(name string, data []byte) error {
	if err := d.replace(name, data); err != nil {
		return err
	}
	return atomicfile.SyncFolder(filepath.Dir(d.name(name)))
}

// putFile replaces a file. Between writing it and giving it its name, ready is called.
func (d *Dir) putFile(name string, data []byte, ready func(*atomicfile.File) error) error {
	failed := func(err error) error { return fmt.Errorf("write %s: %w", d.name(name), err) }
	f, discard, err := d.create(name)
	if err != nil {
		return cmp.Or(d.CheckLock(), failed(err)) // a folder that was removed takes no files
	}
	defer discard()
	if _, err := f.Write(data); err != nil {
		return failed(err)
	}
	if err := ready(f); err != nil {
		return failed(err)
	}
	if err := d.CheckLock(); err != nil {
		return err
	}
	if err := f.Commit(name); err != nil {
		return failed(err)
	}
	return nil
}

// create makes a temporary file for a file of ours. Call discard at the end, also after a
// Commit.
func (d *Dir) create(name string) (f *atomicfile.File, discard func(), err error) {
	if d.in(name) != d.home {
		return createWork(d.out.Root())
	}
	if f, err = atomicfile.CreateIn(d.home.Root(), manifest.StateDir, 0o666); err != nil {
		return nil, nil, err
	}
	return f, f.Discard, nil
}

// createWork is create for the output folder if its .cook is, or becomes, a file.
func createWork(out confine.Root) (f *atomicfile.File, discard func(), err error) {
	if err := out.MkdirAll(statedir.Work, 0o777); err != nil {
		return nil, nil, err
	}
	if f, err = atomicfile.CreateIn(out, statedir.Work, 0o666); err != nil {
		out.RemoveEmpty(statedir.Work)
		return nil, nil, err
	}
	return f, func() { f.Discard(); out.RemoveEmpty(statedir.Work) }, nil
}

// writeNew writes a file of ours without the lock, before anything depends on it.
func (d *Dir) writeNew(name string, data []byte) error {
	f, discard, err := d.create(name)
	if err != nil {
		return err
	}
	defer discard()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Commit(name)
}

// unsynced is for a file that need not survive a power cut, because it shows when it
// did not.
func unsynced(*atomicfile.File) error { return nil }
