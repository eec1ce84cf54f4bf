package state

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A listing is what a run did to the manifest.
type listing struct {
	files    []index.File // those that are new or were looked at, for the index
	replaced []string     // files, by their absolute names
	removed  []string     // parts that are no longer named
}

// wrote reports whether anything was changed.
func (l *listing) wrote() bool { return len(l.replaced)+len(l.removed) > 0 }

// A manifestWriter makes the manifest list what was cooked.
type manifestWriter struct {
	*Dir
	Commit
	listing
}

// errManifest says that the manifest cannot be updated: it is damaged.
var errManifest = errors.New("cannot be updated")

// build lists the finished ones of all actions. It writes only what is not there
// already.
func (w *manifestWriter) build() error {
	named := map[string]bool{}
	err := manifest.Build(listedOf(w.Next.Actions(), w.IDs), func(f manifest.File) error {
		named[f.Name] = true
		return w.writeManifestFile(f)
	})
	if err != nil {
		return err
	}
	parts, err := w.parts()
	for _, name := range parts {
		if !named[name] {
			w.removed = append(w.removed, name)
		}
	}
	return errors.Join(err, w.removeParts())
}

// update makes changes to the manifest that is there.
func (w *manifestWriter) update(changes []manifest.Change) error {
	root, err := w.readStateFile(manifest.Name)
	if err != nil {
		return fmt.Errorf("%w: %w", errManifest, err)
	}
	files, removed, err := manifest.Update(root, w.readStateFile, changes)
	if err != nil {
		return fmt.Errorf("%w: %w", errManifest, err)
	}
	for _, f := range files {
		if err := w.writeManifestFile(f); err != nil {
			return err
		}
	}
	w.removed = removed
	return w.removeParts()
}

// isListed reports whether the manifest has an action: it is done and has outputs.
func isListed(a *index.Action) bool { return a.State == index.Done && len(a.Made) > 0 }

// listedOf yields the actions that the manifest has.
func listedOf(actions iter.Seq[*index.Action], ids func(source string) string) iter.Seq[manifest.Asset] {
	return func(yield func(manifest.Asset) bool) {
		for a := range actions {
			if isListed(a) && !yield(listed(a, ids)) {
				return
			}
		}
	}
}

// listed is a finished action as the manifest has it.
func listed(a *index.Action, ids func(source string) string) manifest.Asset {
	m := manifest.Asset{Source: a.Path, Target: a.Target, ID: ids(a.Path), Outputs: make([]manifest.Output, len(a.Made))}
	for i, o := range a.Made {
		m.Outputs[i] = manifest.Output{Path: o.Path, Size: o.Stamp.Size, BLAKE3: hashing.Digest(o.Blob)}
	}
	return m
}

// Changes sorts what a run did to the actions of some sources as the manifest wants it:
// what it had is removed unless it is there again.
func Changes(before iter.Seq[*index.Action], after []index.Action, ids func(source string) string) []manifest.Change {
	now := map[[2]string]*index.Action{}
	for i := range after {
		if a := &after[i]; isListed(a) {
			now[[2]string{a.Path, a.Target}] = a
		}
	}
	var changes []manifest.Change
	for a := range before {
		if _, there := now[[2]string{a.Path, a.Target}]; !there && isListed(a) {
			changes = append(changes, manifest.Change{Asset: manifest.Asset{Source: a.Path, Target: a.Target}, Remove: true})
		}
	}
	for _, a := range now {
		changes = append(changes, manifest.Change{Asset: listed(a, ids)})
	}
	slices.SortFunc(changes, func(a, b manifest.Change) int {
		return slices.Compare([]string{a.Source, a.Target}, []string{b.Source, b.Target})
	})
	return changes
}

// writeManifestFile writes a file of the manifest unless it is as it should be, and notes it for
// the index, under its absolute name as tools are, so that the next run can tell by
// its stamp whether it is unchanged.
func (w *manifestWriter) writeManifestFile(f manifest.File) error {
	if old, err := w.readStateFile(f.Name); err != nil || !bytes.Equal(old, f.Data) {
		w.noteDamage(f.Name, old, err)
		if dir := path.Dir(f.Name); dir != "." {
			if err := w.out.Root().MkdirAll(dir, 0o777); err != nil {
				return err
			}
		}
		if err := w.replace(f.Name, f.Data); err != nil {
			return err
		}
		w.replaced = append(w.replaced, w.name(f.Name))
	}
	info, err := w.out.Root().Lstat(f.Name)
	if err != nil {
		return err
	}
	stamp := scan.StampOf(info)
	w.files = append(w.files, index.File{
		Path: w.name(f.Name), Role: index.Other, Stamp: stamp, Settled: w.Clock.SettledSince(stamp),
		Sum: w.Checksum.Sum128(f.Data), Blob: store.BlobID(hashing.DigestOf(f.Data)),
	})
	return nil
}

// noteDamage reports a file of the manifest that is not what the last run left.
func (w *manifestWriter) noteDamage(name string, now []byte, err error) {
	f, known := w.Last.File(w.name(name))
	if known && w.Last.Checksum() == w.Checksum.Name && (err != nil || w.Checksum.Sum128(now) != f.Sum) {
		w.Note(w.name(name) + " is not as cook left it; it is made anew")
	}
}

// parts lists the parts that are there.
func (d *Dir) parts() ([]string, error) {
	entries, err := fs.ReadDir(d.out.Root().FS(), manifest.PartsDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if name := path.Join(manifest.PartsDir, e.Name()); manifest.IsPart(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// removeParts removes what the manifest does not name any more. Its root has been
// replaced by then.
func (w *manifestWriter) removeParts() error {
	return w.Dir.removeParts(w.removed)
}

func (d *Dir) removeParts(names []string) error {
	for _, name := range names {
		if err := d.out.Root().Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if len(names) == 0 {
		return nil
	}
	_, err := d.out.Root().RemoveEmpty(manifest.PartsDir)
	return err
}

// IsManifest reports whether an absolute name is that of one of the manifest's files.
func (d *Dir) IsManifest(name string) bool {
	rel, ok := pathname.Below(d.out.Name(), name)
	return ok && manifest.Reserved(rel)
}

// CheckForeign returns an error if the output folder has a manifest that cook did not
// make. What is returned is the user's to put right.
func (d *Dir) CheckForeign() error {
	data, err := d.readStateFile(manifest.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && isOurs(data):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w; cannot tell whether cook made it", d.name(manifest.Name), err)
	}
	return fmt.Errorf("%s exists and was not made by cook; move it away or choose another output folder", d.name(manifest.Name))
}

// isOurs reports whether a manifest was made by a cooker, this version or another,
// whole or torn.
func isOurs(root []byte) bool { return bytes.HasPrefix(root, []byte(`{"assetcook":`)) }

// CheckManifest compares the manifest with what would be written for some actions, and
// reports each file that differs.
func (d *Dir) CheckManifest(actions iter.Seq[*index.Action], ids func(source string) string, differs func(name, what string)) error {
	named := map[string]bool{}
	err := manifest.Build(listedOf(actions, ids), func(f manifest.File) error {
		named[f.Name] = true
		switch data, err := d.readStateFile(f.Name); {
		case errors.Is(err, fs.ErrNotExist):
			differs(f.Name, "missing")
		case err != nil:
			differs(f.Name, err.Error())
		case !bytes.Equal(data, f.Data):
			differs(f.Name, "does not list what was cooked")
		}
		return nil
	})
	if err != nil {
		return err
	}
	parts, err := d.parts()
	for _, name := range parts {
		if !named[name] {
			differs(name, "belongs to no manifest")
		}
	}
	return err
}

// ListedIDs returns the IDs that the manifest has, by source.
func (d *Dir) ListedIDs() (map[string]string, error) {
	root, err := d.readStateFile(manifest.Name)
	if err != nil {
		return nil, err
	}
	ids := map[string]string{}
	for m, err := range manifest.Read(root, d.readStateFile) {
		if err != nil {
			return nil, err
		}
		if m.ID != "" {
			ids[m.Source] = m.ID
		}
	}
	return ids, nil
}

// ManifestIndex returns an index that knows what the manifest knows: which artifacts
// there are, and their content.
func (d *Dir) ManifestIndex(checksum string) (*index.Index, error) {
	root, err := d.readStateFile(manifest.Name)
	if err != nil {
		return nil, err
	}
	n := index.Empty().Anew(checksum)
	for m, err := range manifest.Read(root, d.readStateFile) {
		if err != nil {
			return nil, err
		}
		a := index.Action{Path: m.Source, Target: m.Target}
		for _, o := range m.Outputs {
			a.Made = append(a.Made, index.Artifact{Path: o.Path, Stamp: scan.Stamp{Size: o.Size}, Blob: store.BlobID(o.BLAKE3)})
		}
		n.PutAction(a)
	}
	return n.Index()
}
