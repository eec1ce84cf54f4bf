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

// An index that maps a stamp to a content is wrong if the power fails before the content is on
// the disk. A file system writes stamps and contents separately, so one may be saved without
// the other, for outputs and for freshly edited sources. Therefore, every file whose stamp is
// new in an index is written to the disk before the index.
//
// The other order is just as bad: content that is on the disk before its stamp. Until the stamp
// is written too, the disk has new content under the old stamp, and the index of the last run
// is wrong. This happens only to a file that was edited in place, and only until the log of its
// file system is written. On the file system of the index, syncing any new file writes the log,
// and this happens before the index is written. For other file systems, the marker .cook/dirty
// exists while they are synced. A run that finds the marker ignores stamps.

// Pending is everything that must be on the disk before an index is.
type Pending struct {
	home uint64 // device of the output directory
	// files has one file for each device. A file is an absolute name or a path among the assets.
	files map[uint64]string
	// These are set if files may have been edited in place, on the device of the output directory
	// and on other devices.
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

// Add adds a file or a part with a stamp that no index has. The file is a path among the assets
// or an absolute name.
func (p *Pending) Add(on dependency.Dependency, s scan.Stamp) {
	// A link cannot be opened. The files in a listing are added separately.
	if file, ok := on.OnFile(); ok && p.files[s.Device] == "" {
		p.files[s.Device] = file
	}
}

// AddOutputs adds the output directory.
func (p *Pending) AddOutputs(d *Dir) { p.files[p.home] = d.files.out.Name() }

// AddFile adds a file. If the last index has the file with the same stamp, the file is already on
// the disk, so AddFile does not add it.
func (p *Pending) AddFile(last *index.Index, f index.File) {
	p.AddPart(last, dependency.OfFile(f.Path), f)
}

// AddPart is like AddFile, for a file or a part.
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

// A syncer puts pending files on the disk.
type syncer struct {
	files *files
	dirty bool // set if an earlier run left a dirty marker
	own   bool // set if this run wrote the marker
}

// syncing returns a function that syncs the file of the changes and then everything pending. The
// caller must call the function before it renames that file into place.
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

// syncsChangesFirst reports whether the file of the changes needs a sync of its own. The order
// matters only if a file on the same file system was edited in place and nothing was synced there
// since then. Otherwise, the sync of the whole file system includes the changes, provided that the
// run makes this sync and waits for it.
func (y *syncer) syncsChangesFirst(p *Pending, waits bool) bool {
	_, home := p.files[p.home]
	return p.editedHome && !y.files.logged || !home || !waits
}

// syncPending puts everything pending on the disk, with one call for each file system.
func (y *syncer) syncPending(p *Pending) error {
	if p.editedElsewhere {
		if err := y.files.replaceDurably(dirtyName, nil); err != nil {
			return err
		}
		y.own = true
	}
	for device, file := range p.files {
		if device == p.home {
			file = y.files.out.Name() // directory itself, which can always be opened
		}
		if err := p.syncFileSystem(file); err != nil {
			return fmt.Errorf("cannot sync %s to the disk: %w", file, err)
		}
	}
	return nil
}

// syncFileSystem waits until everything written to the file system of a file is on the disk. It
// skips a missing file.
func (p *Pending) syncFileSystem(file string) error {
	open := func(name string) (*os.File, error) { return p.assets.OpenFile(name) }
	if filepath.IsAbs(file) {
		open = os.Open // perhaps a directory
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

// Dirty reports whether the power failed while sources were being synced. In this case, no stamp
// can be trusted.
func (d *Dir) Dirty() bool {
	d.disk.dirty = d.files.mayExist(dirtyName)
	return d.disk.dirty
}

// endDirty removes the marker of this run after its index is in place. It removes an older
// marker if the run has looked at everything.
func (y *syncer) endDirty(whole bool) error {
	if !y.own && !y.dirty || y.dirty && !whole {
		return nil
	}
	y.own, y.dirty = false, false
	return y.files.removeMaybe(dirtyName)
}
