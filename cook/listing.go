package cook

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A listing is what a run did to the manifest.
type listing struct {
	files   []index.File // those that are new or were looked at, for the index
	wrote   bool
	removed []string // parts that are no longer named
}

// writeManifest makes the manifest list the finished ones of sorted actions. It
// writes only what is not there already.
func (k *kitchen) writeManifest(actions []index.Action) (listing, error) {
	var l listing
	named := map[string]bool{}
	assets := func(yield func(manifest.Asset) bool) {
		for i := range actions {
			if actions[i].State == index.Done && !yield(listed(&actions[i])) {
				return
			}
		}
	}
	err := manifest.Build(assets, func(f manifest.File) error {
		named[f.Name] = true
		return k.putManifest(f, &l)
	})
	if err != nil {
		return l, err
	}
	parts, err := fs.ReadDir(k.out.Root().FS(), manifest.PartsDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return l, err
	}
	for _, e := range parts {
		if name := path.Join(manifest.PartsDir, e.Name()); manifest.IsPart(name) && !named[name] {
			l.removed = append(l.removed, name)
		}
	}
	return l, k.removeParts(&l)
}

// updateManifest makes changes, which are sorted, to the manifest that is there.
func (k *kitchen) updateManifest(changes []manifest.Change) (listing, error) {
	var l listing
	root, err := k.readState(manifest.Name)
	if err != nil {
		return l, fmt.Errorf("%w: %w", errWhole, err)
	}
	files, removed, err := manifest.Update(root, k.readPart, changes)
	if err != nil {
		return l, fmt.Errorf("%w: %w", errWhole, err) // it is damaged
	}
	for _, f := range files {
		if err := k.putManifest(f, &l); err != nil {
			return l, err
		}
	}
	l.removed = removed
	return l, k.removeParts(&l)
}

// readPart reads a file of the manifest.
func (k *kitchen) readPart(name string) ([]byte, error) { return k.readState(name) }

// listed is an action as the manifest has it.
func listed(a *index.Action) manifest.Asset {
	m := manifest.Asset{Source: a.Path, Target: a.Target, Outputs: make([]manifest.Output, len(a.Made))}
	for i, o := range a.Made {
		m.Outputs[i] = manifest.Output{Path: o.Path, Size: o.Stamp.Size, BLAKE3: hashing.Digest(o.Blob)}
	}
	return m
}

// putManifest writes a file of the manifest unless it is as it should be, and
// notes it for the index, under its absolute name as tools are, so that the
// next run can tell by its stamp whether it is as it was.
func (k *kitchen) putManifest(f manifest.File, l *listing) error {
	if old, err := k.readState(f.Name); err != nil || !bytes.Equal(old, f.Data) {
		k.tellOfDamage(f.Name, old, err)
		if dir := path.Dir(f.Name); dir != "." {
			if err := k.out.Root().MkdirAll(dir, 0o777); err != nil {
				return err
			}
		}
		if err := k.replace(f.Name, f.Data); err != nil {
			return err
		}
		l.wrote = true
	}
	name := k.outFile(f.Name)
	info, err := k.out.Root().Lstat(f.Name)
	if err != nil {
		return err
	}
	stamp := scan.StampOf(info)
	l.files = append(l.files, index.File{
		Path: name, Role: index.Other, Stamp: stamp, Settled: k.clock.SettledSince(stamp),
		Sum: k.checksum.Sum128(f.Data), Blob: store.BlobID(hashing.DigestOf(f.Data)),
	})
	return nil
}

// tellOfDamage says if a file of the manifest is not what the last run left.
func (k *kitchen) tellOfDamage(name string, now []byte, err error) {
	row, known := k.last.FindFile(k.outFile(name))
	if known && k.last.Checksum() == k.checksum.Name && (err != nil || k.checksum.Sum128(now) != k.last.File(row).Sum) {
		k.Observer.Note(k.outFile(name) + " is not as cook left it; it is made anew")
	}
}

// removeParts removes what the manifest does not name any more. Its root has
// been replaced by then.
func (k *kitchen) removeParts(l *listing) error {
	for _, name := range l.removed {
		if err := k.out.Root().Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		l.wrote = true
	}
	if len(l.removed) > 0 {
		_, err := k.out.Root().RemoveEmpty(manifest.PartsDir)
		return err
	}
	return nil
}

// removeManifest removes all of the manifest's files.
func (k *kitchen) removeManifest() error {
	var l listing
	parts, err := fs.ReadDir(k.out.Root().FS(), manifest.PartsDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := k.out.Root().Remove(manifest.Name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range parts {
		if name := path.Join(manifest.PartsDir, e.Name()); manifest.IsPart(name) {
			l.removed = append(l.removed, name)
		}
	}
	return k.removeParts(&l)
}

// isManifest reports whether an absolute name is that of one of the manifest's
// files.
func (k *kitchen) isManifest(name string) bool {
	rel, ok := pathname.Below(k.out.Name(), name)
	return ok && plan.Reserved(rel)
}

// manifestClaims returns the outputs that the manifest lists, none if there is
// no manifest.
func (k *kitchen) manifestClaims() ([]plan.Claim, error) {
	root, err := k.readState(manifest.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var claims []plan.Claim
	for a, err := range manifest.Read(root, k.readPart) {
		if err != nil {
			return nil, err
		}
		for _, o := range a.Outputs {
			claims = append(claims, plan.Claim{Output: o.Path, Source: a.Source, Target: a.Target})
		}
	}
	return claims, nil
}

// isOurs reports whether a manifest was made by a cooker, this version or
// another, whole or torn.
func isOurs(root []byte) bool { return bytes.HasPrefix(root, []byte(`{"assetcook":`)) }

// changesOf sorts what a run did to the actions of some sources as the manifest
// wants it: what it had is removed unless it is there again.
func changesOf(before []index.Action, after []index.Action) []manifest.Change {
	now := map[[2]string]*index.Action{}
	for i := range after {
		if a := &after[i]; a.State == index.Done {
			now[[2]string{a.Path, a.Target}] = a
		}
	}
	var changes []manifest.Change
	for i := range before {
		a := &before[i]
		if _, there := now[[2]string{a.Path, a.Target}]; !there && a.State == index.Done {
			changes = append(changes, manifest.Change{Asset: manifest.Asset{Source: a.Path, Target: a.Target}, Remove: true})
		}
	}
	for _, a := range now {
		changes = append(changes, manifest.Change{Asset: listed(a)})
	}
	slices.SortFunc(changes, func(a, b manifest.Change) int {
		return slices.Compare([]string{a.Source, a.Target}, []string{b.Source, b.Target})
	})
	return changes
}
