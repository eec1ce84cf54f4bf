// Package export copies the artifacts that a manifest lists, and the manifest itself, to another
// directory. State, logs and files for version control stay behind.
//
// The manifest of the copy lists the files of the last export, so an export needs no other
// state. It removes a file that only the old manifest lists, if the content is still the listed
// one. All other files stay.
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
	Files   int   // files of the copy
	Bytes   int64 // their total size
	Written int
	Removed int
	Kept    []string // edited files of the copy that the manifest no longer lists
}

// tmpName is the directory of unfinished exports. It holds incomplete files, and for each
// interrupted export a directory with the manifest that the export was copying.
const tmpName = ".cook-export"

// A content is the entry of a file in a manifest.
type content struct {
	size   int64
	digest hashing.Digest
}

// An exporter copies from one directory to another.
type exporter struct {
	from, to *confine.Dir
	sums     *hashing.Summer
	dryRun   bool
	begun    int // exports that were interrupted
}

// Run copies an output directory to another directory. With dryRun it only counts. Each file is
// replaced atomically, and the manifest last, so a reader that opens the manifest first finds
// complete files.
func Run(ctx context.Context, out, to string, workers int, dryRun bool) (Result, error) {
	from, err := confine.Open(out)
	if err != nil {
		return Result{}, fmt.Errorf("output directory: %w; cook the assets first", err)
	}
	defer from.Close()
	wanted, lists, err := listedArtifacts(from)
	if errors.Is(err, fs.ErrNotExist) {
		return Result{}, fmt.Errorf("%s: no %s there; cook the assets first", pathname.Show(out), manifest.Name)
	}
	if err != nil {
		return Result{}, err
	}
	if name, err := filepath.Abs(to); err != nil || directoriesOverlap(from.Name(), name) {
		return Result{}, errors.Join(err, overlapError(to))
	}
	if dryRun {
		if _, err := os.Stat(to); errors.Is(err, fs.ErrNotExist) {
			return Result{Files: len(wanted), Bytes: sumSizes(wanted), Written: len(wanted)}, nil
		}
	} else if err := os.MkdirAll(to, 0o777); err != nil {
		return Result{}, err
	}
	dir, err := confine.Open(to)
	if err != nil {
		return Result{}, err
	}
	defer dir.Close()
	if directoriesOverlap(from.Name(), dir.Name()) { // by a link
		return Result{}, overlapError(to)
	}
	f, _ := hashing.Lookup("xxh3")
	e := &exporter{from: from, to: dir, sums: hashing.NewSummer(f), dryRun: dryRun}
	old, err := e.lastExport()
	if err != nil {
		return Result{}, err
	}
	return e.exportTree(ctx, wanted, lists, old, workers)
}

// directoriesOverlap reports whether two directories are the same or one contains the other.
func directoriesOverlap(a, b string) bool {
	_, in := pathname.Below(a, b)
	_, around := pathname.Below(b, a)
	return in || around
}

func overlapError(to string) error {
	return fmt.Errorf("%s: the copy and the output directory must not contain each other; choose another directory", pathname.Show(to))
}

// listedArtifacts returns the files that a manifest lists, and the manifest's own: its parts, then
// its root.
func listedArtifacts(dir *confine.Dir) (files map[string]content, lists []manifest.File, err error) {
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
	files = map[string]content{}
	for a, err := range manifest.Read(root, load) {
		if err != nil {
			return nil, nil, err
		}
		for _, o := range a.Outputs {
			files[o.Path] = content{o.Size, o.BLAKE3}
		}
	}
	lists = append(lists, manifest.File{Name: manifest.Name, Data: root})
	for _, l := range lists {
		files[l.Name] = content{int64(len(l.Data)), hashing.DigestOf(l.Data)}
	}
	return files, lists, nil
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

// lastExport returns the files of the last complete export and of later interrupted exports. Each
// file has all contents that those exports may have written. last returns an error for a directory
// that has files and is no export, and for the output directory of a cook.
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
			list, _, err := listedArtifacts(begun)
			if err == nil {
				add(list) // an unreadable list: that export was interrupted before it wrote a file
			}
			begun.Close()
		}
		if !has(manifest.Name) {
			return files, nil // the interrupted export was the first
		}
	case len(entries) == 0:
		return nil, nil
	}
	list, _, err := listedArtifacts(e.to)
	if err != nil {
		return nil, fmt.Errorf("%s has files, and no %s of an export: %w; choose a new or an empty directory", pathname.Show(e.to.Name()), manifest.Name, err)
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
		if err := e.removeExported(name); err != nil { // an interrupted export may have left its directory
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

// isExported reports whether a file of the copy has the given content.
func (e *exporter) isExported(ctx context.Context, name string, c content) (bool, error) {
	f, err := e.to.OpenFile(name)
	if err != nil {
		return false, nil // copy replaces it, or reports why it cannot
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() != c.size {
		return false, err
	}
	sum, err := e.sums.Sum(ctx, f, hashing.WantDigest)
	return err == nil && sum.Digest == c.digest, err
}

// copyArtifact copies a file unless the copy already has its content, and reports whether it had
// to. The content is verified before the file gets its name.
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
		return false, fmt.Errorf("%s is not what %s says; cook the assets again", pathname.Show(name), manifest.Name)
	}
	return true, dst.Commit(filepath.FromSlash(name))
}
