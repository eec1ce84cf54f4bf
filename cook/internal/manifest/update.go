package manifest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Update applies changes, sorted by source and target, to the manifest with the given root,
// which may have another layout. The resulting files equal the output of [Build] for the
// changed list, byte for byte. Update returns the files to write, the root last, and the names
// of parts to remove after the root is in place. If nothing changes, it returns neither.
//
// It calls load only for parts with changes and for the part before a part that loses its first
// source. To convert parts to a single file, it loads all of them. In a single file it decodes
// only lines near changes. Other parts and lines are not checked, so the caller must know that
// cook wrote the root.
//
// After an error there is nothing to write. If load failed, Update wraps its error. If the manifest
// is damaged or has another format ([ErrFormat]), it must be rebuilt. Otherwise the changes are not
// sorted or have names that [Build] refuses.
func Update(layout Layout, root []byte, load func(name string) ([]byte, error), changes []Change) (write []File, remove []string, err error) {
	write, remove, err = standard(layout).updateManifest(root, load, changes)
	if err != nil {
		return nil, nil, fmt.Errorf("update %w", err)
	}
	return write, remove, nil
}

func (c cutting) updateManifest(data []byte, load load, changes []Change) (write []File, remove []string, err error) {
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
	if old.assets != nil && c.layout == Single {
		now, err := editLines(old.assets, changes)
		if err != nil || bytes.Equal(now, data) {
			return nil, nil, err
		}
		return []File{{Name: Name, Data: now}}, nil, nil
	}
	s := splicer{cutter: cutter{cutting: c}, old: old.parts, load: load}
	switch {
	case old.assets != nil:
		err = s.mergeAssets(wholeAssets(old), changes)
	case len(old.parts) == 0:
		err = s.mergeAssets(func(func(entry, error) bool) {}, changes)
	default:
		err = s.mergeParts(changes)
	}
	if err != nil {
		return nil, nil, err
	}
	parts, files := s.splicedParts()
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
			return fmt.Errorf("the change of source %q, target %q is listed twice or out of order; sort the changes", ch.Source, ch.Target)
		}
	}
	return nil
}

// editLines applies changes to a single file. It searches for the lines, and compares each change
// with the lines on both sides.
func editLines(data []byte, changes []Change) ([]byte, error) {
	list, cutOff := bytes.CutSuffix(data[len(opening):], []byte(closing))
	if !cutOff || len(list) > 0 && list[0] != '\n' {
		return nil, damagedManifest(Name, 1, errors.New("the file is cut off, or the first asset is not on its own line"))
	}
	now := append(make([]byte, 0, len(data)+256*len(changes)), opening...)
	kept := 0 // list[:kept] is already in the result
	keepUpTo := func(end int) {
		if kept == end {
			return
		}
		lines := list[kept+1 : end]
		if end < len(list) {
			lines = lines[:len(lines)-1] // removes the comma at the end
		}
		now = appendListLine(now, lines)
	}
	for i := range changes {
		begin, end, err := findLine(list, kept, changes[i].assetKey())
		if err != nil {
			return nil, err
		}
		keepUpTo(begin)
		kept = end
		if ch := &changes[i]; !ch.Remove {
			now = appendListLine(now, appendAsset(nil, &ch.Asset))
		}
	}
	keepUpTo(len(list))
	return append(now, closing...), nil
}

// findLine returns the position of an asset's line in list[from:]; the range is empty if there
// is no such asset. A line begins with its newline.
func findLine(list []byte, from int, k key) (begin, end int, err error) {
	lineEnd := func(begin int) int {
		if n := bytes.IndexByte(list[begin+1:], '\n'); n >= 0 {
			return begin + 1 + n
		}
		return len(list)
	}
	// compare decodes the line that starts at begin and compares its asset with k.
	compare := func(begin int) (int, error) {
		end := lineEnd(begin)
		text, comma := bytes.CutSuffix(list[begin+1:end], []byte(","))
		a, err := decodeAsset(string(text))
		if err == nil && comma != (end < len(list)) {
			err = errors.New("want a comma between assets")
		}
		if err != nil {
			return 0, damagedManifest(Name, 2+bytes.Count(list[:begin], []byte("\n")), err)
		}
		return a.assetKey().compare(k), nil
	}
	begin, last := from, len(list)
	for begin < last {
		middle := begin + bytes.LastIndexByte(list[begin:(begin+last)/2+1], '\n')
		c, err := compare(middle)
		switch {
		case err != nil:
			return 0, 0, err
		case c < 0:
			begin = lineEnd(middle)
		default:
			last = middle
		}
	}
	end = begin
	order := errors.New("the assets are not sorted, or one asset is listed twice")
	if begin > 0 {
		c, err := compare(bytes.LastIndexByte(list[:begin], '\n'))
		if err != nil || c >= 0 {
			return 0, 0, cmp.Or(err, damagedManifest(Name, 1+bytes.Count(list[:begin], []byte("\n")), order))
		}
	}
	for end < len(list) {
		c, err := compare(end)
		if err != nil || c < 0 || c == 0 && end > begin {
			return 0, 0, cmp.Or(err, damagedManifest(Name, 2+bytes.Count(list[:end], []byte("\n")), order))
		}
		if c > 0 {
			break
		}
		end = lineEnd(end)
	}
	return begin, end, nil
}

// newAndOldFiles removes the parts that the old manifest already has from the files. It also
// returns the names of the parts that only the old manifest has.
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

// A piece is a part of the new manifest: either the unchanged old part with the index in old, or a
// new part.
type piece struct {
	old int
	new *body // nil for an unchanged piece
}

// splicer builds a manifest from an old manifest and changes. The pieces, in order, are
// complete; the open body of the cutter follows them.
type splicer struct {
	cutter
	old    []part
	load   load
	pieces []piece
	line   []byte
}

// mergeParts merges the changes into their parts. A part has the sources from its first source
// up to the first source of the next part; the first part also has all earlier sources. To
// build a single file, it reads every part.
func (s *splicer) mergeParts(changes []Change) error {
	for i := range s.old {
		n := len(changes)
		if i+1 < len(s.old) {
			n, _ = slices.BinarySearchFunc(changes, s.old[i+1].first.source, func(ch Change, source string) int {
				return strings.Compare(ch.Source, source)
			})
		}
		if n == 0 && s.layout == Parts {
			// Except for the first part, every part begins with a source that begins a part in any
			// manifest. Changes before an old part therefore cannot move its start.
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

// mergeAssets adds assets after applying changes to them.
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

// spliceAsset adds the next asset. If the last piece is an unchanged old part and this asset does
// not begin a part, the piece is opened again and continued.
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

// closeManifest closes the open body, if any, and adds it to the pieces.
func (s *splicer) closeManifest(b *body) {
	if b != nil {
		s.pieces = append(s.pieces, piece{new: b})
	}
}

// copyOldPart opens a body with the content of an old part. No body may be open.
func (s *splicer) copyOldPart(i int) error {
	for e, err := range s.partAssets(s.old, i, s.load) {
		if err != nil {
			return err
		}
		s.cutter.cutBefore(e.assetKey(), e.line) // no body is complete here, because partAssets has checked the borders
	}
	return nil
}

// splicedParts returns the parts of the new manifest, and its files except unchanged old parts,
// the root last.
func (s *splicer) splicedParts() ([]part, []File) {
	b := s.closeBody()
	if s.layout == Single {
		return nil, []File{wholeFile(b)}
	}
	s.closeManifest(b)
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
	return parts, append(files, rootOf(parts))
}
