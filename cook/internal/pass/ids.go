package pass

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/ids"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Identities are the IDs of the assets, by the file of them as it is after the pass.
type Identities struct {
	set   *ids.Set
	moves []ids.Move // renames that the pass has found and that the file does not say yet
	file  idsFile    // as it was read
}

// An idsFile is a file of IDs.
type idsFile struct {
	data []byte // nil if there is none
	busy bool   // it was open for writing
}

// Identities reads which assets have other IDs than their paths say; nil if assets have none.
func (s *Session) Identities() (*Identities, error) {
	if !s.Place.IDs {
		return nil, nil
	}
	name := filepath.Join(s.Place.Dir, scan.IDsName)
	file, err := s.readIDs()
	if err != nil {
		return nil, configError("%s: %w", pathname.Show(name), err)
	}
	set, err := ids.Parse(name, file.data)
	if err != nil {
		return nil, &ConfigError{err}
	}
	return &Identities{set: set, file: file}, nil
}

func (s *Session) readIDs() (file idsFile, err error) {
	file.data, file.busy, err = s.readWhole(scan.IDsName, ids.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return idsFile{}, nil
	}
	return file, err
}

// Of returns the ID of an asset, "" if assets have none.
func (d *Identities) Of(source string) string {
	if d == nil {
		return ""
	}
	return d.set.ID(source).String()
}

// identify gives the assets their IDs: those that were renamed since the last run, and whose
// content is the same, keep theirs.
func (s *Session) identify(d *Delta, c *contents.Contents) (*Identities, error) {
	now, err := s.Identities()
	if err != nil || now == nil || s.Scope.Source != "" {
		return now, err
	}
	gone, found := d.comings(c.Assets())
	had := now.set.ID
	if len(gone) > 0 && len(found) > 0 && !s.followed(d.Last, now.file.data) {
		// Another branch, perhaps, whose file came with its assets and says which these are.
		kept := found[:0]
		for _, f := range found {
			if !now.set.Has(f.Path) {
				kept = append(kept, f)
			}
		}
		found, had = kept, s.listedIDs(now.set)
	}
	if moves := ids.Pair(gone, found); len(moves) > 0 {
		now.set, now.moves = now.set.Move(moves, had, d.paths)
	}
	return now, nil
}

// comings returns the assets that are gone since the last run, and those that are new, as far
// as it is known what they hold.
func (d *Delta) comings(assets []contents.File) (gone, found []ids.Source) {
	there := d.entries()
	for i := range d.Before {
		p := d.Before[i].Path
		if i > 0 && d.Before[i-1].Path == p {
			continue // for another target
		}
		n, is := slices.BinarySearchFunc(there, p, func(e scan.Entry, path string) int { return strings.Compare(e.Path, path) })
		if there = there[n:]; is || d.Tree.Incomplete(p) { // both lists are sorted
			continue
		}
		if f, ok := d.Last.File(p); ok && f.Role == index.Asset {
			gone = append(gone, ids.Source{Path: p, Blob: f.Blob, Empty: f.Stamp.Size == 0})
		}
	}
	if len(gone) == 0 {
		return nil, nil
	}
	for i := range assets {
		a := &assets[i]
		if f, ok := d.Last.File(a.Path); a.Known() && (!ok || f.Role != index.Asset) {
			found = append(found, ids.Source{Path: a.Path, Blob: a.Blob, Empty: a.Stamp.Size == 0})
		}
	}
	return gone, found
}

// entries are the assets that there are, of a part of the tree those that the delta is about.
func (d *Delta) entries() []scan.Entry {
	if d.Whole {
		return d.Tree.Entries
	}
	return d.Sources
}

// paths yields those of entries.
func (d *Delta) paths(yield func(string) bool) {
	for _, e := range d.entries() {
		if !yield(e.Path) {
			return
		}
	}
}

// followed reports whether the last run left the file of IDs as it is.
func (s *Session) followed(last *index.Index, data []byte) bool {
	f, ok := last.File(scan.IDsName)
	if !ok {
		return data == nil
	}
	return data != nil && last.Checksum() == s.Checksum.Name && f.Sum == s.Checksum.Sum128(data)
}

// listedIDs returns what says which ID an asset had in the last run: the manifest, and for
// what that does not list, a set.
func (s *Session) listedIDs(set *ids.Set) func(source string) ids.ID {
	listed, err := s.State.ListedIDs()
	if err != nil {
		listed = nil // it is damaged, and is made anew
	}
	return func(source string) ids.ID {
		if id, ok := ids.ParseID(listed[source]); ok {
			return id
		}
		return set.ID(source)
	}
}

// recordIDs writes which assets were renamed, or says that it would.
func (s *Session) recordIDs(now *Identities) error {
	if now == nil || len(now.moves) == 0 {
		return nil
	}
	text := renamed(now.moves)
	if s.Mode.DryRun {
		s.Observer.Note(text + "; would be recorded in " + scan.IDsName)
		return nil
	}
	if err := s.writeIDs(now); err != nil {
		return fmt.Errorf("%s, which cannot be recorded: %w", text, err)
	}
	s.Observer.Note(text + "; recorded in " + scan.IDsName)
	return nil
}

// renamed says in one line what was renamed.
func renamed(moves []ids.Move) string {
	if from, to, ok := ids.Folders(moves); ok {
		return fmt.Sprintf("%s/ is now %s/ and keeps the IDs of %s", pathname.Show(from), pathname.Show(to), human.Count(len(moves), "asset"))
	}
	text := fmt.Sprintf("%s is now %s and keeps its ID", pathname.Show(moves[0].From), pathname.Show(moves[0].To))
	if more := len(moves) - 1; more > 0 {
		text += fmt.Sprintf(", and so do %d more", more)
	}
	return text
}

// writeIDs replaces the file of IDs, unless it is not the one any more that was read.
func (s *Session) writeIDs(now *Identities) error {
	present, err := s.readIDs()
	if err != nil {
		return fmt.Errorf("%s: %w", scan.IDsName, err)
	}
	if (present.data == nil) != (now.file.data == nil) || !bytes.Equal(present.data, now.file.data) {
		return fmt.Errorf("%s changed meanwhile; run cook again", scan.IDsName)
	}
	data := now.set.Bytes()
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

// idsFile is what the next run is to know of the file of IDs; ok is false if there is none.
// Of one that this run wrote it has no stamp that can be trusted: another process may have
// edited it since then.
func (c *committer) idsFile() (f index.File, ok bool) {
	f = index.File{Path: scan.IDsName, Role: index.Ignore}
	now := c.todo.IDs
	if now != nil && len(now.moves) > 0 {
		info, err := c.s.Assets.Stat(scan.IDsName)
		if err != nil {
			return f, false
		}
		f.Stamp, f.Sum = scan.StampOf(info), c.s.Checksum.Sum128(now.set.Bytes())
		return f, true
	}
	for _, e := range c.delta.Tree.Ignores {
		if e.Path != scan.IDsName {
			continue
		}
		f.Stamp, f.Settled = e.Stamp, c.s.Clock.Settled(e.Stamp)
		if now != nil { // else an edit need not be told from a touch
			f.Sum = c.s.Checksum.Sum128(now.file.data)
			f.Settled = f.Settled && !now.file.busy && now.file.data != nil
		}
		return f, true
	}
	return f, false
}

// editIDs has the next index know the file of IDs if this run wrote it.
func (c *committer) editIDs() {
	if c.todo.IDs == nil || len(c.todo.IDs.moves) == 0 {
		return
	}
	if f, ok := c.idsFile(); ok {
		c.next.PutFile(f)
	} else {
		c.next.DropFile(f.Path) // every asset is where it was first
	}
}
