package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/store"
)

// cook runs the recipe, once more if a dependency turned up that is too fresh
// to tell whether it changed meanwhile: the second time it is watched.
func (r *worker) cook(ctx context.Context, a *plan.Action, k *known) (Result, error) {
	release, err := r.admit(ctx, a)
	if err != nil {
		return Result{}, err
	}
	defer release()
	res, err := r.cookOnce(ctx, a, k)
	if errors.Is(err, errUnwatched) {
		res, err = r.cookOnce(ctx, a, k)
	}
	if errors.Is(err, errUnwatched) {
		err = errChanged // it reads other files each time
	}
	return res, err
}

// cookOnce runs the recipe. If the result was known but is not at hand any
// more, and comes out the same, then it was restored by other means.
func (r *worker) cookOnce(ctx context.Context, a *plan.Action, k *known) (Result, error) {
	tmp := r.newScratch(a.Outputs)
	defer tmp.remove()
	w := watch{mark: r.Survey.Mark(), begin: r.Now(), opened: map[string]bool{}}
	env := r.env(ctx, a, tmp, &w)
	if r.probe != nil {
		env.Hold = r.hold
		defer r.letGo()
	}
	job := recipe.NewJob(env, a.Source.Stamp.Size)
	begin := w.begin
	span := r.probe.Begin("cook/run/recipe", "")
	cookErr := protect(func() error { return a.Method.Cooker.Cook(ctx, job) })
	span.End()
	cookTime := r.Now().Sub(begin)

	deps, err := r.checkInputs(ctx, a, job.Deps(), &w)
	if err := errors.Join(err, cookErr); err != nil {
		return Result{}, r.inOurWords(err, tmp, a.Outputs)
	}
	fresh, err := r.collect(ctx, a, tmp)
	if err != nil {
		return Result{}, err
	}
	made := make([]store.Artifact, len(fresh))
	for i, f := range fresh {
		made[i] = store.Artifact{Blob: f.Blob, Size: f.Stamp.Size}
	}
	outcome := r.outcome(a, made, Cooked)
	if k != nil && a.Method.Recipe.Cheap && slices.Equal(k.made, made) {
		outcome = r.outcome(a, made, Restored)
	}
	warnings := job.Warnings()
	r.keep(ctx, a, tmp, deps, store.Result{Artifacts: made, CookTime: cookTime, Warnings: warnings})
	if err := r.odd(warnings); err != nil {
		return Result{}, err
	}
	for i := range fresh {
		if err := r.place(a, i, tmp.files[i], &fresh[i]); err != nil {
			return Result{}, err
		}
	}
	return Result{Outcome: outcome, Row: done(a, cookTime, deps, fresh, warnings), Warnings: warnings}, nil
}

// env is what a recipe's job stands on.
func (r *worker) env(ctx context.Context, a *plan.Action, tmp *scratch, w *watch) recipe.Env {
	return recipe.Env{
		Recipe: a.Method.Recipe, Path: a.Path, Outputs: tmp.abs(), Create: tmp.create, Assets: r.Assets.Name(),
		Open: func(p string) (fs.File, error) {
			r.Survey.At(ctx, p) // from now on it is watched
			w.opened[p] = true
			return r.Assets.OpenFile(p)
		},
		Stat:    r.Assets.Stat,
		Scratch: tmp.folder,
	}
}

// Explain has a recipe say what it makes of a source. That it panics is an error.
func Explain(ctx context.Context, e recipe.Explainer, job *recipe.Job) (lines []string, err error) {
	err = protect(func() error {
		lines, err = e.Explain(ctx, job)
		return err
	})
	return lines, err
}

// protect turns a recipe's panic into its asset's failure.
func protect(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("recipe panicked: %v", p)
		}
	}()
	return f()
}

// keep puts a result into the store. Failing to do so costs time later and
// nothing else.
func (r *worker) keep(ctx context.Context, a *plan.Action, tmp *scratch, deps []index.Dep, result store.Result) {
	if r.Store == nil {
		return
	}
	defer r.probe.Begin("cook/run/store", "").End()
	err := func() error {
		if !a.Method.Recipe.Cheap {
			for i, file := range tmp.files {
				if err := r.putBlob(ctx, file, result.Artifacts[i]); err != nil {
					return err
				}
			}
		}
		if len(deps) > 0 {
			set := make(store.ReadSet, len(deps))
			for i, d := range deps {
				set[i] = d.Name
			}
			if err := r.Store.AddReadSet(a.ID, set); err != nil {
				return err
			}
		}
		return r.Store.PutResult(plan.ResultID(a.ID, deps), result)
	}()
	if err != nil && ctx.Err() == nil {
		r.warn(err)
	}
}

func (r *runner) putBlob(ctx context.Context, file string, a store.Artifact) error {
	f, err := r.Out.OpenFile(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return r.Store.PutBlob(ctx, f, a.Blob, a.Size)
}
