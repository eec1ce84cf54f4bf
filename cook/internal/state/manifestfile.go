package state

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Manifest is the manifest on the disk: its root and its parts.
type Manifest struct{ files *files }

// Exists reports whether there is a manifest.
func (m Manifest) Exists() bool {
	_, err := m.files.out.Root().Stat(manifest.Name)
	return err == nil
}

// Has reports whether an absolute name is the name of one of the manifest's files.
func (m Manifest) Has(name string) bool {
	rel, ok := pathname.Below(m.files.out.Name(), name)
	return ok && manifest.Reserved(rel)
}

// CheckForeign returns an error if another program has made the manifest in the output directory.
func (m Manifest) CheckForeign() error {
	data, err := m.files.readStateFile(manifest.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && isCooksManifest(data):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w; cannot tell whether cook made it", m.files.absoluteName(manifest.Name), err)
	}
	return fmt.Errorf("%s exists and was not made by cook; move it away or choose another output directory", m.files.absoluteName(manifest.Name))
}

// isCooksManifest reports whether a manifest was made by cook, in any version. The manifest may be
// incomplete.
func isCooksManifest(root []byte) bool { return bytes.HasPrefix(root, []byte(`{"assetcook":`)) }

// Check compares the manifest on the disk with the manifest that the given actions should have. It
// reports each file that differs.
func (m Manifest) Check(layout manifest.Layout, actions iter.Seq[*index.Action], ids func(source string) string, differs func(name, what string)) error {
	named := map[string]bool{}
	err := manifest.Build(layout, listedOf(actions, ids), func(f manifest.File) error {
		named[f.Name] = true
		switch data, err := m.files.readStateFile(f.Name); {
		case errors.Is(err, fs.ErrNotExist):
			differs(f.Name, "missing")
		case err != nil:
			differs(f.Name, err.Error())
		case !bytes.Equal(data, f.Data):
			differs(f.Name, "does not list the cooked artifacts")
		}
		return nil
	})
	if err != nil {
		return err
	}
	parts, err := m.listParts()
	for _, name := range parts {
		if !named[name] {
			differs(name, "is not listed in manifest.json")
		}
	}
	return err
}

// eachListed yields the assets of the manifest.
func (m Manifest) eachListed(root []byte) iter.Seq2[manifest.Asset, error] {
	return manifest.Read(root, m.files.readStateFile)
}

// IDs returns the IDs in the manifest, by source.
func (m Manifest) IDs() (map[string]string, error) {
	root, err := m.files.readStateFile(manifest.Name)
	if err != nil {
		return nil, err
	}
	ids := map[string]string{}
	for a, err := range m.eachListed(root) {
		if err != nil {
			return nil, err
		}
		if a.ID != "" {
			ids[a.Source] = a.ID
		}
	}
	return ids, nil
}

// AsIndex returns an index with everything that the manifest records about artifacts and their
// contents.
func (m Manifest) AsIndex(checksum string) (*index.Index, error) {
	root, err := m.files.readStateFile(manifest.Name)
	if err != nil {
		return nil, err
	}
	n := index.Empty().Anew(checksum)
	for listed, err := range m.eachListed(root) {
		if err != nil {
			return nil, err
		}
		a := index.Action{Path: listed.Source, Target: listed.Target}
		for _, o := range listed.Outputs {
			a.Made = append(a.Made, index.Artifact{Path: o.Path, Stamp: scan.Stamp{Size: o.Size}, Blob: store.BlobID(o.BLAKE3), Role: o.Role})
		}
		n.PutAction(a)
	}
	return n.Index()
}

// claims returns the outputs in the manifest, or nil if there is no manifest.
func (m Manifest) claims() ([]plan.Claim, error) {
	root, err := m.files.readStateFile(manifest.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var claims []plan.Claim
	for a, err := range m.eachListed(root) {
		if err != nil {
			return nil, err
		}
		for _, o := range a.Outputs {
			claims = append(claims, plan.Claim{Output: o.Path, Source: a.Source, Target: a.Target})
		}
	}
	return claims, nil
}

// listParts lists the parts on the disk.
func (m Manifest) listParts() ([]string, error) {
	entries, err := fs.ReadDir(m.files.out.Root().FS(), manifest.PartsDir)
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

// removeParts removes parts that the root does not name.
func (m Manifest) removeParts(names []string) error {
	for _, name := range names {
		if err := m.files.out.Root().Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if len(names) == 0 {
		return nil
	}
	_, err := m.files.out.Root().RemoveEmpty(manifest.PartsDir)
	return err
}

// isListed reports whether the manifest lists an action, because the action is done and has
// outputs.
func isListed(a *index.Action) bool { return a.State == index.Done && len(a.Made) > 0 }

// listedOf yields the actions that the manifest lists.
func listedOf(actions iter.Seq[*index.Action], ids func(source string) string) iter.Seq[manifest.Asset] {
	return func(yield func(manifest.Asset) bool) {
		for a := range actions {
			if isListed(a) && !yield(listedAsset(a, ids)) {
				return
			}
		}
	}
}

// listedAsset returns the manifest's entry for an action.
func listedAsset(a *index.Action, ids func(source string) string) manifest.Asset {
	m := manifest.Asset{Source: a.Path, Target: a.Target, ID: ids(a.Path), Outputs: make([]manifest.Output, len(a.Made))}
	recipe := plan.RecipeOf(a.Method)
	for i, o := range a.Made {
		m.Outputs[i] = manifest.Output{Path: o.Path, Size: o.Stamp.Size, BLAKE3: hashing.Digest(o.Blob), Inner: isInner(recipe, o.Path), Role: o.Role}
	}
	if slices.Contains(namingImages, recipe) {
		m.Uses = usedSources(a.Deps)
	}
	return m
}

// joining are the recipes whose first output is a table that names the other outputs. Programs load
// the table.
var joining = []string{"atlas", "font", "sounds"}

// tables are the extensions of the tables that programs load.
var tables = []string{".json", ".tpsheet", ".fnt"}

// isInner reports whether programs load an output only through another output of the same asset.
// Both may have been compressed in a later step.
func isInner(recipe, output string) bool {
	return slices.Contains(joining, recipe) && !slices.Contains(tables, path.Ext(strings.TrimSuffix(output, ".zst")))
}

// namingImages are the recipes whose outputs contain the names of cooked images. These outputs
// depend on the presence of the images, but not on their contents.
var namingImages = []string{"mesh", "gltf", "bmfont"}

// usedSources returns the sorted files that an action tests only for presence, or nil.
func usedSources(deps []index.Dep) (list []string) {
	for i := range deps {
		if d := &deps[i]; d.On.Kind == dependency.Presence && d.Found {
			list = append(list, d.On.Path)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Changes returns the sorted changes of the manifest, given the actions of some sources before and
// after a run.
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
		changes = append(changes, manifest.Change{Asset: listedAsset(a, ids)})
	}
	slices.SortFunc(changes, func(a, b manifest.Change) int {
		return slices.Compare([]string{a.Source, a.Target}, []string{b.Source, b.Target})
	})
	return changes
}
