package execute

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/internal/pathname"
)

// retire sets aside the artifacts that no action claims any more and reports each.
func (r *runner) retire() {
	outward := map[string]bool{} // directories that are links out of the output directory
	for i, old := range r.plan.Retired {
		e := Event{Path: old.Source, Target: old.Target, Outcome: Removed, Outputs: []string{old.Path}}
		aside := fmt.Sprintf("%s/%x-%d", r.trashDir(), r.names.run, i)
		size, there, err := r.setAside(old.Path, aside)
		switch {
		case err != nil:
			if dir := r.Out.Outward(old.Path); dir != "" {
				if outward[dir] {
					continue
				}
				outward[dir] = true
			}
			e.Outcome, e.Err = Error, fmt.Errorf("output of a source that is gone: %w", r.misled(old.Path, err))
		case !there:
			continue
		default:
			e.Out = size
		}
		if err == nil && !r.DryRun {
			r.outputs.wrote.Store(true)
			r.outputs.trash[old.Path] = aside
			r.reporting.removed = append(r.reporting.removed, Size{Path: Path(old.Source), Target: old.Target, Before: size, After: -1})
		}
		r.report(e)
	}
	if r.DryRun {
		return
	}
	for _, old := range r.plan.Retired {
		r.removeEmptyAbove(old)
	}
}

// setAside moves an artifact, if it is there. In a dry run it only looks.
func (r *runner) setAside(name, aside string) (size int64, there bool, err error) {
	if r.Out == nil {
		return 0, false, nil
	}
	info, err := r.Out.Root().Lstat(name)
	if err == nil && info.IsDir() {
		return 0, false, nil // foreign: cook makes no folder of an output's name
	}
	if err == nil && !r.DryRun {
		err = r.Out.Root().Rename(name, aside)
	}
	if pathname.IsAbsent(err) {
		return 0, false, nil // gone already
	}
	if err != nil {
		return 0, false, err
	}
	return info.Size(), true, nil
}

// removeEmptyAbove removes the folders that were there for a retired artifact only.
func (r *runner) removeEmptyAbove(old plan.Retired) {
	if err := r.outputs.removeEmpty(path.Dir(old.Path)); err != nil {
		r.report(Event{Path: old.Source, Target: old.Target, Outcome: Error,
			Err: fmt.Errorf("empty folder of outputs of a source that is gone: %w", r.misled(old.Path, err))})
	}
}

// stillGood returns those artifacts of an action that failed that were made from the
// very inputs it has now, and are as they were then.
func (w *worker) stillGood(a planned) (made []index.Artifact) {
	if a.Last == nil || a.Stale {
		return nil
	}
	for i, m := range a.Last.Made {
		if a.Last.Outputs[i].State == contents.Intact && !w.outputs.wasPlaced(m.Path) {
			made = append(made, m)
		}
	}
	return made
}

// removeStale removes what lies under the output names of an action that failed, if
// cook made it: it was made from something that is no longer there, by a run that was
// killed perhaps. Other actions have other names. What cannot be removed stays in the
// journal.
func (w *worker) removeStale(a planned, but []index.Artifact) (err error) {
	for _, out := range a.Outputs {
		good := slices.ContainsFunc(but, func(m index.Artifact) bool { return m.Path == out })
		if good || !w.outputs.wasPlaced(out) && !w.Owned(out) {
			continue
		}
		info, e := w.Out.Root().Lstat(out)
		if e == nil && info.IsDir() {
			continue
		}
		if e == nil {
			e = w.Out.Root().Remove(out)
		}
		switch {
		case e == nil:
			w.outputs.wrote.Store(true)
			w.report(Event{Path: a.Path, Target: a.Target, Outcome: Removed, Outputs: []string{out}, Out: info.Size()})
		case !errors.Is(e, fs.ErrNotExist) && !pathname.IsAbsent(e) && w.Out.Outward(out) == "":
			err = errors.Join(err, fmt.Errorf("output %s of before is still there: %w", pathname.Show(out), e))
			continue
		}
		w.outputs.noteEmptied(out)
	}
	return err
}
