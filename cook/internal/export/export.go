// Package export copies the artifacts that a manifest lists, and the manifest itself, to
// another directory. State, logs and files for version control stay behind. An export contains
// all targets or a single one.
//
// The manifest in the copy lists the files of the last export, so an export needs no other
// state. An export removes a file that only the old manifest lists if the file still has the
// listed content. All other files stay.
package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/parallel"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/reflink"
)

// Result counts the files of an export.
type Result struct {
	Files   int   // files in the copy
	Bytes   int64 // total size of the files in bytes
	Written int
	Removed int
	Kept    []string // edited files in the copy that the manifest no longer lists
}

// tmpName is the directory of unfinished exports. It holds incomplete files, and for each
// interrupted export a directory with the manifest that the export was copying.
const tmpName = ".cook-export"

// A content is the size and the hash of a file, as a manifest lists them.
type content struct {
	size   int64
	digest hashing.Digest
}

// An exporter copies from one directory to another.
type exporter struct {
	from, to *confine.Dir
	sums     *hashing.Summer
	dryRun   bool
	begun    int // number of interrupted exports
}

// A Source holds what an output directory lists for an engine.
type Source struct {
	from  *confine.Dir
	files map[string]content
	lists []manifest.File
	// Targets are the targets in the manifest, sorted; "" is the unnamed target.
	Targets []string
}

// Open reads the manifest of an output directory. If target is not "", the source has only the
// outputs of this target, with paths relative to the directory of the target, so exports of all
// targets have the same paths. If target is "", the source keeps the layout of the manifest.
func Open(out, target string, layout manifest.Layout) (*Source, error) {
	from, err := confine.Open(out)
	if err != nil {
		return nil, fmt.Errorf("output directory: %w; cook the assets first", err)
	}
	assets, lists, err := readManifest(from)
	if err == nil {
		s := &Source{from: from, lists: lists, Targets: targetsOf(assets)}
		present := manifest.Single
		if len(lists) > 1 {
			present = manifest.Parts
		}
		if layout == "" {
			layout = present
		}
		switch {
		case target != "":
			err = s.narrowTo(target, assets, layout)
		case layout != present:
			err = s.listAssets(assets, layout)
		default:
			s.files = filesOf(assets, lists)
		}
		if err == nil {
			return s, nil
		}
	}
	from.Close()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no %s; %s", pathname.Show(out), manifest.Name, adviceFor(out))
	}
	return nil, err
}

// adviceFor returns the remedy for an output directory without a manifest. The
// directory may belong to a target.
func adviceFor(out string) string {
	abs, err := filepath.Abs(out)
	if err != nil {
		return adviceToCook
	}
	above, err := Open(filepath.Dir(abs), filepath.Base(abs), "")
	if err != nil {
		return adviceToCook
	}
	above.Close()
	name := pathname.Show(filepath.Base(abs))
	return fmt.Sprintf("this directory has the outputs of the target %s; export the target %s from the directory above it, %s", name, name, pathname.Show(pathname.FromHere(filepath.Dir(abs))))
}

const adviceToCook = "cook the assets first"

// listAssets makes a new manifest of some assets.
func (s *Source) listAssets(assets []manifest.Asset, layout manifest.Layout) error {
	s.lists = nil
	err := manifest.Build(layout, slices.Values(assets), func(f manifest.File) error { s.lists = append(s.lists, f); return nil })
	s.files = filesOf(assets, s.lists)
	return err
}

// narrowTo keeps only the assets of one target.
func (s *Source) narrowTo(target string, assets []manifest.Asset, layout manifest.Layout) error {
	if !slices.Contains(s.Targets, target) {
		have := "the directory has no outputs of named targets"
		if named := slices.DeleteFunc(slices.Clone(s.Targets), func(t string) bool { return t == "" }); len(named) > 0 {
			have = "the directory has the outputs of " + strings.Join(named, ", ")
		}
		return fmt.Errorf("%s has no outputs of the target %q: %s; cook for the target first", pathname.Show(s.from.Name()), target, have)
	}
	assets = slices.DeleteFunc(assets, func(a manifest.Asset) bool { return a.Target != target })
	for i := range assets {
		for k := range assets[i].Outputs {
			o := &assets[i].Outputs[k]
			below, ok := strings.CutPrefix(o.Path, target+"/")
			if !ok {
				return fmt.Errorf("%s lists %s outside of the directory of the target %s; cook the assets again", manifest.Name, pathname.Show(o.Path), pathname.Show(target))
			}
			o.Path = below
		}
	}
	if err := s.listAssets(assets, layout); err != nil {
		return err
	}
	if len(s.files) == len(s.lists) {
		return nil // the target has no outputs, and perhaps no directory
	}
	folder, err := s.from.Sub(target)
	if err != nil {
		return fmt.Errorf("%w; cook the assets again", err)
	}
	s.from.Close()
	s.from = folder
	return nil
}

// Close releases the output directory.
func (s *Source) Close() error { return s.from.Close() }

// CopyTo copies a source to a directory. With dryRun it only counts. Each file is replaced
// atomically, and the manifest last, so readers that start from the manifest find complete
// files.
func (s *Source) CopyTo(ctx context.Context, to string, workers int, dryRun bool) (Result, error) {
	if name, err := filepath.Abs(to); err != nil || directoriesOverlap(s.from.Name(), name) {
		return Result{}, errors.Join(err, overlapError(to))
	}
	if dryRun {
		if _, err := os.Stat(to); errors.Is(err, fs.ErrNotExist) {
			return Result{Files: len(s.files), Bytes: sumSizes(s.files), Written: len(s.files)}, nil
		}
	} else if err := os.MkdirAll(to, 0o777); err != nil {
		return Result{}, err
	}
	dir, err := confine.Open(to)
	if err != nil {
		return Result{}, err
	}
	defer dir.Close()
	if directoriesOverlap(s.from.Name(), dir.Name()) { // a link may make the directories overlap
		return Result{}, overlapError(to)
	}
	f, _ := hashing.Lookup("xxh3")
	e := &exporter{from: s.from, to: dir, sums: hashing.NewSummer(f), dryRun: dryRun}
	old, err := e.lastExport()
	if err != nil {
		return Result{}, err
	}
	return e.exportTree(ctx, s.files, s.lists, old, workers)
}

// directoriesOverlap reports whether two directories are the same or one contains the other.
func directoriesOverlap(a, b string) bool {
	_, in := pathname.Below(a, b)
	_, around := pathname.Below(b, a)
	return in || around
}

func overlapError(to string) error {
	return fmt.Errorf("%s: the export directory and the output directory must not contain each other; choose another directory", pathname.Show(to))
}

// listedArtifacts returns the artifacts that a manifest lists, and the files of the manifest
// itself.
func listedArtifacts(dir *confine.Dir) (map[string]content, error) {
	assets, lists, err := readManifest(dir)
	return filesOf(assets, lists), err
}

// readManifest returns the assets that a manifest lists, and the files of the manifest itself: its
// parts, then its root.
func readManifest(dir *confine.Dir) (assets []manifest.Asset, lists []manifest.File, err error) {
	load := func(name string) ([]byte, error) {
		data, err := readRegularFile(dir, name)
		if err == nil {
			lists = append(lists, manifest.File{Name: name, Data: data})
		}
		return data, err
	}
	root, err := readRegularFile(dir, manifest.Name)
	if err != nil {
		return nil, nil, err
	}
	for a, err := range manifest.Read(root, load) {
		if err != nil {
			return nil, nil, err
		}
		assets = append(assets, a)
	}
	return assets, append(lists, manifest.File{Name: manifest.Name, Data: root}), nil
}

// filesOf returns the contents of the outputs of assets and of a manifest's own files, by path.
func filesOf(assets []manifest.Asset, lists []manifest.File) map[string]content {
	files := map[string]content{}
	for _, a := range assets {
		for _, o := range a.Outputs {
			files[o.Path] = content{o.Size, o.BLAKE3}
		}
	}
	for _, l := range lists {
		files[l.Name] = content{int64(len(l.Data)), hashing.DigestOf(l.Data)}
	}
	return files
}

// targetsOf returns the targets of assets, sorted.
func targetsOf(assets []manifest.Asset) []string {
	seen := map[string]bool{}
	for _, a := range assets {
		seen[a.Target] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

func readRegularFile(dir *confine.Dir, name string) ([]byte, error) {
	f, err := dir.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func sumSizes(files map[string]content) (bytes int64) {
	for _, c := range files {
		bytes += c.size
	}
	return bytes
}

// lastExport returns the files of the last complete export and of later interrupted exports.
// Each file is listed with all contents that those exports may have written. lastExport returns
// an error for a directory that has files but is not an export, and for the output directory of
// a cook.
func (e *exporter) lastExport() (map[string][]content, error) {
	entries, err := e.to.ReadDir(".")
	if err != nil {
		return nil, err
	}
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(d fs.DirEntry) bool { return d.Name() == name })
	}
	files := map[string][]content{}
	add := func(list map[string]content) {
		for name, c := range list {
			files[name] = append(files[name], c)
		}
	}
	switch {
	case has(manifest.StateDir):
		return nil, fmt.Errorf("%s is the output directory of a cook; choose another directory", pathname.Show(e.to.Name()))
	case has(tmpName):
		for ; ; e.begun++ {
			begun, err := e.to.Sub(path.Join(tmpName, strconv.Itoa(e.begun)))
			if errors.Is(err, fs.ErrNotExist) {
				break
			}
			if err != nil {
				return nil, err
			}
			list, err := listedArtifacts(begun)
			if err == nil {
				add(list) // a manifest is unreadable only if the export was interrupted before copying any file
			}
			begun.Close()
		}
		if !has(manifest.Name) {
			return files, nil // the first export was interrupted
		}
	case len(entries) == 0:
		return nil, nil
	}
	list, err := listedArtifacts(e.to)
	if err != nil {
		return nil, fmt.Errorf("%s has files but no %s of an export: %w; choose a new or an empty directory", pathname.Show(e.to.Name()), manifest.Name, err)
	}
	add(list)
	return files, nil
}

// exportTree removes files that the manifest no longer lists, copies changed files, and writes the
// manifest last.
func (e *exporter) exportTree(ctx context.Context, wanted map[string]content, lists []manifest.File, old map[string][]content, workers int) (Result, error) {
	r := Result{Files: len(wanted), Bytes: sumSizes(wanted)}
	root := e.to.Root()
	if err := e.removeGone(ctx, wanted, old, &r); err != nil {
		return r, err
	}
	if !e.dryRun {
		if err := e.putLists(filepath.Join(tmpName, strconv.Itoa(e.begun)), lists); err != nil {
			return r, err
		}
	}
	names := slices.Sorted(maps.Keys(wanted))
	names = slices.DeleteFunc(names, func(name string) bool { return name == manifest.Name || manifest.IsPart(name) })
	var written atomic.Int64
	err := parallel.Each(ctx, workers, len(names), func(_, i int) error {
		changed, err := e.copyArtifact(ctx, names[i], wanted[names[i]])
		if changed {
			written.Add(1)
		}
		return err
	})
	r.Written = int(written.Load())
	if err != nil || e.dryRun {
		return r, err
	}
	changed := slices.DeleteFunc(slices.Clone(lists), func(l manifest.File) bool {
		same, err := e.isExported(ctx, l.Name, wanted[l.Name])
		return same && err == nil
	})
	r.Written += len(changed)
	if err := e.putLists(".", changed); err != nil {
		return r, err
	}
	for name := range old {
		if _, stays := wanted[name]; manifest.IsPart(name) && !stays {
			if err := e.removeExported(name); err != nil {
				return r, err
			}
		}
	}
	return r, root.RemoveAll(tmpName)
}

// putLists writes the files of a manifest below a directory, the root last.
func (e *exporter) putLists(folder string, lists []manifest.File) error {
	root := e.to.Root()
	for _, l := range lists {
		name := filepath.Join(folder, filepath.FromSlash(l.Name))
		if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		f, err := atomicfile.CreateIn(root, filepath.Dir(name), 0o666)
		if err != nil {
			return err
		}
		defer f.Discard()
		if _, err := f.Write(l.Data); err != nil {
			return err
		}
		if err := f.Commit(name); err != nil {
			return err
		}
	}
	return nil
}

// removeGone removes artifacts of earlier exports that the manifest no longer lists, unless they
// were edited. Parts of the old manifest stay until the new manifest is in place.
func (e *exporter) removeGone(ctx context.Context, wanted map[string]content, old map[string][]content, r *Result) error {
	for _, name := range slices.Sorted(maps.Keys(old)) {
		if _, stays := wanted[name]; stays || manifest.IsPart(name) {
			continue
		}
		same := false
		for _, c := range old[name] {
			has, err := e.isExported(ctx, name, c)
			if err != nil {
				return err
			}
			same = same || has
		}
		if info, err := e.to.Stat(name); !same && err == nil && info.Mode().IsRegular() {
			r.Kept = append(r.Kept, name)
			continue
		}
		if same {
			r.Removed++
		}
		if err := e.removeExported(name); err != nil { // an interrupted export may have left the directory of the file
			return err
		}
	}
	return nil
}

// removeExported removes a file if it exists, and then the empty directories above it.
func (e *exporter) removeExported(name string) error {
	if e.dryRun {
		return nil
	}
	root := e.to.Root()
	if info, err := e.to.Stat(name); err == nil && info.Mode().IsRegular() {
		if err := root.Remove(filepath.FromSlash(name)); err != nil {
			return err
		}
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if gone, err := root.RemoveEmpty(filepath.FromSlash(dir)); !gone || err != nil {
			return err
		}
	}
	return nil
}

// isExported reports whether a file in the copy has the given content.
func (e *exporter) isExported(ctx context.Context, name string, c content) (bool, error) {
	f, err := e.to.OpenFile(name)
	if err != nil {
		return false, nil // the file is copied again, which reports any lasting error
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() != c.size {
		return false, err
	}
	sum, err := e.sums.Sum(ctx, f, hashing.WantDigest)
	return err == nil && sum.Digest == c.digest, err
}

// copyArtifact copies a file unless the copy already has its content, and reports whether it
// copied. The content is verified before the file gets its name.
func (e *exporter) copyArtifact(ctx context.Context, name string, c content) (changed bool, err error) {
	if same, err := e.isExported(ctx, name, c); same || err != nil || e.dryRun {
		return !same, err
	}
	src, err := e.from.OpenFile(name)
	if err != nil {
		return false, fmt.Errorf("%s: %w; cook the assets again", pathname.Show(name), err)
	}
	defer src.Close()
	root := e.to.Root()
	if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o777); err != nil {
		return false, err
	}
	info, err := src.Stat()
	if err != nil {
		return false, err
	}
	dst, err := atomicfile.CreateIn(root, tmpName, info.Mode().Perm())
	if err != nil {
		return false, err
	}
	defer dst.Discard()
	if reflink.Clone(dst.File, src) != nil {
		if _, err := io.Copy(dst.File, src); err != nil {
			return false, err
		}
	}
	if _, err := dst.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	sum, err := e.sums.Sum(ctx, dst.File, hashing.WantDigest)
	if err != nil {
		return false, err
	}
	if sum.Size != c.size || sum.Digest != c.digest {
		return false, fmt.Errorf("%s differs from its entry in %s; cook the assets again", pathname.Show(name), manifest.Name)
	}
	return true, dst.Commit(filepath.FromSlash(name))
}
