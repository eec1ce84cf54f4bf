package execute

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/pathname"
)

// placeOutputs renames complete files to the names of the outputs.
func (w *worker) placeOutputs(r ready) (placed, error) {
	for i := range r.made {
		if r.inPlace != nil && r.inPlace[i] {
			continue
		}
		if err := w.placeOne(r.planned, i, r.scratch, &r.made[i]); err != nil {
			return placed{}, err
		}
	}
	return placed{planned: r.planned, made: r.made, deps: r.deps, cookTime: r.cookTime, warnings: r.warnings}, nil
}

// placeOne renames a complete file to the i-th output's name, unless the very same
// content lies there, and completes the artifact's row. What cook did not make is not
// overwritten.
func (w *worker) placeOne(a planned, i int, tmp *scratch, made *index.Artifact) error {
	defer w.probe.Begin("cook/run/place", "").End()
	out := a.Outputs[i]
	dir, base := path.Split(out)
	dir = path.Clean(dir)
	folder := w.Out.Root().Folder(dir)
	defer func() { folder.Close() }()
	made.Path, made.Settled = out, false

	info, err := folder.Lstat(base)
	switch {
	case pathname.IsAbsent(err):
		// Nothing there, or no folder yet: Rename will tell.
	case err != nil:
		return w.misled(out, err) // it may be foreign
	case info.IsDir():
		return folderInTheWay(out)
	case info.Mode().IsRegular() && (info.Mode().Perm() == w.mode || !w.Owned(out)) && w.inPlaceAlready(a, i, scan.StampOf(info), made):
		return nil
	case !w.Owned(out):
		return foreignOutput(out)
	}
	err = w.outputs.made.Rename(tmp.files[i], &folder, base)
	if pathname.IsAbsent(err) {
		if err := w.Out.Root().MkdirAll(dir, 0o777); err != nil {
			return fmt.Errorf("output folder %s: %w", pathname.Show(dir), err)
		}
		folder.Close()
		folder = w.Out.Root().Folder(dir)
		err = w.outputs.made.Rename(tmp.files[i], &folder, base)
	}
	if err != nil {
		return w.misled(out, err)
	}
	tmp.placed[i] = true
	w.outputs.notePlaced(out)
	if info, err = folder.Lstat(base); err != nil {
		return err
	}
	now := scan.StampOf(info)
	if err := w.isAsMade(out, now, made); err != nil {
		w.Out.Root().Remove(out) // what was there before is gone, and this is not to be seen
		return err
	}
	made.Stamp = now
	return nil
}

// inPlaceAlready reports whether the i-th output, which has the stamp now, has an
// artifact's content already, and completes the artifact's row. Unless its stamp
// vouches for the output, the row gets a stamp that no file has, so that the next run
// looks at the content: the output may be open for writing.
func (w *worker) inPlaceAlready(a planned, i int, now scan.Stamp, made *index.Artifact) bool {
	if a.Last != nil && i < len(a.Last.Outputs) {
		o := &a.Last.Outputs[i]
		if o.State == contents.Intact && o.Artifact.Path == a.Outputs[i] && o.Settled && o.Stamp == now {
			if o.Artifact.Blob != made.Blob {
				return false
			}
			made.Stamp, made.Settled = now, true
			return true
		}
	}
	f, err := w.Out.OpenFile(a.Outputs[i])
	if err != nil {
		return false
	}
	defer f.Close()
	sum, err := w.summer.Sum(context.Background(), f, hashing.WantDigest)
	if err != nil || store.BlobID(sum.Digest) != made.Blob {
		return false
	}
	made.Stamp = scan.Stamp{Size: sum.Size, Mode: now.Mode}
	return true
}

// isAsMade returns an error unless what has been renamed into place is what was summed.
// A rename changes neither size nor write time; where one of them differs, as it may if
// a server sets it late, the file is read again.
func (r *runner) isAsMade(out string, now scan.Stamp, made *index.Artifact) error {
	if now.Size == made.Stamp.Size && now.MTime == made.Stamp.MTime || contents.Holds(context.Background(), r.summer, r.Out, out, made) {
		return nil
	}
	return fmt.Errorf("output %s was changed by another process before it was in place; run cook again", pathname.Show(out))
}

// misled says what to do if a folder on the way to an output leads elsewhere.
func (r *runner) misled(out string, err error) error {
	if dir := r.Out.Outward(out); dir != "" {
		return fmt.Errorf("output folder %s is a link that leads out of %s; remove the link", pathname.Show(dir), r.Out.Name())
	}
	return err
}

func folderInTheWay(out string) error {
	return fmt.Errorf("output %s: a folder of that name is in the way", pathname.Show(out))
}

func foreignOutput(out string) error {
	return fmt.Errorf("output %s exists and was not made by cook; move it away or choose another output folder", pathname.Show(out))
}

// foretellPlace predicts the error of place from the present files of the output directory. It
// ignores retired artifacts, which a dry run leaves there. If made is nil, a foreign file is no
// error, because it may turn out to have the artifact's content.
func (w *worker) foretellPlace(a planned, made []store.Artifact) error {
	if w.Out == nil {
		return nil
	}
	for i, out := range a.Outputs {
		info, err := w.Out.Root().Lstat(out)
		switch {
		case pathname.IsAbsent(err):
			err = w.foretellFolder(path.Dir(out))
		case err != nil:
			err = w.misled(out, err)
		case info.IsDir() && !w.emptiedByRetiring(out):
			err = folderInTheWay(out)
		case info.IsDir(), w.Owned(out), made == nil && info.Mode().IsRegular():
		case made == nil || !w.inPlaceAlready(a, i, scan.StampOf(info), &index.Artifact{Blob: made[i].Blob}):
			err = foreignOutput(out)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// foretellFolder returns an error if a file has the path of a directory that outputs need.
func (w *worker) foretellFolder(dir string) error {
	for at := dir; at != "."; at = path.Dir(at) {
		info, err := w.Out.Root().Lstat(at)
		switch {
		case err != nil:
			continue
		case info.IsDir() || info.Mode()&fs.ModeSymlink != 0 || w.isRetired(func(out string) bool { return out == at }):
			return nil
		}
		return fmt.Errorf("output folder %s: %s is a file; move it away", pathname.Show(dir), pathname.Show(at))
	}
	return nil
}

func (w *worker) isRetired(is func(out string) bool) bool {
	return slices.ContainsFunc(w.plan.Retired, func(r plan.Retired) bool { return is(r.Path) })
}

// emptiedByRetiring reports whether an output directory disappears together with the retired
// artifacts: it contains nothing else, and no empty directories.
func (w *worker) emptiedByRetiring(dir string) bool {
	f, err := w.Out.Root().Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	for _, e := range entries {
		name := dir + "/" + e.Name()
		if e.IsDir() && !w.emptiedByRetiring(name) || !e.IsDir() && !w.isRetired(func(out string) bool { return out == name }) {
			return false
		}
	}
	return err == nil && len(entries) > 0
}
