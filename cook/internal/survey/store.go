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

// A Store describes the contents of a store.
type Store struct {
	Dir   string
	Kinds []store.Use
	// Recipes lists, by recipe, the parts of the store that a project's artifacts use. The largest
	// is first. It is nil if no project is given.
	Recipes []Share
}

// A Share is the part of a store that the artifacts of one recipe use. If several recipes have the
// same artifact, it counts for each of them.
type Share struct {
	Recipe string
	Files  int
	Bytes  int64
}

// ReadStore describes the store in the directory cache. If cache is "", it describes the default
// store. If out is not "", it also describes the part that the artifacts in this output directory
// use. It changes nothing. If there is no store, the error wraps fs.ErrNotExist.
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

// Origin returns the machine that cooked the known artifacts of an action. It is zero if this
// machine cooked them, or if the store no longer has the result. in may be nil, which means no
// store.
func Origin(in *store.Store, a *plan.Action) (o store.Origin) {
	if in == nil {
		return o
	}
	return originOf(in, a.Last.Action)
}

func originOf(in *store.Store, last *index.Action) (o store.Origin) {
	switch execute.Outcome(last.Decision.Outcome) {
	case execute.Restored, execute.Unchanged, execute.Cooked: // other machines of the server may have cooked it
	default:
		return o
	}
	r, err := in.Result(plan.ResultID(last.ID, last.Deps))
	if err != nil || !isOf(r, last) {
		return o
	}
	return r.Origin
}

// Trace sets the origins of assets, which it reads from the store in a directory. If the name of
// this directory is "", it reads the default store. out is the output directory of the assets.
func Trace(out, cache string, list []Asset) error {
	return eachStored(out, cache, list, func(in *store.Store, last *index.Action, a *Asset) {
		a.Last.Origin = originOf(in, last)
	})
}

// Recall sets the facts of assets in the same way as Trace sets their origins. The facts stay empty
// if the store no longer has the result.
func Recall(out, cache string, list []Asset) error {
	return eachStored(out, cache, list, func(in *store.Store, last *index.Action, a *Asset) {
		if r, err := in.Result(plan.ResultID(last.ID, last.Deps)); err == nil && isOf(r, last) {
			a.Last.Facts.Facts = r.Facts
		}
	})
}

// isOf reports whether a result has the same artifacts as an action.
func isOf(r store.Result, last *index.Action) bool {
	return slices.EqualFunc(last.Made, r.Artifacts, func(m index.Artifact, s store.Artifact) bool { return m.Blob == s.Blob })
}

// eachStored calls do for each asset of a list with its action in the index of an output directory.
func eachStored(out, cache string, list []Asset, do func(*store.Store, *index.Action, *Asset)) error {
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
				do(in, a, of)
			}
		}
	})
}

// Makes returns the recipe's description of what it makes from a source, as lines. It also returns
// the warnings of the recipe. It ignores errors of the recipe, because the action already records
// them.
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
