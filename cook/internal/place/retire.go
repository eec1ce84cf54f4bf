package place

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/statedir"
	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Removal is an artifact that was set aside or removed.
type Removal struct {
	Output, Source, Target string
	Size                   int64
	Err                    error // reason why it could not be removed
}

// Retire sets aside the artifacts that no action claims any more, and reports each of them. In a
// dry run, it only reports them.
func (o *Outputs) Retire(dryRun bool, report func(Removal)) {
	run := rand.Uint64()
	outward := map[string]bool{} // set of directories that are links out of the output directory
	for i, old := range o.retired {
		removal := Removal{Output: old.Path, Source: old.Source, Target: old.Target}
		aside := fmt.Sprintf("%s/%x-%d", o.trashDir(), run, i)
		size, there, err := o.setAside(old.Path, aside, dryRun)
		switch {
		case err != nil:
			if dir := o.dir.Outward(old.Path); dir != "" {
				if outward[dir] {
					continue
				}
				outward[dir] = true
			}
			removal.Err = fmt.Errorf("cannot remove an output whose source is gone: %w", o.explainInTheWay(old.Path, err))
		case !there:
			continue
		case !dryRun:
			o.done.wrote.Store(true)
			o.trash[old.Path] = aside
		}
		removal.Size = size
		report(removal)
	}
	if dryRun {
		return
	}
	for _, old := range o.retired {
		if err := o.done.removeEmpty(o.dir.Root(), path.Dir(old.Path)); err != nil {
			err = fmt.Errorf("cannot remove an empty directory of outputs: %w", o.explainInTheWay(old.Path, err))
			report(Removal{Source: old.Source, Target: old.Target, Err: err})
		}
	}
}

// setAside moves an artifact to the trash if it exists.
func (o *Outputs) setAside(name, aside string, dryRun bool) (size int64, there bool, err error) {
	if o.dir == nil {
		return 0, false, nil
	}
	info, err := o.dir.Root().Lstat(name)
	if err == nil && info.IsDir() {
		return 0, false, nil // cook never creates a directory with the name of an output, so this one is foreign
	}
	if err == nil && !dryRun {
		err = o.dir.Root().Rename(name, aside)
	}
	if pathname.IsAbsent(err) {
		return 0, false, nil // the artifact was removed already
	}
	if err != nil {
		return 0, false, err
	}
	return info.Size(), true, nil
}

// TakeBack turns a retired artifact into a scratch file if the artifact still has its content.
func (o *Outputs) TakeBack(old *contents.Output, file string) bool {
	aside, ok := o.trash[old.Artifact.Path]
	if !ok || !old.Settled && !contents.Holds(context.Background(), o.summer, o.dir, aside, old.Artifact) {
		return false
	}
	return o.dir.Root().Rename(aside, o.tmpDir()+"/"+file) == nil
}

// StillGood returns the artifacts of a failed action that were made from its present inputs and
// are unchanged.
func (o *Outputs) StillGood(a *plan.Action) (made []index.Artifact) {
	if a.Last == nil || a.Stale {
		return nil
	}
	for i, m := range a.Last.Made {
		if a.Last.Outputs[i].State == contents.Intact && !o.done.wasPlaced(m.Path) {
			made = append(made, m)
		}
	}
	return made
}

// RemoveStale removes the stale artifacts of a failed action. These artifacts were made from inputs
// that no longer exist, perhaps by a run that was killed. If an artifact cannot be removed, its
// entry in the journal stays.
func (o *Outputs) RemoveStale(a *plan.Action, good []index.Artifact, report func(Removal)) (err error) {
	for _, out := range o.mayHaveMade(a) {
		isGood := slices.ContainsFunc(good, func(m index.Artifact) bool { return m.Path == out })
		if isGood || !o.done.wasPlaced(out) && !o.owned(out) {
			continue
		}
		info, e := o.dir.Root().Lstat(out)
		if e == nil && info.IsDir() {
			continue
		}
		if e == nil {
			e = o.dir.Root().Remove(out)
		}
		switch {
		case e == nil:
			o.done.wrote.Store(true)
			report(Removal{Output: out, Source: a.Path, Target: a.Target, Size: info.Size()})
		case !errors.Is(e, fs.ErrNotExist) && !pathname.IsAbsent(e) && o.dir.Outward(out) == "":
			err = errors.Join(err, fmt.Errorf("cannot remove the previous output %s: %w", pathname.Show(out), e))
			continue
		}
		o.done.noteEmptied(out)
	}
	return err
}

// mayHaveMade returns the outputs that an action may have made in this run or an earlier one.
func (o *Outputs) mayHaveMade(a *plan.Action) []string {
	if !a.HasHashes() {
		return a.Outputs
	}
	var list []string
	for i, out := range a.Outputs {
		name := a.HashName(i)
		if name.IsZero() {
			list = append(list, out)
			continue
		}
		fits := func(p string) {
			if name.Fits(p) && !slices.Contains(list, p) && o.taken(p) == "" {
				list = append(list, p)
			}
		}
		o.done.eachPlaced(fits)
		if a.Last != nil {
			for k := range a.Last.Made {
				fits(a.Last.Made[k].Path)
			}
		}
	}
	return list
}

// tmpDir is the directory for scratch files.
func (o *Outputs) tmpDir() string { return o.work + "/tmp" }

// trashDir is the directory for retired artifacts.
func (o *Outputs) trashDir() string { return o.work + "/trash" }

// Idle reports whether there is no artifact to retire, and no file of a killed run.
func (o *Outputs) Idle() bool {
	for _, dir := range []string{o.tmpDir(), o.trashDir()} {
		if _, err := o.dir.Root().Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return len(o.retired) == 0
}

// Prepare makes empty directories for scratch files and retired artifacts, and returns the
// permissions for artifacts.
func (o *Outputs) Prepare() (mode fs.FileMode, err error) {
	root := o.dir.Root()
	for _, dir := range []string{o.tmpDir(), o.trashDir()} {
		// A file that another program holds open may stay until a later run.
		if err := root.RemoveAll(dir); err != nil && !busyfile.IsBusy(err) {
			return 0, err
		}
		if err := root.MkdirAll(dir, 0o777); err != nil {
			return 0, err
		}
	}
	tmp, err := o.dir.Sub(o.tmpDir())
	if err != nil {
		return 0, err
	}
	o.made = root.Folder(o.tmpDir())
	o.scratch = cookone.OpenScratchDir(tmp)
	defer func() {
		if err != nil {
			o.closeScratch()
		}
	}()
	o.mode, err = o.scratch.NewFileMode()
	return o.mode, err
}

func (o *Outputs) closeScratch() error {
	o.made.Close()
	return o.scratch.Close()
}

// CleanUp removes the directories that Prepare made, and output directories that became empty. If
// it cannot remove a file, the file only takes space until the next run.
func (o *Outputs) CleanUp() error {
	var err error
	if o.scratch != nil {
		err = o.closeScratch()
	}
	for _, dir := range o.done.emptied {
		err = errors.Join(err, o.done.removeEmpty(o.dir.Root(), dir))
	}
	for _, dir := range []string{o.tmpDir(), o.trashDir()} {
		err = errors.Join(err, o.dir.Root().RemoveAll(dir))
	}
	if o.work == statedir.Work {
		_, rmErr := o.dir.Root().RemoveEmpty(o.work)
		err = errors.Join(err, rmErr)
	}
	return err
}
