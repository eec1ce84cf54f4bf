package todo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/ids"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Identities are the IDs of the assets, with the renames that the pass has found.
type Identities struct {
	set   *ids.Set
	moves []ids.Move // renames that are not in the file yet
	file  idsFile    // content of the ID file before the renames
}

// An idsFile is the ID file as it was read.
type idsFile struct {
	data []byte // content of the file; nil if it is missing
	busy bool   // set if the file was open for writing
}

// ReadIDs reads the ID file. It returns nil if assets have no IDs.
func ReadIDs(s *session.Session) (*Identities, error) {
	if !s.Place.IDs {
		return nil, nil
	}
	name := filepath.Join(s.Place.Dir, scan.IDsName)
	file, err := readIDsFile(s)
	if err != nil {
		return nil, session.Configf("%s: %w", pathname.Show(name), err)
	}
	set, err := ids.Parse(name, file.data)
	if err != nil {
		return nil, &session.ConfigError{Err: err}
	}
	return &Identities{set: set, file: file}, nil
}

func readIDsFile(s *session.Session) (file idsFile, err error) {
	file.data, file.busy, err = session.ReadAsset(s.Assets, scan.IDsName, ids.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return idsFile{}, nil
	}
	return file, err
}

// Of returns the ID of an asset, or "" if assets have no IDs.
func (d *Identities) Of(source string) string {
	if d == nil {
		return ""
	}
	return d.set.ID(source).String()
}

// Renamed reports whether the pass has found renames and must therefore write the ID file.
func (d *Identities) Renamed() bool { return d != nil && len(d.moves) > 0 }

// followRenames reads the IDs. If an asset was renamed since the last run and its content is
// unchanged, it keeps its ID.
func followRenames(s *session.Session, d *changes.Delta, c *contents.Contents) (*Identities, error) {
	now, err := ReadIDs(s)
	if err != nil || now == nil || s.Scope.Source != "" {
		return now, err
	}
	gone, found := comings(d, c.Assets())
	had := now.set.ID
	if len(gone) > 0 && len(found) > 0 && !followed(s.Basis.Checksum, d.Last, now.file.data) {
		// The new assets may come from another branch, whose ID file already has their IDs.
		kept := found[:0]
		for _, f := range found {
			if !now.set.Has(f.Path) {
				kept = append(kept, f)
			}
		}
		found, had = kept, listedIDs(s, now.set)
	}
	if moves := ids.Pair(gone, found); len(moves) > 0 {
		now.set, now.moves = now.set.Move(moves, had, d.EachPath)
	}
	return now, nil
}

// comings returns the assets that were removed since the last run, and the new assets whose content
// is known.
func comings(d *changes.Delta, assets []contents.File) (gone, found []ids.Source) {
	there := d.Entries()
	for i := range d.Before {
		p := d.Before[i].Path
		if i > 0 && d.Before[i-1].Path == p {
			continue // another target of the same source
		}
		n, is := slices.BinarySearchFunc(there, p, func(e scan.Entry, path string) int { return strings.Compare(e.Path, path) })
		if there = there[n:]; is || d.Tree.Incomplete(p) { // both lists are sorted, so the search continues here
			continue
		}
		if f, ok := d.Last.Files().File(p); ok && f.Role == index.Asset {
			gone = append(gone, ids.Source{Path: p, Blob: f.Blob, Empty: f.Stamp.Size == 0})
		}
	}
	if len(gone) == 0 {
		return nil, nil
	}
	for i := range assets {
		a := &assets[i]
		if f, ok := d.Last.Files().File(a.Path); a.Known() && (!ok || f.Role != index.Asset) {
			found = append(found, ids.Source{Path: a.Path, Blob: a.Blob, Empty: a.Stamp.Size == 0})
		}
	}
	return gone, found
}

// followed reports whether the ID file is unchanged since the last run.
func followed(checksum hashing.Func, last *index.Index, data []byte) bool {
	f, ok := last.Files().File(scan.IDsName)
	if !ok {
		return data == nil
	}
	return data != nil && last.Files().Checksum() == checksum.Name && f.Sum == checksum.Sum128(data)
}

// listedIDs returns a function that returns the ID that an asset had in the last run. The ID comes
// from the manifest or, for assets that the manifest lacks, from a set.
func listedIDs(s *session.Session, set *ids.Set) func(source string) ids.ID {
	listed, err := s.State.Manifest.IDs()
	if err != nil {
		listed = nil // the manifest is damaged; the commit replaces it
	}
	return func(source string) ids.ID {
		if id, ok := ids.ParseID(listed[source]); ok {
			return id
		}
		return set.ID(source)
	}
}

// Record writes the renames to the ID file. A dry run only reports them.
func (d *Identities) Record(s *session.Session) error {
	if !d.Renamed() {
		return nil
	}
	text := renames(d.moves)
	if s.Mode.DryRun {
		s.Observer.Note(text + "; would be recorded in " + scan.IDsName)
		return nil
	}
	if err := d.replaceFile(s); err != nil {
		return fmt.Errorf("%s, which cannot be recorded: %w", text, err)
	}
	s.Observer.Note(text + "; recorded in " + scan.IDsName)
	return nil
}

// renames returns one line that describes renames.
func renames(moves []ids.Move) string {
	if from, to, ok := ids.Folders(moves); ok {
		return fmt.Sprintf("%s/ is now %s/ and keeps the IDs of %s", pathname.Show(from), pathname.Show(to), human.Count(len(moves), "asset"))
	}
	text := fmt.Sprintf("%s is now %s and keeps its ID", pathname.Show(moves[0].From), pathname.Show(moves[0].To))
	if more := len(moves) - 1; more > 0 {
		text += fmt.Sprintf(", as do %d more", more)
	}
	return text
}

// replaceFile replaces the ID file, unless the file has changed since it was read.
func (d *Identities) replaceFile(s *session.Session) error {
	present, err := readIDsFile(s)
	if err != nil {
		return fmt.Errorf("%s: %w", scan.IDsName, err)
	}
	if (present.data == nil) != (d.file.data == nil) || !bytes.Equal(present.data, d.file.data) {
		return fmt.Errorf("%s changed meanwhile; run cook again", scan.IDsName)
	}
	data := d.set.Bytes()
	if data == nil {
		return s.Assets.Root().Remove(scan.IDsName)
	}
	mode := fs.FileMode(0o666)
	if info, err := s.Assets.Stat(scan.IDsName); err == nil {
		mode = info.Mode().Perm()
	}
	f, err := atomicfile.CreateIn(s.Assets.Root(), ".", mode)
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := io.Copy(f, bytes.NewReader(data)); err != nil {
		return err
	}
	return f.Commit(scan.IDsName)
}

// IndexedFile returns the entry of the ID file for the next index. ok is false if there is no ID
// file. If this run wrote the file, the stamp in the entry is not trusted, because another process
// may have edited the file since then.
func (d *Identities) IndexedFile(s *session.Session, tree *scan.Tree) (f index.File, ok bool) {
	f = index.File{Path: scan.IDsName, Role: index.Ignore}
	if d.Renamed() {
		info, err := s.Assets.Stat(scan.IDsName)
		if err != nil {
			return f, false
		}
		f.Stamp, f.Sum = scan.StampOf(info), s.Basis.Checksum.Sum128(d.set.Bytes())
		return f, true
	}
	for _, e := range tree.Ignores {
		if e.Path != scan.IDsName {
			continue
		}
		f.Stamp, f.Settled = e.Stamp, s.Clock.Stamps.Settled(e.Stamp)
		if d != nil { // the checksum is sufficient, because edits affect only IDs
			f.Sum = s.Basis.Checksum.Sum128(d.file.data)
			f.Settled = f.Settled && !d.file.busy && d.file.data != nil
		}
		return f, true
	}
	return f, false
}
