package state

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
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

// Check compares the manifest on the disk with the manifest that the known actions should have. It
// reports each file that differs.
func (m Manifest) Check(layout manifest.Layout, known index.Results, ids func(source string) string, differs func(name, what string)) error {
	if layout == manifest.Single {
		return m.checkSingle(known, ids, differs)
	}
	named := map[string]bool{}
	err := manifest.Build(layout, listedRows(known, ids), func(f manifest.File) error {
		named[f.Name] = true
		switch data, err := m.files.readStateFile(f.Name); {
		case errors.Is(err, fs.ErrNotExist):
			differs(f.Name, "missing")
		case err != nil:
			differs(f.Name, err.Error())
		case !bytes.Equal(data, f.Data):
			differs(f.Name, otherManifest)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return m.checkParts(named, differs)
}

// checkParts reports the parts on the disk that the root should not name.
func (m Manifest) checkParts(named map[string]bool, differs func(name, what string)) error {
	parts, err := m.listParts()
	for _, name := range parts {
		if !named[name] {
			differs(name, unlistedPart)
		}
	}
	return err
}

// These are the differences that Check reports.
const (
	otherManifest = "does not list the cooked artifacts"
	unlistedPart  = "is not listed in manifest.json"
)

// checkSingle is like Check, for a manifest of a single file. It compares the file while it reads.
func (m Manifest) checkSingle(known index.Results, ids func(source string) string, differs func(name, what string)) error {
	file, err := m.files.homeOf(manifest.Name).OpenFile(manifest.Name)
	if err == nil {
		defer file.Close()
		c := &comparer{is: bufio.NewReaderSize(file, 64<<10)}
		if err = manifest.WriteSingle(c, listedRows(known, ids)); err == nil {
			err = c.atEnd()
		}
		if err != nil && c.err == nil {
			return err
		}
		err = c.err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		differs(manifest.Name, "missing")
	case errors.Is(err, errOther):
		differs(manifest.Name, otherManifest)
	case err != nil:
		differs(manifest.Name, err.Error())
	}
	return m.checkParts(map[string]bool{manifest.Name: true}, differs)
}

// errOther reports that a file has other bytes than expected.
var errOther = errors.New("the file has other bytes")

// A comparer is a writer that compares the written bytes with the bytes of a reader.
type comparer struct {
	is  *bufio.Reader
	buf []byte
	err error // errOther, or the error of the reader
}

func (c *comparer) Write(want []byte) (int, error) {
	c.buf = slices.Grow(c.buf[:0], len(want))[:len(want)]
	n, err := io.ReadFull(c.is, c.buf)
	switch {
	case err != nil && err != io.EOF && err != io.ErrUnexpectedEOF:
		c.err = err
	case err != nil || !bytes.Equal(c.buf, want):
		c.err = errOther
	}
	return n, c.err
}

// atEnd returns an error unless all bytes of the reader were compared.
func (c *comparer) atEnd() error {
	switch _, err := c.is.ReadByte(); err {
	case io.EOF:
	case nil:
		c.err = errOther
	default:
		c.err = err
	}
	return c.err
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

// listedRows is like listedOf, for all actions of an index. An asset is valid until the next one is
// yielded.
func listedRows(known index.Results, ids func(source string) string) iter.Seq[manifest.Asset] {
	return func(yield func(manifest.Asset) bool) {
		var outputs []manifest.Output
		for row := range known.Rows("") {
			if row.State() != index.Done || row.Made() == 0 {
				continue
			}
			outputs = slices.Grow(outputs[:0], row.Made())[:row.Made()]
			if !yield(listedRow(row, ids, outputs)) {
				return
			}
		}
	}
}

// listedRow is like listedAsset, for a row. It fills in outputs.
func listedRow(row *index.Row, ids func(source string) string, outputs []manifest.Output) manifest.Asset {
	recipe := plan.RecipeOf(row.Method())
	if slices.Contains(namingImages, recipe) {
		a := row.Action()
		return listedAsset(&a, ids)
	}
	m := manifest.Asset{Source: row.Path(), Target: row.Target(), Outputs: outputs}
	m.ID = ids(m.Source)
	for k := range outputs {
		o := &outputs[k]
		*o = manifest.Output{Path: m.Source, Role: row.ArtifactRole(k)}
		if !row.IsArtifact(k, o.Path) {
			o.Path = row.ArtifactPath(k)
		}
		size, blob := row.ArtifactContent(k)
		o.Size, o.BLAKE3 = size, hashing.Digest(blob)
		o.Inner = isInner(recipe, o.Path)
	}
	return m
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
