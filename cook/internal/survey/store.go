package survey

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/jobs"
)

// A Store describes the content of a store.
type Store struct {
	Dir   string
	Kinds []store.Use
	// Recipes has the part that a project's artifacts take, by recipe, the biggest first;
	// nil without a project.
	Recipes []Share
}

// A Share is the part of a store that artifacts of a recipe take. An artifact of several recipes
// counts for each.
type Share struct {
	Recipe string
	Files  int
	Bytes  int64
}

// ReadStore describes the store in a directory, "" for the usual one, and the part of the
// artifacts in an output directory, if out is not "". It changes nothing. Without a store, the
// error wraps fs.ErrNotExist.
func ReadStore(ctx context.Context, cache, out string) (Store, error) {
	dir, err := session.CacheDir(cache)
	if err != nil {
		return Store{}, err
	}
	in, err := store.OpenReadOnly(dir)
	if err != nil {
		return Store{}, err
	}
	s := Store{Dir: dir}
	var each func(store.BlobID, int64)
	held := map[store.BlobID]int64{}
	if out != "" {
		each = func(id store.BlobID, size int64) { held[id] = size }
	}
	if s.Kinds, err = in.Usage(ctx, each); err != nil || out == "" {
		return s, err
	}
	shares := map[string]*Share{}
	counted := map[string]map[store.BlobID]bool{}
	err = withIndex(out, func(x *index.Index) {
		for a := range x.Results().Actions() {
			name := plan.RecipeOf(a.Method)
			for _, m := range a.Made {
				size, ok := held[m.Blob]
				if !ok || counted[name][m.Blob] {
					continue
				}
				if shares[name] == nil {
					shares[name], counted[name] = &Share{Recipe: name}, map[store.BlobID]bool{}
				}
				counted[name][m.Blob] = true
				shares[name].Files++
				shares[name].Bytes += size
			}
		}
	})
	if errors.Is(err, ErrNotCooked) {
		err = nil
	}
	for _, share := range slices.SortedFunc(maps.Values(shares), func(a, b *Share) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Recipe, b.Recipe))
	}) {
		s.Recipes = append(s.Recipes, *share)
	}
	return s, err
}

// Origin returns the machine that cooked the known artifacts of an action. It is zero for this
// machine, and if the store no longer knows. in is nil without a store.
func Origin(in *store.Store, a *plan.Action) (o store.Origin) {
	if in == nil {
		return o
	}
	return originOf(in, &a.Last.Action)
}

func originOf(in *store.Store, last *index.Action) (o store.Origin) {
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
				of.Last.Origin = originOf(in, a)
			}
		}
	})
}

// Makes returns the lines of a recipe about the result for a source, and the recipe's warnings. It
// ignores errors of the recipe, which the action has already.
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
