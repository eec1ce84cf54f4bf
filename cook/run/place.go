package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/store"
	"github.com/assetcook/assetcook/cook/survey"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Folders of the run's own, below the output folder. Both are emptied when a
// run begins and when it ends.
const (
	tmpDir   = plan.StateDir + "/tmp"
	trashDir = plan.StateDir + "/trash"
)

// errNotAtHand says that a known result's content is nowhere to be had.
var errNotAtHand = errors.New("not in the store any more")

// idle reports whether nothing is to be written, nor to be cleared away after a
// run that was killed.
func (r *runner) idle() bool {
	for i := range r.plan.Actions {
		if r.plan.Actions[i].Runs {
			return false
		}
	}
	for _, dir := range []string{tmpDir, trashDir} {
		if _, err := r.Out.Root().Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return len(r.plan.Retired) == 0
}

func (r *runner) prepare() error {
	root := r.Out.Root()
	for _, dir := range []string{tmpDir, trashDir} {
		if err := root.RemoveAll(dir); err != nil {
			return err
		}
		if err := root.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	// A new file shows what the user's umask leaves of a file's mode.
	f, err := root.OpenFile(tmpDir+"/mode", os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	r.mode = info.Mode().Perm()
	return nil
}

// bringBack puts a known result in place from wherever its content lies.
func (r *worker) bringBack(ctx context.Context, a *plan.Action, k *known) ([]index.Artifact, error) {
	defer r.probe.Begin("cook/run/bring_back", "").End()
	tmp := r.newScratch(a.Outputs)
	defer tmp.remove()

	// All of it first, so that a result is brought back whole or not at all.
	made := make([]index.Artifact, len(k.made))
	inPlace := make([]bool, len(k.made))
	for i, want := range k.made {
		if i < len(a.LastMade) {
			if o := &a.LastMade[i]; o.State == survey.Intact && o.Artifact.Path == a.Outputs[i] && o.Artifact.Blob == want.Blob {
				made[i] = o.Artifact
				made[i].Stamp, made[i].Settled = o.Stamp, o.Settled
				inPlace[i] = true
				continue
			}
		}
		if a.Moved != nil {
			old := &a.Moved.Made[i]
			aside, ok := r.trash[old.Artifact.Path]
			if ok && (old.Settled || r.reads(aside, &old.Artifact)) && r.Out.Root().Rename(aside, tmp.files[i]) == nil {
				made[i] = old.Artifact
				made[i].Stamp = old.Stamp
				continue
			}
		}
		if r.Store == nil || a.Method.Recipe.Cheap {
			return nil, errNotAtHand
		}
		err := r.Store.CopyBlob(ctx, want.Blob, want.Size, r.Out.Root().Root, tmp.files[i])
		switch {
		case errors.Is(err, store.ErrMissing):
			return nil, errNotAtHand
		case errors.Is(err, store.ErrDamaged), errors.Is(err, store.ErrUnavailable):
			r.warn(err)
			return nil, errNotAtHand
		case err != nil:
			return nil, r.inOurWords(err, tmp, a.Outputs)
		}
		info, err := r.Out.Root().Lstat(tmp.files[i])
		if err != nil {
			return nil, err
		}
		sum, err := r.sumAlone(ctx, r.Out, tmp.files[i], hashing.WantSum)
		if err != nil {
			return nil, err
		}
		made[i] = index.Artifact{Stamp: scan.StampOf(info), Sum: sum.Sum, Blob: want.Blob}
	}
	for i := range made {
		if inPlace[i] {
			continue
		}
		if err := r.place(a, i, tmp.files[i], &made[i]); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// collect checks that the recipe wrote what it said it would, and sums it up.
func (r *worker) collect(ctx context.Context, a *plan.Action, tmp *scratch) ([]index.Artifact, error) {
	defer r.probe.Begin("cook/run/sum", "").End()
	root := tmp.in.Root()
	made := make([]index.Artifact, len(tmp.files))
	for i, name := range tmp.files {
		info, err := root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("recipe %s wrote nothing to output %s", a.Method.Recipe.Name, pathname.Show(a.Outputs[i]))
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("recipe %s made no regular file of output %s", a.Method.Recipe.Name, pathname.Show(a.Outputs[i]))
		}
		if info.Mode().Perm() != r.mode {
			if err := root.Chmod(name, r.mode); err != nil {
				return nil, err
			}
		}
		sum, err := r.sumAlone(ctx, tmp.in, name, hashing.WantSum|hashing.WantDigest)
		if errors.Is(err, errStillOpen) {
			return nil, fmt.Errorf("output %s: %w", pathname.Show(a.Outputs[i]), err)
		}
		if err != nil {
			return nil, err
		}
		made[i] = index.Artifact{Stamp: scan.StampOf(info), Sum: sum.Sum, Blob: store.BlobID(sum.Digest)}
		made[i].Stamp.Size = sum.Size
	}
	return made, nil
}

// place renames a complete file to the i-th output's name, unless the very same
// content lies there, and completes the artifact's row. What cook did not make
// is not overwritten.
func (r *worker) place(a *plan.Action, i int, file string, made *index.Artifact) error {
	defer r.probe.Begin("cook/run/place", "").End()
	root := r.Out.Root()
	out := a.Outputs[i]
	made.Path, made.Settled = out, false

	info, err := root.Lstat(out)
	switch {
	case pathname.IsAbsent(err):
		// Nothing there, or no folder yet: Rename will tell.
	case err != nil:
		return r.misled(out, err) // it may be somebody's
	case info.IsDir():
		return fmt.Errorf("output %s: a folder of that name is in the way", pathname.Show(out))
	case info.Mode().IsRegular() && (info.Mode().Perm() == r.mode || !r.Owned(out)) && r.holds(a, i, scan.StampOf(info), made):
		return nil
	case !r.Owned(out):
		return fmt.Errorf("output %s exists and was not made by cook; move it away or choose another -out", pathname.Show(out))
	}
	err = root.Rename(file, out)
	if dir := path.Dir(out); pathname.IsAbsent(err) {
		if err := root.MkdirAll(dir, 0o777); err != nil {
			return fmt.Errorf("output folder %s: %w", pathname.Show(dir), err)
		}
		err = root.Rename(file, out)
	}
	if err != nil {
		return r.misled(out, err)
	}
	r.wrote.Store(true)
	r.mu.Lock()
	r.placed[out] = true
	r.mu.Unlock()
	if info, err = root.Lstat(out); err != nil {
		return err
	}
	now := scan.StampOf(info)
	if err := r.isAsMade(out, now, made); err != nil {
		root.Remove(out) // what was there before is gone, and this is not to be seen
		return err
	}
	made.Stamp = now
	return nil
}

// holds reports whether the i-th output, which has the stamp now, has an
// artifact's content already, and completes the artifact's row. Unless the survey
// vouches for the output, the row gets a stamp that no file has, so that the next
// run looks at the content: somebody may have the output open for writing.
func (r *runner) holds(a *plan.Action, i int, now scan.Stamp, made *index.Artifact) bool {
	if i < len(a.LastMade) {
		o := &a.LastMade[i]
		if o.State == survey.Intact && o.Artifact.Path == a.Outputs[i] && o.Settled && o.Stamp == now {
			if o.Artifact.Blob != made.Blob {
				return false
			}
			made.Stamp, made.Settled = now, true
			return true
		}
	}
	f, err := r.Out.OpenFile(a.Outputs[i])
	if err != nil {
		return false
	}
	defer f.Close()
	sum, err := r.summer.Sum(context.Background(), f, hashing.WantDigest)
	if err != nil || store.BlobID(sum.Digest) != made.Blob {
		return false
	}
	made.Stamp = scan.Stamp{Size: sum.Size, Mode: now.Mode}
	return true
}

// misled says what to do if a folder on the way to an output leads elsewhere.
func (r *runner) misled(out string, err error) error {
	if dir := r.Out.Outward(out); dir != "" {
		return fmt.Errorf("output folder %s is a link that leads out of %s; remove the link", pathname.Show(dir), r.Out.Name())
	}
	return err
}
