package run

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/survey"
	"github.com/assetcook/assetcook/internal/pathname"
)

// retire sets aside the artifacts that no action claims any more and reports each.
func (r *runner) retire() {
	r.trash = map[string]string{}
	for i, old := range r.plan.Retired {
		e := Event{Path: old.Source, Target: old.Target, Outcome: Removed, Outputs: []string{old.Path}}
		aside := fmt.Sprintf("%s/%d", trashDir, i)
		size, there, err := r.setAside(old.Path, aside)
		switch {
		case err != nil:
			e.Outcome, e.Err = Failed, fmt.Errorf("output of a source that is gone: %w", err)
		case !there:
			continue
		default:
			e.Out = size
		}
		if err == nil && !r.DryRun {
			r.wrote.Store(true)
			r.trash[old.Path] = aside
		}
		r.report(e)
	}
	for _, old := range r.plan.Retired {
		if !r.DryRun {
			r.leave(old)
		}
	}
}

// setAside moves an artifact, if it is there. In a dry run it only looks.
func (r *runner) setAside(name, aside string) (size int64, there bool, err error) {
	if r.Out == nil {
		return 0, false, nil
	}
	info, err := r.Out.Root().Lstat(name)
	if err == nil && info.IsDir() {
		return 0, false, nil // not ours: cook makes no folder of an output's name
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

// leave removes the folders that were there for a retired artifact only.
func (r *runner) leave(old plan.Retired) {
	if err := r.removeEmpty(path.Dir(old.Path)); err != nil {
		r.report(Event{Path: old.Source, Target: old.Target, Outcome: Failed,
			Err: fmt.Errorf("empty folder of outputs of a source that is gone: %w", err)})
	}
}

// removeEmpty removes a folder of the output tree and those above it, as long
// as they are empty. One that cannot be removed is remembered.
func (r *runner) removeEmpty(dir string) error {
	for ; dir != "."; dir = path.Dir(dir) {
		gone, err := r.Out.Root().RemoveEmpty(dir)
		if err != nil && !r.stuck[dir] {
			r.stuck[dir] = true
			return err
		}
		if !gone {
			return nil
		}
	}
	return nil
}

// stillGood returns those artifacts of an action that failed that were made from
// the very inputs it has now, and are as they were then.
func (r *runner) stillGood(a *plan.Action) (made []index.Artifact) {
	if a.Last == nil || a.Stale {
		return nil
	}
	for i, m := range a.Last.Made {
		r.mu.Lock()
		replaced := r.placed[m.Path]
		r.mu.Unlock()
		if a.LastMade[i].State == survey.Intact && !replaced {
			made = append(made, m)
		}
	}
	return made
}

// removeStale removes what lies under the output names of an action that
// failed, if cook made it: it was made from something that is no longer there,
// by a run that was killed perhaps. Other actions have other names. What cannot
// be removed stays in the journal.
func (r *runner) removeStale(a *plan.Action, but []index.Artifact) (err error) {
	for _, out := range a.Outputs {
		r.mu.Lock()
		ours := r.placed[out]
		r.mu.Unlock()
		good := slices.ContainsFunc(but, func(m index.Artifact) bool { return m.Path == out })
		if good || !ours && !r.Owned(out) {
			continue
		}
		info, e := r.Out.Root().Lstat(out)
		if e == nil && info.IsDir() {
			continue
		}
		if e == nil {
			e = r.Out.Root().Remove(out)
		}
		switch {
		case e == nil:
			r.wrote.Store(true)
		case !pathname.IsAbsent(e) && r.Out.Outward(out) == "":
			err = errors.Join(err, fmt.Errorf("output %s of before is still there: %w", pathname.Show(out), e))
			continue
		}
		r.mu.Lock()
		r.emptied = append(r.emptied, path.Dir(out))
		r.mu.Unlock()
	}
	return err
}

// cleanUp removes what the run needed for itself. What it leaves costs room until
// the next run and nothing else.
func (r *runner) cleanUp() {
	var err error
	for _, dir := range r.emptied {
		err = errors.Join(err, r.removeEmpty(dir))
	}
	for _, dir := range []string{tmpDir, trashDir} {
		err = errors.Join(err, r.Out.Root().RemoveAll(dir))
	}
	if err != nil {
		r.Warn(fmt.Sprintf("output folder %s: clear up: %v; the next cook will try again", r.Out.Name(), err))
	}
}
