package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/syncfs"
)

// If the power fails, an index with a new stamp may be on the disk although the content is not,
// because a file system writes stamps and contents separately. This applies to outputs and to
// edited sources. Therefore, every file with a new stamp in the index is written to the disk before
// the index.
//
// The opposite is as bad: the disk has new content under the old stamp, so that the index of the
// last run is wrong. This happens only to a file that was edited in place, until the log of its
// file system is written. On the file system of the index, syncing any new file writes the log, and
// this happens before the index is written. For other file systems, the marker .cook/dirty exists
// while they are synced. A run that finds the marker ignores stamps.

// Pending is what must be on the disk before an index is written.
type Pending struct {
	home uint64 // device of the output directory
	// files has one file on each device, with its absolute name or its path among the assets.
	files map[uint64]string
	// These are set if a file was edited in place, on the device of the output directory or on
	// another device.
	editedHome, editedElsewhere bool
	assets                      *confine.Dir
}

// NewPending returns an empty Pending.
func (d *Dir) NewPending(assets *confine.Dir) (*Pending, error) {
	info, err := os.Stat(d.files.out.Name())
	if err != nil {
		return nil, err
	}
	return &Pending{home: scan.StampOf(info).Device, files: map[uint64]string{}, assets: assets}, nil
}

// Add adds a file or a part with a stamp that no index has.
func (p *Pending) Add(on dependency.Dependency, s scan.Stamp) {
	// Links cannot be opened. The files in a listing are added separately.
	if file, ok := on.OnFile(); ok && p.files[s.Device] == "" {
		p.files[s.Device] = file
	}
}

// AddOutputs adds the output directory.
func (p *Pending) AddOutputs(d *Dir) { p.files[p.home] = d.files.out.Name() }

// AddFile adds a file, unless the last index has the same stamp and content. In that case, the file
// is on the disk already.
func (p *Pending) AddFile(last *index.Index, f index.File) {
	p.AddPart(last, dependency.OfFile(f.Path), f)
}

// AddPart is like AddFile, for a file, a listing, a link or an extract.
func (p *Pending) AddPart(last *index.Index, on dependency.Dependency, f index.File) {
	was, known := last.Files().Part(on)
	if known && was.Stamp == f.Stamp && was.Sum == f.Sum {
		return
	}
	p.Add(on, f.Stamp)
	if known && was.Stamp.Inode == f.Stamp.Inode && was.Sum != f.Sum {
		if f.Stamp.Device == p.home {
			p.editedHome = true
		} else {
			p.editedElsewhere = true
		}
	}
}

// A syncer writes pending files to the disk.
type syncer struct {
	files *files
	dirty bool // set if an earlier run has left a dirty marker
	own   bool // set if this run has written the marker
}

// syncing returns a function that syncs the file of the changes, if necessary, and everything
// pending. Call it before that file is renamed into place.
func (y *syncer) syncing(p *Pending) func(*atomicfile.File) error {
	return func(f *atomicfile.File) error {
		if y.syncsChangesFirst(p, syncfs.Waits) {
			if err := f.Sync(); err != nil {
				return err
			}
		}
		return y.syncPending(p)
	}
}

// syncsChangesFirst reports whether the file of the changes needs its own sync. There are two
// reasons:
//
//   - a file on its file system was edited in place, and nothing was synced there since
//   - the later sync omits its file system, or does not wait
func (y *syncer) syncsChangesFirst(p *Pending, waits bool) bool {
	_, home := p.files[p.home]
	return p.editedHome && !y.files.logged || !home || !waits
}

// syncPending writes everything pending to the disk. It makes one call for each file system.
func (y *syncer) syncPending(p *Pending) error {
	if p.editedElsewhere {
		if err := y.files.replaceDurably(dirtyName, nil); err != nil {
			return err
		}
		y.own = true
	}
	for device, file := range p.files {
		if device == p.home {
			file = y.files.out.Name() // the directory can always be opened
		}
		if err := p.syncFileSystem(file); err != nil {
			return fmt.Errorf("cannot sync %s to the disk: %w", file, err)
		}
	}
	return nil
}

// syncFileSystem syncs the file system of a file, and waits for the end. It skips a missing file.
func (p *Pending) syncFileSystem(file string) error {
	open := func(name string) (*os.File, error) { return p.assets.OpenFile(name) }
	if filepath.IsAbs(file) {
		open = os.Open // the file may be a directory
	}
	f, err := open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return syncfs.Sync(f)
}

// Dirty reports whether the power failed while sources were synced. In this case, no stamp can be
// trusted.
func (d *Dir) Dirty() bool {
	d.disk.dirty = d.files.mayExist(dirtyName)
	return d.disk.dirty
}

// endDirty removes the marker of this run. It removes an older marker only if the run has examined
// the whole tree.
func (y *syncer) endDirty(whole bool) error {
	if !y.own && !y.dirty || y.dirty && !whole {
		return nil
	}
	y.own, y.dirty = false, false
	return y.files.removeMaybe(dirtyName)
}
