package survey

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
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
