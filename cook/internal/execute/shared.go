package execute

import (
	"context"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A Step is what cooking an action again gave, or a step of its chain.
type Step struct {
	planned
	made []store.Artifact
	deps []index.Dep
}

// A Shared is a result that a run would take from a server instead of cooking.
type Shared struct {
	Outputs []string
	Now     []store.Artifact // by cooking again
	Result  store.Result     // of the server
}

// sharedTime is how long an answer is waited for. serve-remote gives up sooner.
const sharedTime = time.Minute

// Shared returns the results that a server has for a step, by anything that it says was read,
// by what was read now, and by what was read last time. An action that is not shared has none.
func (g Again) Shared(ctx context.Context, c *remote.Client, s Step) (all []Shared) {
	if s.Method.Cheap() {
		return nil
	}
	a := s.planned
	id, err := a.Identify(plan.NewKey(), a.Source, g.fileOf(ctx))
	if err != nil {
		return nil
	}
	a.Action = a.Identified(id)
	first := c.Look(ctx, keyOf(a, nil), string(a.Path), sharedTime)
	sets := append(first.ReadSets, namesOf(s.deps), nil)
	if a.Last != nil && a.chain == nil {
		sets = append(sets, namesOf(a.Last.Deps))
	}
	seen := map[store.ResultID]bool{}
	for _, set := range sets {
		deps, err := g.digest(ctx, a, set)
		k := keyOf(a, deps)
		if err != nil || seen[k.Result] {
			continue
		}
		seen[k.Result] = true
		found := first
		if k.Reads {
			found = c.Look(ctx, k, string(a.Path), sharedTime)
		}
		if found.Result != nil {
			all = append(all, Shared{a.Outputs, s.made, *found.Result})
		}
	}
	return all
}

// readsOf are the names of the dependencies that are not part of the action's ID.
func readsOf(deps []index.Dep) store.ReadSet {
	return slices.DeleteFunc(namesOf(deps), plan.IsAsked)
}

// fileOf finds files of the asset tree, and what they say.
func (c *cooker) fileOf(ctx context.Context) func(on dependency.Dependency) contents.File {
	return func(on dependency.Dependency) contents.File { return c.Contents.At(ctx, on) }
}

// asked is what an action asks all files of folders.
func (a planned) asked() []recipe.Dep {
	if _, made := a.chain.at(a.Path); made || a.Method == nil {
		return nil
	}
	list, _ := plan.Asks(a.Method, a.Path) // the error is met where the action gets its ID
	return list
}

// namesOf are dependencies as the recipe asked for them.
func namesOf(deps []index.Dep) store.ReadSet {
	names := make(store.ReadSet, len(deps))
	for i, d := range deps {
		names[i] = d.Asked()
	}
	return names
}
