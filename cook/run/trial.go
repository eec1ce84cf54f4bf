package run

import (
	"context"
	"errors"

	"golang.org/x/sync/semaphore"

	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
)

// ErrChanged says that an input changed while an action was being cooked.
var ErrChanged = errChanged

// Conditions are what a recipe may see of its surroundings and must not depend
// on.
type Conditions struct {
	// Scratch is the folder in which the artifacts are made. Nobody else uses it at
	// the same time.
	Scratch *confine.Dir
	// Vars are as in recipe.Env.
	Vars map[string]string
}

// A Trial cooks actions of a plan without placing, storing or remembering what
// comes of it. Its methods may be called by many goroutines, which keep to the
// memory budget together.
type Trial struct{ r *worker }

// NewTrial prepares trials on the assets, the survey, the checksum, the memory and
// the clock of opt; the rest of it is not used.
func NewTrial(opt Options) *Trial {
	return &Trial{&worker{runner: &runner{
		Options: opt,
		summer:  hashing.NewSummer(opt.Checksum),
		memory:  semaphore.NewWeighted(opt.Memory),
		mode:    0o600, // nobody else's
	}}}
}

// Cook cooks an action and hands the artifacts, with the files of the scratch folder
// in which they are, to look, before it removes them. The inputs are checked as in a run; if
// one has changed the error wraps ErrChanged.
func (t *Trial) Cook(ctx context.Context, a *plan.Action, c Conditions, look func(files []string, made []store.Artifact) error) error {
	release, err := t.r.admit(ctx, a)
	if err != nil {
		return err
	}
	defer release()
	err = t.once(ctx, a, c, look)
	if errors.Is(err, errUnwatched) {
		err = t.once(ctx, a, c, look)
	}
	if errors.Is(err, errUnwatched) {
		err = errChanged
	}
	return err
}

func (t *Trial) once(ctx context.Context, a *plan.Action, c Conditions, look func([]string, []store.Artifact) error) error {
	r := t.r
	tmp := scratchIn(c.Scratch, "made", a.Outputs)
	defer tmp.remove()
	w := watch{mark: r.Survey.Mark(), begin: r.Now(), opened: map[string]bool{}}
	env := r.env(ctx, a, tmp, &w)
	env.Vars = c.Vars
	job := recipe.NewJob(env, a.Source.Stamp.Size)
	cookErr := protect(func() error { return a.Method.Cooker.Cook(ctx, job) })
	_, err := r.checkInputs(ctx, a, job.Deps(), &w)
	if err := errors.Join(err, cookErr); err != nil {
		return r.inOurWords(err, tmp, a.Outputs)
	}
	fresh, err := r.collect(ctx, a, tmp)
	if err != nil {
		return err
	}
	made := make([]store.Artifact, len(fresh))
	for i, f := range fresh {
		made[i] = store.Artifact{Blob: f.Blob, Size: f.Stamp.Size}
	}
	return look(tmp.files, made)
}
