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

// An index that says "this stamp, so this content" lies if the power goes before the
// content is on the disk: a file system keeps stamps and contents apart, and may have
// saved the one without the other, of outputs and of sources that were just edited
// alike. So whatever an index is the first to say of a stamp is put on the disk before
// the index.
//
// The other way round is as bad: content that is put on the disk before its stamp.
// Until then the disk has the new content under the old stamp, for which the index of
// the run before vouches. Only a file that was written in place can come to that, and
// only until its file system's log is written. Where that is the one that holds the
// index, syncing any new file writes it, and that comes first. For others there is a
// marker while they are synced (.cook/dirty): a run that finds it ignores stamps.

// Pending is what has to be on the disk before an index is.
type Pending struct {
	home uint64 // the device of the output folder
	// files has one for each device: its absolute name, or its path among the assets.
	files map[uint64]string
	// Whether files were perhaps changed in place, on the device of the output folder
	// and on any other.
	editedHome, editedElsewhere bool
	assets                      *confine.Dir
}

// NewPending returns what is pending if nothing new is known.
func (d *Dir) NewPending(assets *confine.Dir) (*Pending, error) {
	info, err := os.Stat(d.out.Name())
	if err != nil {
		return nil, err
	}
	return &Pending{home: scan.StampOf(info).Device, files: map[uint64]string{}, assets: assets}, nil
}

// Add adds a file, by its path among the assets or its absolute name, or a part, that is known
// under a stamp for the first time.
func (p *Pending) Add(on dependency.Dependency, s scan.Stamp) {
	// A link cannot be opened, and the files of a listing are added themselves.
	if file, ok := on.OnFile(); ok && p.files[s.Device] == "" {
		p.files[s.Device] = file
	}
}

// AddOutputs adds the output folder.
func (p *Pending) AddOutputs(d *Dir) { p.files[p.home] = d.out.Name() }

// AddFile adds a file unless the last index has it under the same stamp: then it was
// pending when it came there.
func (p *Pending) AddFile(last *index.Index, f index.File) {
	p.AddPart(last, dependency.OfFile(f.Path), f)
}

// AddPart is AddFile for a file or a part.
func (p *Pending) AddPart(last *index.Index, on dependency.Dependency, f index.File) {
	was, known := last.Part(on)
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

// syncing readies the file of the changes: it goes to the disk, and then what is
// pending does, before it gets its name.
func (d *Dir) syncing(p *Pending) func(*atomicfile.File) error {
	return func(f *atomicfile.File) error {
		if d.syncsChangesFirst(p, syncfs.Waits) {
			if err := f.Sync(); err != nil {
				return err
			}
		}
		return d.sync(p)
	}
}

// syncsChangesFirst reports whether the file of the changes needs a sync of its own. The order
// matters only if a file on the same file system was edited in place and nothing was synced there
// since. Otherwise the sync of that file system covers the changes, provided that the run does
// one and waits for it.
func (d *Dir) syncsChangesFirst(p *Pending, waits bool) bool {
	_, home := p.files[p.home]
	return p.editedHome && !d.logged || !home || !waits
}

// sync puts what is pending on the disk, one call for each file system.
func (d *Dir) sync(p *Pending) error {
	if p.editedElsewhere {
		if err := d.replaceDurably(dirtyName, nil); err != nil {
			return err
		}
		d.raised = true
	}
	for device, file := range p.files {
		if device == p.home {
			file = d.out.Name() // a folder is always there to be opened
		}
		if err := p.syncFileSystem(file); err != nil {
			return fmt.Errorf("put %s on the disk: %w", file, err)
		}
	}
	return nil
}

// syncFileSystem waits until everything written to the file system of a file is on the
// disk. A file that is gone needs nothing.
func (p *Pending) syncFileSystem(file string) error {
	open := func(name string) (*os.File, error) { return p.assets.OpenFile(name) }
	if filepath.IsAbs(file) {
		open = os.Open // a folder, perhaps
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

// Dirty reports whether the power went while sources were put on the disk: no stamp can
// be trusted then.
func (d *Dir) Dirty() bool {
	d.dirty = d.MayExist(dirtyName)
	return d.dirty
}

// endDirty removes the marker of this run, whose index is in place, and an older one if
// the run has looked at everything.
func (d *Dir) endDirty(whole bool) error {
	if !d.raised && !d.dirty || d.dirty && !whole {
		return nil
	}
	d.raised, d.dirty = false, false
	err := d.home.Root().Remove(dirtyName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
