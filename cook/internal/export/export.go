// Package export copies the artifacts that a manifest lists, and the manifest itself, to
// another directory. State, logs and files for version control stay behind. An export contains
// all targets or a single one. The artifacts are in an output directory, or come from elsewhere.
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

// An exporter copies files to a directory.
type exporter struct {
	from   *Source
	to     *confine.Dir
	sums   *hashing.Summer
	dryRun bool
	begun  int // number of interrupted exports
}

func newSummer() *hashing.Summer {
	f, _ := hashing.Lookup("xxh3")
	return hashing.NewSummer(f)
}

func differsError(name string) error {
	return fmt.Errorf("%s differs from its entry in %s; cook the assets again", pathname.Show(name), manifest.Name)
}

// CopyTo copies a source to a directory. With dryRun it only counts. Each file is replaced
// atomically, and the manifest last, so readers that start from the manifest find complete
// files.
func (s *Source) CopyTo(ctx context.Context, to string, workers int, dryRun bool) (Result, error) {
	if name, err := filepath.Abs(to); err != nil || s.overlapsOut(name) {
		return Result{}, errors.Join(err, overlapError(to))
	}
	if dryRun {
		if _, err := os.Stat(to); errors.Is(err, fs.ErrNotExist) {
			return Result{Files: len(s.files), Bytes: sumSizes(s.files), Written: len(s.files)}, s.fetchFromOrigin(ctx, s.Artifacts())
		}
	} else if err := os.MkdirAll(to, 0o777); err != nil {
		return Result{}, err
	}
	dir, err := confine.Open(to)
	if err != nil {
		return Result{}, err
	}
	defer dir.Close()
	if s.overlapsOut(dir.Name()) { // a link may make the directories overlap
		return Result{}, overlapError(to)
	}
	e := &exporter{from: s, to: dir, sums: newSummer(), dryRun: dryRun}
	old, err := e.lastExport()
	if err != nil {
		return Result{}, err
	}
	return e.exportTree(ctx, old, workers)
}

// overlapsOut reports whether a directory and the output directory overlap.
func (s *Source) overlapsOut(dir string) bool {
	return s.from != nil && directoriesOverlap(s.from.Name(), dir)
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
	assets, lists, err := readManifest(inDir(dir))
	return filesOf(assets, lists), err
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
func (e *exporter) exportTree(ctx context.Context, old map[string][]content, workers int) (Result, error) {
	wanted := e.from.files
	r := Result{Files: len(wanted), Bytes: sumSizes(wanted)}
	missing, err := e.findMissing(ctx, workers)
	if err == nil {
		err = e.from.fetchFromOrigin(ctx, missing)
	}
	if err == nil {
		err = e.removeGone(ctx, wanted, old, &r)
	}
	if err == nil && !e.dryRun {
		err = e.putLists(filepath.Join(tmpName, strconv.Itoa(e.begun)), e.from.lists)
	}
	changed := slices.DeleteFunc(slices.Clone(e.from.lists), func(l manifest.File) bool {
		same, err := e.isExported(ctx, l.Name, wanted[l.Name])
		return same && err == nil
	})
	if r.Written = len(missing) + len(changed); err != nil || e.dryRun {
		return r, err
	}
	err = parallel.Each(ctx, workers, len(missing), func(_, i int) error { return e.copyArtifact(ctx, missing[i].Path) })
	if err != nil {
		return r, err
	}
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
	return r, e.to.Root().RemoveAll(tmpName)
}

// findMissing returns the artifacts that the copy lacks or has with another content.
func (e *exporter) findMissing(ctx context.Context, workers int) (missing []File, err error) {
	names := e.from.artifactNames()
	has := make([]bool, len(names))
	err = parallel.Each(ctx, workers, len(names), func(_, i int) (err error) {
		has[i], err = e.isExported(ctx, names[i], e.from.files[names[i]])
		return err
	})
	for i, name := range names {
		if !has[i] {
			missing = append(missing, e.from.artifactOf(name))
		}
	}
	return missing, err
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

// copyArtifact copies an artifact. The content is verified before the file gets its name.
func (e *exporter) copyArtifact(ctx context.Context, name string) error {
	src, err := e.from.openArtifact(name)
	if err != nil {
		return err
	}
	defer src.Close()
	root := e.to.Root()
	if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o777); err != nil {
		return err
	}
	mode, err := e.from.modeOf(src)
	if err != nil {
		return err
	}
	dst, err := atomicfile.CreateIn(root, tmpName, mode)
	if err != nil {
		return err
	}
	defer dst.Discard()
	if reflink.Clone(dst.File, src) != nil {
		if _, err := io.Copy(dst.File, src); err != nil {
			return err
		}
	}
	if _, err := dst.Seek(0, io.SeekStart); err != nil {
		return err
	}
	sum, err := e.sums.Sum(ctx, dst.File, hashing.WantDigest)
	if err != nil {
		return err
	}
	if c := e.from.files[name]; sum.Size != c.size || sum.Digest != c.digest {
		return differsError(name)
	}
	return dst.Commit(filepath.FromSlash(name))
}
