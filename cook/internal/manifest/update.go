package manifest

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"
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
	write, remove, err = standard().updateParts(root, load, changes)
	if err != nil {
		return nil, nil, fmt.Errorf("update %w", err)
	}
	return write, remove, nil
}

func (c cutting) updateParts(data []byte, load load, changes []Change) (write []File, remove []string, err error) {
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
		err = s.mergeAssets(c.wholeAssets(old), changes)
	} else {
		err = s.mergeParts(changes)
	}
	if err != nil {
		return nil, nil, err
	}
	s.closeManifest(s.closeBody())
	parts, files, err := s.splicedParts()
	if err != nil {
		return nil, nil, err
	}
	if bytes.Equal(files[len(files)-1].Data, data) {
		return nil, nil, nil
	}
	write, remove = newAndOldFiles(old.parts, parts, files)
	return write, remove, nil
}

func checkChanges(changes []Change) error {
	for i := range changes {
		ch := &changes[i]
		a := ch.Asset
		if ch.Remove {
			a.Outputs = nil
		}
		if err := a.checkAsset(); err != nil {
			return err
		}
		if i > 0 && changes[i-1].assetKey().compare(ch.assetKey()) >= 0 {
			return fmt.Errorf("the change of source %q, target %q comes twice or is not in order; sort the changes", ch.Source, ch.Target)
		}
	}
	return nil
}

// newAndOldFiles leaves out the files of parts that the old manifest has already,
// and names the parts that only the old one has.
func newAndOldFiles(old, now []part, files []File) (write []File, remove []string) {
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

// piece is a part of the new manifest: an unchanged old part, by its index, or a new one.
type piece struct {
	old int
	new *body // nil: the old one
}

// splicer makes a manifest of an old one and of changes. The pieces, in order, are complete; the open
// part of the cutter follows them.
type splicer struct {
	cutter
	old    []part
	load   load
	pieces []piece
	line   []byte // buffer of a changed asset
}

// mergeParts merges the changes into their parts. A part has the sources from its first source up to
// the first source of the next part; the first part also has all earlier sources.
func (s *splicer) mergeParts(changes []Change) error {
	for i := range s.old {
		n := len(changes)
		if i+1 < len(s.old) {
			n, _ = slices.BinarySearchFunc(changes, s.old[i+1].first.source, func(ch Change, source string) int {
				return strings.Compare(ch.Source, source)
			})
		}
		if n == 0 {
			// An old part that is not the first begins with a source that always begins a part,
			// so earlier changes cannot move its start.
			s.closeManifest(s.closeBody())
			s.pieces = append(s.pieces, piece{old: i})
			continue
		}
		if err := s.mergeAssets(s.partAssets(s.old, i, s.load), changes[:n]); err != nil {
			return err
		}
		changes = changes[n:]
	}
	return nil
}

// mergeAssets adds assets, changed.
func (s *splicer) mergeAssets(assets iter.Seq2[entry, error], changes []Change) error {
	for e, err := range assets {
		if err != nil {
			return err
		}
		k, replaced := e.assetKey(), false
		for len(changes) > 0 && changes[0].assetKey().compare(k) <= 0 {
			replaced = changes[0].assetKey() == k
			if err := s.setChange(&changes[0]); err != nil {
				return err
			}
			changes = changes[1:]
		}
		if replaced {
			continue
		}
		if err := s.spliceAsset(k, e.line); err != nil {
			return err
		}
	}
	for i := range changes {
		if err := s.setChange(&changes[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *splicer) setChange(ch *Change) error {
	if ch.Remove {
		return nil
	}
	s.line = appendAsset(s.line[:0], &ch.Asset)
	return s.spliceAsset(ch.assetKey(), s.line)
}

// spliceAsset adds the next asset. If the asset begins no part although the asset before it is in an
// old part that should stay, the asset that began the next part is gone, and the old part goes on.
func (s *splicer) spliceAsset(k key, line []byte) error {
	if last := len(s.pieces) - 1; last >= 0 && s.open == nil && !s.begins(k.source) {
		p := s.pieces[last]
		s.pieces = s.pieces[:last]
		if err := s.copyOldPart(p.old); err != nil {
			return err
		}
	}
	s.closeManifest(s.cutter.cutBefore(k, line))
	return nil
}

// closeManifest adds a body to the pieces, if there is one.
func (s *splicer) closeManifest(b *body) {
	if b != nil {
		s.pieces = append(s.pieces, piece{new: b})
	}
}

// copyOldPart opens a body that is an old part. There must be none open.
func (s *splicer) copyOldPart(i int) error {
	for e, err := range s.partAssets(s.old, i, s.load) {
		if err != nil {
			return err
		}
		s.cutter.cutBefore(e.assetKey(), e.line) // completes nothing: partAssets saw to that
	}
	return nil
}

// splicedParts gives the parts of the new manifest, and its files but for the old
// parts that stay, the root last.
func (s *splicer) splicedParts() ([]part, []File, error) {
	var total int64
	for _, p := range s.pieces {
		if p.new != nil {
			total += p.new.assets
		} else {
			total += s.old[p.old].assets
		}
	}
	if total <= s.whole {
		data, err := s.wholeFile()
		return nil, []File{{Name: Name, Data: data}}, err
	}
	var parts []part
	var files []File
	for _, p := range s.pieces {
		if p.new == nil {
			parts = append(parts, s.old[p.old])
			continue
		}
		now, file := p.new.closePart()
		parts = append(parts, now)
		files = append(files, file)
	}
	return parts, append(files, rootOf(parts)), nil
}

// wholeFile makes a single file of all pieces.
func (s *splicer) wholeFile() ([]byte, error) {
	var bodies []*body
	for _, p := range s.pieces {
		if p.new == nil {
			if err := s.copyOldPart(p.old); err != nil {
				return nil, err
			}
			p.new = s.closeBody()
		}
		bodies = append(bodies, p.new)
	}
	return joinBodies(bodies), nil
}
