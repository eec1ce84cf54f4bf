package manifest

import (
	"bytes"
	"fmt"
)

// Update applies changes, sorted by source and target, to the manifest of a root. The files equal
// the output of [Build] for the changed list, byte for byte. Update returns the files to write, the
// root last, and the names of parts to remove after the root is in its place; neither if nothing
// changes.
//
// It reads with load only parts with changes, the part before one whose beginning goes, and all
// parts when 4096 assets or fewer remain. It does not check the others.
//
// After an error there is nothing to write. The manifest is damaged, or of another format
// ([ErrFormat]), and must be built anew; or load failed, whose error Update wraps; or the changes are
// not sorted, or have names that [Build] refuses.
func Update(root []byte, load func(name string) ([]byte, error), changes []Change) (write []File, remove []string, err error) {
	write, remove, err = standard().update(root, load, changes)
	if err != nil {
		return nil, nil, fmt.Errorf("update %w", err)
	}
	return write, remove, nil
}

func (c cutting) update(data []byte, load load, changes []Change) (write []File, remove []string, err error) {
	if err := checkChanges(changes); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", Name, err)
	}
	old, err := c.openRoot(data)
	if err != nil {
		return nil, nil, err
	}
	if old.format != 2 {
		return nil, nil, fmt.Errorf("%s: format %d: %w", Name, old.format, ErrFormat)
	}
	s := splicer{cutter: cutter{cutting: c}, old: old.parts, load: load}
	if old.assets != nil {
		err = s.merge(c.wholeAssets(old), changes)
	} else {
		err = s.mergeParts(changes)
	}
	if err != nil {
		return nil, nil, err
	}
	s.closeManifest(s.flush())
	parts, files, err := s.files()
	if err != nil {
		return nil, nil, err
	}
	if bytes.Equal(files[len(files)-1].Data, data) {
		return nil, nil, nil
	}
	write, remove = difference(old.parts, parts, files)
	return write, remove, nil
}

func checkChanges(changes []Change) error {
	for i := range changes {
		ch := &changes[i]
		a := ch.Asset
		if ch.Remove {
			a.Outputs = nil
		}
		if err := a.check(); err != nil {
			return err
		}
		if i > 0 && changes[i-1].key().compare(ch.key()) >= 0 {
			return fmt.Errorf("the change of source %q, target %q comes twice or is not in order; sort the changes", ch.Source, ch.Target)
		}
	}
	return nil
}

// difference leaves out the files of parts that the old manifest has already,
// and names the parts that only the old one has.
func difference(old, now []part, files []File) (write []File, remove []string) {
	had, has := map[string]bool{}, map[string]bool{}
	for _, p := range old {
		had[p.name] = true
	}
	for _, p := range now {
		has[p.name] = true
	}
	for _, f := range files {
		if !had[f.Name] {
			write = append(write, f)
		}
	}
	for _, p := range old {
		if !has[p.name] {
			remove = append(remove, p.name)
		}
	}
	return write, remove
}
