package state

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/mapped"
)

// The index lies in two files: the flat one, and beside it the changes since it was
// written, whose name has the flat one's ID. So the pair can be replaced by one rename,
// that of the flat file, and neither can be lost without notice.

func changesName(id string) string { return manifest.StateDir + "/" + changesPrefix + id }

// A Known is the index that the last run left, mapped into memory.
type Known struct {
	*index.Index
	file *mapped.File
}

// Close unmaps the index.
func (k *Known) Close() {
	if k.file != nil {
		k.file.Close()
	}
}

func (k *Known) mapIn(dir *confine.Dir, name string) error {
	f, err := dir.OpenFile(name)
	if err != nil {
		return err
	}
	defer f.Close()
	k.file, err = mapped.Of(f)
	return err
}

// Empty is what is known if nothing is.
func Empty() *Known { return &Known{Index: index.Empty()} }

// ErrUnreadable says that the index could not be read, which is not to say that it is
// damaged.
var ErrUnreadable = errors.New("cannot be read")

// Load maps the index that the last run left. A missing one is fs.ErrNotExist, one that
// is there and cannot be opened ErrUnreadable; everything else means that it is of
// another format or damaged.
func (d *Dir) Load() (*Known, error) {
	k := &Known{}
	err := index.Guard(func() (err error) {
		k.Index, err = d.load(k)
		return err
	})
	if err != nil {
		k.Close()
		return nil, err
	}
	return k, nil
}

// load opens the flat file and its changes. A run that only looks has no lock, so the
// pair may be replaced between the two: then it tries again.
func (d *Dir) load(k *Known) (*index.Index, error) {
	for try := 0; ; try++ {
		k.Close()
		err := k.mapIn(d.home, IndexName)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
		id, err := index.ReadID(k.file.Data)
		if err != nil {
			return nil, err
		}
		changes, err := d.readStateFile(changesName(id))
		switch {
		case errors.Is(err, fs.ErrNotExist) && try < 3:
			continue
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%w: its changes are missing", index.ErrDamaged)
		case err != nil:
			return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
		x, err := index.Open(k.file.Data, changes)
		if err == nil {
			x.ReleaseBy(k.file.Release)
		}
		return x, err
	}
}

// Describe returns an error of Load with the name of the index.
func (d *Dir) Describe(err error) error { return fmt.Errorf("index %s: %w", d.name(IndexName), err) }

// HasManifest reports whether there is a manifest.
func (d *Dir) HasManifest() bool {
	_, err := d.out.Root().Stat(manifest.Name)
	return err == nil
}

// writeIndex replaces the index, once what is pending is on the disk.
func (d *Dir) writeIndex(e index.Encoded, pending *Pending) error {
	if err := d.putFile(changesName(e.ID), e.Changes, d.syncing(pending)); err != nil {
		return err
	}
	if e.Flat == nil {
		return nil
	}
	if err := d.putFile(IndexName, e.Flat, unsynced); err != nil {
		return err
	}
	return d.removeChanges(e.ID)
}

// IndexSeal identifies what the index holds: the names and last bytes of the files of
// changes, which are checksums of all of the index. It is "" if there is none that can be
// read.
func (d *Dir) IndexSeal() string {
	state, err := fs.ReadDir(d.home.Root().FS(), manifest.StateDir)
	if err != nil {
		return ""
	}
	var seals strings.Builder
	for _, e := range state {
		id, ok := strings.CutPrefix(e.Name(), changesPrefix)
		if !ok {
			continue
		}
		seal, err := d.tail(changesName(id), index.SealSize)
		if err != nil {
			return ""
		}
		fmt.Fprintf(&seals, "%s %x\n", id, seal)
	}
	return seals.String()
}

// tail returns the last bytes of a file.
func (d *Dir) tail(name string, size int64) ([]byte, error) {
	f, err := d.in(name).OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := f.Seek(-size, io.SeekEnd); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, size))
}

// removeChanges removes the changes of every index but one.
func (d *Dir) removeChanges(but string) error {
	state, err := fs.ReadDir(d.home.Root().FS(), manifest.StateDir)
	if err != nil {
		return err
	}
	for _, e := range state {
		if id, ok := strings.CutPrefix(e.Name(), changesPrefix); ok && id != but {
			if err := d.home.Root().Remove(changesName(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}
