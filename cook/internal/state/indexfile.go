package state

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/mapped"
)

// An IndexFile is the index on the disk: a flat file, and a file with later changes, whose name
// contains the ID of the flat file. Renaming a new flat file into place therefore replaces both at
// once, and a run notices if one of the files is lost.
type IndexFile struct{ files *files }

func changesName(id string) string { return manifest.StateDir + "/" + changesPrefix + id }

// A Known is the index of the last run, mapped into memory.
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

// mapIndex maps a file into memory.
func mapIndex(dir *confine.Dir, name string) (*mapped.File, error) {
	f, err := dir.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return mapped.Of(f)
}

// Empty returns an empty index.
func Empty() *Known { return &Known{Index: index.Empty()} }

// ErrUnreadable reports that the index cannot be read, although it may be intact.
var ErrUnreadable = errors.New("cannot be read")

// Load maps the index of the last run. If the index is missing, the error is fs.ErrNotExist. If it
// cannot be opened, the error is ErrUnreadable. Any other error means another format or damage.
func (x IndexFile) Load() (*Known, error) {
	k := &Known{}
	err := index.Guard(func() (err error) {
		k.Index, err = x.openInto(k)
		return err
	})
	if err != nil {
		k.Close()
		return nil, err
	}
	return k, nil
}

// openInto opens the flat file and its changes. Without the lock, another run may replace the files
// in between. In this case, openInto tries again.
func (x IndexFile) openInto(k *Known) (*index.Index, error) {
	for try := 0; ; try++ {
		k.Close()
		var err error
		k.file, err = mapIndex(x.files.home, IndexName)
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
		changes, err := x.files.readStateFile(changesName(id))
		switch {
		case errors.Is(err, fs.ErrNotExist) && try < 3:
			continue
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%w: the file of its changes is missing", index.ErrDamaged)
		case err != nil:
			return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
		opened, err := index.Open(k.file.Data, changes)
		if err == nil {
			opened.ReleaseBy(k.file.Release)
		}
		return opened, err
	}
}

// FileNames returns the absolute names of the flat file and of the file with its changes.
func (x IndexFile) FileNames() (flat, changes string, err error) {
	file, err := mapIndex(x.files.home, IndexName)
	if err != nil {
		return "", "", err
	}
	defer file.Close()
	var id string
	err = index.Guard(func() (err error) {
		id, err = index.ReadID(file.Data)
		return err
	})
	return x.files.absoluteName(IndexName), x.files.absoluteName(changesName(id)), err
}

// Describe adds the name of the index to an error from Load.
func (x IndexFile) Describe(err error) error {
	return fmt.Errorf("index %s: %w", x.files.absoluteName(IndexName), err)
}

// writeIndexFiles replaces the index. It calls ready before it renames the file of changes.
func (x IndexFile) writeIndexFiles(e index.Encoded, ready func(*atomicfile.File) error) error {
	if err := x.files.putFile(changesName(e.ID), e.Changes, ready); err != nil {
		return err
	}
	if e.Flat == nil {
		return nil
	}
	if err := x.files.putFile(IndexName, e.Flat, withoutSync); err != nil {
		return err
	}
	return x.removeChanges(e.ID)
}

// Seal returns a text that identifies the content of the index, or "" if the index cannot be read.
// The text has the names and the checksums of the files of changes.
func (x IndexFile) Seal() string {
	state, err := fs.ReadDir(x.files.home.Root().FS(), manifest.StateDir)
	if err != nil {
		return ""
	}
	var seals strings.Builder
	for _, e := range state {
		id, ok := strings.CutPrefix(e.Name(), changesPrefix)
		if !ok {
			continue
		}
		seal, err := tailOf(x.files.home, changesName(id), index.SealSize)
		if err != nil {
			return ""
		}
		fmt.Fprintf(&seals, "%s %x\n", id, seal)
	}
	return seals.String()
}

// tailOf returns the last bytes of a file, which are its checksum.
func tailOf(dir *confine.Dir, name string, size int64) ([]byte, error) {
	f, err := dir.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := f.Seek(-size, io.SeekEnd); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, size))
}

// removeChanges removes the changes files of old indexes.
func (x IndexFile) removeChanges(but string) error {
	home := x.files.home.Root()
	state, err := fs.ReadDir(home.FS(), manifest.StateDir)
	if err != nil {
		return err
	}
	for _, e := range state {
		if id, ok := strings.CutPrefix(e.Name(), changesPrefix); ok && id != but {
			if err := home.Remove(changesName(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}
