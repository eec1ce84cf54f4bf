package cook

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/scan"
)

// The index lies in two files: the flat one, and beside it the changes since it
// was written, whose name has the flat one's ID. So the pair can be replaced by
// one rename, that of the flat file, and neither can be lost without notice.
const (
	indexName     = plan.StateDir + "/index"
	changesPrefix = "changes-"
)

func changesName(id string) string { return plan.StateDir + "/" + changesPrefix + id }

// readIndex opens what the last run left. Whatever is wrong with it means
// work, not failure.
func (k *kitchen) readIndex() error {
	k.last = &index.Index{}
	if k.out == nil {
		return nil
	}
	live, err := k.readLive(k.readState)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if k.used && exists(k.outFile(manifest.Name)) {
			k.Observer.Note("the index is missing; everything is checked anew")
		}
		return nil
	case errors.Is(err, errIndex):
		return fmt.Errorf("index %s: %w; remove it", k.outFile(indexName), err)
	case err == nil:
		k.last, err = live.Flat()
	}
	if err != nil {
		k.last = &index.Index{}
		k.Observer.Note(fmt.Sprintf("index %s: %v; everything is checked anew", k.outFile(indexName), err))
	}
	return nil
}

// readState reads a file of the cooker's own from the output folder. What took its
// place and is no regular file is an error and makes nobody wait.
func (k *kitchen) readState(name string) ([]byte, error) {
	f, err := k.out.OpenFile(name)
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

// errIndex says that the index could not be read, which is not to say that it
// is damaged.
var errIndex = errors.New("cannot be read")

// readLive reads the flat file and its changes. A run that only looks has no
// lock, so the pair may be replaced between the two: then it tries again.
func (k *kitchen) readLive(read func(name string) ([]byte, error)) (*index.Live, error) {
	for try := 0; ; try++ {
		base, err := read(indexName)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errIndex, err)
		}
		id, err := index.ReadID(base)
		if err != nil {
			return nil, err
		}
		changes, err := k.readState(changesName(id))
		switch {
		case errors.Is(err, fs.ErrNotExist) && try < 3:
			continue
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%w: its changes are missing", index.ErrDamaged)
		case err != nil:
			return nil, fmt.Errorf("%w: %w", errIndex, err)
		}
		return index.OpenLive(base, changes)
	}
}

// writeIndex replaces the flat file and its changes, once what is owed is on the
// disk.
func (k *kitchen) writeIndex(x *index.Index, changes []byte, owed *debt) error {
	if err := k.put(changesName(x.ID()), changes, k.paying(owed)); err != nil {
		return err
	}
	if err := k.put(indexName, x.Bytes(), notAwaited); err != nil {
		return err
	}
	return k.removeChanges(x.ID())
}

// indexStamps returns the stamps of the index's files, one of which is replaced
// whenever the index changes. It is nil if they are not available.
func (k *kitchen) indexStamps() map[string]scan.Stamp {
	state, err := fs.ReadDir(k.out.Root().FS(), plan.StateDir)
	if err != nil {
		return nil
	}
	stamps := map[string]scan.Stamp{}
	for _, e := range state {
		name := plan.StateDir + "/" + e.Name()
		if name != indexName && !strings.HasPrefix(e.Name(), changesPrefix) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil
		}
		stamps[name] = scan.StampOf(info)
	}
	return stamps
}

// removeChanges removes the changes of every index but one.
func (k *kitchen) removeChanges(but string) error {
	state, err := fs.ReadDir(k.out.Root().FS(), plan.StateDir)
	if err != nil {
		return err
	}
	for _, e := range state {
		if id, ok := strings.CutPrefix(e.Name(), changesPrefix); ok && id != but {
			if err := k.out.Root().Remove(changesName(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}
