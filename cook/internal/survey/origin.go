package survey

import (
	"context"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/jobs"
)

// Origin returns the machine that cooked the known artifacts of an action. It is zero for this
// machine, and if the store no longer knows. in is nil without a store.
func Origin(in *store.Store, a *plan.Action) (o store.Origin) {
	if in == nil {
		return o
	}
	return origin(in, &a.Last.Action)
}

func origin(in *store.Store, last *index.Action) (o store.Origin) {
	if how := execute.Outcome(last.Decision.Outcome); how != execute.Restored && how != execute.Unchanged {
		return o
	}
	r, err := in.Result(plan.ResultID(last.ID, last.Deps))
	same := func(m index.Artifact, s store.Artifact) bool { return m.Blob == s.Blob }
	if err != nil || !slices.EqualFunc(last.Made, r.Artifacts, same) {
		return o
	}
	return r.Origin
}

// Trace fills in the origins of assets from the store in a directory, "" for the usual one. out is
// the output directory of the assets.
func Trace(out, cache string, list []Asset) error {
	dir, err := session.CacheDir(cache)
	if err != nil {
		return err
	}
	in, err := store.OpenReadOnly(dir)
	if err != nil {
		return err
	}
	at := map[[2]string]*Asset{}
	for i := range list {
		at[[2]string{list[i].Path, list[i].Target}] = &list[i]
	}
	return withIndex(out, func(x *index.Index) {
		for a := range x.Results().Actions() {
			if of, ok := at[[2]string{a.Path, a.Target}]; ok {
				of.Last.Origin = origin(in, a)
			}
		}
	})
}

// Makes asks a recipe what it makes of a source, and what it warns of. That it cannot cook it
// shows elsewhere.
func Makes(ctx context.Context, s *session.Session, a *plan.Action) (lines, warnings []string) {
	explain := a.Method.Choice.Traits().Explain
	if explain == nil {
		return nil, nil
	}
	job := NewJob(ctx, Reading{s.Assets, s.Basis.Recipes, s.Basis.Checksum, s.Clock.Stamps}, a.Method.Choice.Recipe, a.Path, a.Source.Stamp.Size)
	lines, err := cookone.Explain(ctx, explain, job)
	if err != nil {
		return []string{err.Error()}, nil
	}
	return lines, jobs.Warnings(job)
}
