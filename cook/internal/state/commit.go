package state

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"syscall"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Commit is what a run records for the next run.
type Commit struct {
	Last    *index.Index
	Next    *index.Next
	Listed  []manifest.Change          // sorted changes of the manifest; unused if Next is a new index
	IDs     func(source string) string // returns the ID of an asset, or ""
	Journal []plan.Claim               // outputs that no index has
	Old     []plan.Claim               // outputs to remove, because the new manifest does not name them
	Pending *Pending
	Whole   bool // set if the run has examined the whole tree
	Layout  manifest.Layout

	Checksum hashing.Func
	Clock    *scan.Clock
	Note     func(string)
}

// Commit writes the manifest, and then the index. Before it writes the index, everything that the
// manifest lists must be on the disk. The amount of written data is in proportion to the changes.
// Commit returns the names of the replaced files of the manifest.
func (d *Dir) Commit(c Commit) (replaced []string, err error) {
	if !c.Next.Edited() {
		return nil, nil
	}
	if err := d.ClearLeftovers(); err != nil {
		return nil, cmp.Or(d.CheckLock(), err) // the directory may have been removed
	}
	wrote, err := writeManifest(d.Manifest, c)
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	for _, name := range wrote.removed {
		c.Next.DropFile(d.files.absoluteName(name))
	}
	for _, f := range wrote.files {
		c.Next.PutFile(f)
	}
	if len(wrote.replaced)+len(wrote.removed) > 0 {
		c.Pending.AddOutputs(d)
	}
	c.Journal = append(c.Journal, removeOld(d.files.out.Root(), c)...)
	e, changed, err := c.Next.Encode()
	if err != nil {
		return nil, fmt.Errorf("index: %w (this is a bug in cook)", err)
	}
	if changed {
		if err := d.Index.writeIndexFiles(e, d.disk.syncing(c.Pending)); err != nil {
			if errors.Is(err, syscall.EFAULT) {
				err = fmt.Errorf("%w: %w", index.ErrFault, err) // reading the mapped index has failed
			}
			return nil, err
		}
	}
	return wrote.replaced, errors.Join(d.Journal.Write(c.Journal), d.disk.endDirty(c.Whole))
}

// removeOld removes outputs that the new manifest does not name. It returns the outputs that it
// cannot remove.
func removeOld(root confine.Root, c Commit) (left []plan.Claim) {
	for _, old := range c.Old {
		if err := root.Remove(old.Output); err != nil && !pathname.IsAbsent(err) {
			c.Note(fmt.Sprintf("cannot remove the previous output %s: %v; the next cook will try again", pathname.Show(old.Output), err))
			left = append(left, old)
			continue
		}
		for dir := path.Dir(old.Output); dir != "."; dir = path.Dir(dir) {
			if gone, err := root.RemoveEmpty(dir); !gone || err != nil {
				break
			}
		}
	}
	return left
}

// A written lists what a run has changed in the manifest.
type written struct {
	files    []index.File // files to record in the index
	replaced []string     // absolute names of replaced files
	removed  []string     // parts that the root of the new manifest does not name
}

var (
	// errManifest reports that the manifest cannot be updated because of damage.
	errManifest = errors.New("cannot be updated")
	// errForeignRoot reports a root that another program has changed. noteDamage informs the user.
	errForeignRoot = fmt.Errorf("%w: another program changed the file", errManifest)
)

// writeManifest updates the manifest. If that is impossible, it builds a new manifest.
func writeManifest(m Manifest, c Commit) (written, error) {
	if !c.Next.IsAnew() {
		if len(c.Listed) == 0 {
			return written{}, nil
		}
		w, err := updateManifest(m, c)
		if !errors.Is(err, errManifest) {
			return w, err
		}
		if !errors.Is(err, errForeignRoot) {
			c.Note(err.Error() + "; this run writes a new one")
		}
	}
	return buildManifest(m, c)
}

// buildManifest builds a manifest of all finished actions. It writes only the files that differ.
func buildManifest(m Manifest, c Commit) (w written, err error) {
	named := map[string]bool{}
	err = manifest.Build(c.Layout, listedOf(c.Next.Actions(), c.IDs), func(f manifest.File) error {
		named[f.Name] = true
		return w.putManifestFile(m, c, f)
	})
	if err != nil {
		return w, err
	}
	parts, err := m.listParts()
	for _, name := range parts {
		if !named[name] {
			w.removed = append(w.removed, name)
		}
	}
	return w, errors.Join(err, m.removeParts(w.removed))
}

// updateManifest changes the manifest on the disk.
func updateManifest(m Manifest, c Commit) (w written, err error) {
	root, err := m.files.readStateFile(manifest.Name)
	if err != nil {
		return w, fmt.Errorf("%w: %w", errManifest, err)
	}
	name := m.files.absoluteName(manifest.Name)
	if f, known := c.Last.Files().File(name); !known || c.Last.Files().Checksum() != c.Checksum.Name || c.Checksum.Sum128(root) != f.Sum {
		return w, errForeignRoot
	}
	files, removed, err := manifest.Update(c.Layout, root, m.files.readStateFile, c.Listed)
	if err != nil {
		return w, fmt.Errorf("%w: %w", errManifest, err)
	}
	for _, f := range files {
		if err := w.putManifestFile(m, c, f); err != nil {
			return w, err
		}
	}
	w.removed = removed
	return w, m.removeParts(removed)
}

// putManifestFile writes a file of the manifest if its content differs. It records the file for the
// index, under its absolute name, so that the next run notices a change by the stamp.
func (w *written) putManifestFile(m Manifest, c Commit, f manifest.File) error {
	name := m.files.absoluteName(f.Name)
	if old, err := m.files.readStateFile(f.Name); err != nil || !bytes.Equal(old, f.Data) {
		noteDamage(c, name, old, err)
		if dir := path.Dir(f.Name); dir != "." {
			if err := m.files.out.Root().MkdirAll(dir, 0o777); err != nil {
				return err
			}
		}
		if err := m.files.replaceSynced(f.Name, f.Data); err != nil {
			return err
		}
		w.replaced = append(w.replaced, name)
	}
	info, err := m.files.out.Root().Lstat(f.Name)
	if err != nil {
		return err
	}
	stamp := scan.StampOf(info)
	w.files = append(w.files, index.File{
		Path: name, Role: index.Other, Stamp: stamp, Settled: c.Clock.SettledSince(stamp),
		Sum: c.Checksum.Sum128(f.Data), Blob: store.BlobID(hashing.DigestOf(f.Data)),
	})
	return nil
}

// noteDamage reports a file of the manifest that another program has changed.
func noteDamage(c Commit, name string, now []byte, err error) {
	f, known := c.Last.Files().File(name)
	if known && c.Last.Files().Checksum() == c.Checksum.Name && (err != nil || c.Checksum.Sum128(now) != f.Sum) {
		c.Note("another program changed " + name + "; this run writes a new one")
	}
}
