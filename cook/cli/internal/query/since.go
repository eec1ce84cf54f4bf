package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/pathname"
)

// assetsSince returns the matching assets that the changes since a git revision affect: assets that
// have changed, assets that depend on changed files, rules or programs, and assets that a run would
// cook now. If the affected assets cannot be known, it warns and returns all assets.
func (r *listOptions) assetsSince(ctx context.Context, c *cmdline.Call, patterns []string) ([]survey.Asset, error) {
	r.project.Recipes = c.Recipes
	chosen, err := patternList(patterns)
	if err != nil {
		return nil, err
	}
	impact, err := r.findImpact(ctx)
	if err != nil {
		return nil, err
	}
	seen := affectedAssets{Observers: cook.Observers{c.Notes(r.project.Dir)}, impact: impact}
	if _, err := cook.Cook(ctx, r.project, cook.CookOptions{DryRun: true, EveryAsset: true, Observer: &seen}); err != nil {
		return nil, err
	}
	if impact.All != "" {
		c.Warn("all assets are listed, because it is unknown which ones are affected: " + impact.All)
	}
	known, err := r.loadAssets(nil)
	if err != nil && !errors.Is(err, survey.ErrNotCooked) {
		return nil, err
	}
	byName := map[[2]string]*survey.Asset{}
	for i := range known {
		byName[[2]string{known[i].Path, known[i].Target}] = &known[i]
	}
	var list []survey.Asset
	for _, e := range seen.events {
		switch a := byName[[2]string{e.Path, e.Target}]; {
		case chosen.Len() > 0 && !chosen.Match(e.Path, path.Base(e.Path)):
		case a != nil:
			list = append(list, *a)
		default:
			list = append(list, newAsset(&e))
		}
	}
	slices.SortFunc(list, func(a, b survey.Asset) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Target, b.Target))
	})
	idOf, err := r.idLookup()
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].ID = idOf(list[i].Path)
	}
	return list, nil
}

// findImpact finds the assets of the last run that the changes affect.
func (r *listOptions) findImpact(ctx context.Context) (*survey.Impact, error) {
	s, err := session.Open(placeOptions(&r.project), session.Look)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return survey.ImpactSince(ctx, s, r.since)
}

// placeOptions returns the options of a session with the directories, targets and recipes of a
// project.
func placeOptions(p *cook.Project) session.Options {
	return session.Options{
		Place:   session.Place{Dir: p.Dir, Out: p.Out, Config: p.Config, Cache: p.Cache, State: p.State, IDs: p.IDs, Manifest: manifest.Layout(p.Manifest)},
		Scope:   session.Scope{Targets: p.Targets},
		Recipes: p.Recipes, Engine: p.Engine,
	}
}

// affectedAssets is the observer of a dry run that collects the events of affected assets.
type affectedAssets struct {
	cook.Observers
	impact *survey.Impact
	events []cook.Event
}

func (a *affectedAssets) Event(e cook.Event) {
	switch e.Outcome {
	case cook.Started, cook.Warned, cook.Removed:
		return
	case cook.Error:
		a.impact.All = fmt.Sprintf("%s: %v", pathname.Show(e.Path), e.Err)
		return
	}
	if a.impact.Affects(e.Path, e.Target) || e.Outcome != cook.UpToDate && !sameInputs(&e) {
		a.events = append(a.events, e)
	}
}

// sameInputs reports whether an asset has the inputs of the last run. A run may still work on the
// asset because of its outputs on the disk.
func sameInputs(e *cook.Event) bool {
	return e.Outcome != cook.Failed && len(e.Reasons) > 0 && !slices.ContainsFunc(e.Reasons, func(r cook.Reason) bool {
		switch r.Kind {
		case plan.SameStamp, plan.SameChecksum, plan.Held, plan.OutputMissing, plan.OutputEdited:
			return false
		}
		return true
	})
}

// newAsset returns an asset that no run has cooked yet.
func newAsset(e *cook.Event) survey.Asset {
	a := survey.Asset{Path: e.Path, Target: e.Target, Method: &survey.Method{Recipe: e.Recipe}, In: e.In}
	a.Last.Outcome = "new"
	for _, reason := range e.Reasons {
		a.Last.Reasons = append(a.Last.Reasons, reason.String())
	}
	return a
}
