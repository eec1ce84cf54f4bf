package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/artifacts"
	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/todo"
	"github.com/assetcook/assetcook/internal/pathname"
)

// newContents returns contents without an index, so that each source is read and hashed.
func newContents(s *session.Session, catalog *artifacts.Catalog) *contents.Contents {
	return contents.New(contents.Options{
		Artifacts: catalog.Digest, Assets: s.Assets, Known: index.Empty().Files(), Checksum: s.Basis.Checksum, Unsettled: true, Workers: s.Limits.Workers, Clock: s.Clock.Stamps,
		Extracts: s.Basis.Recipes.Extract,
	})
}

// makePlan makes the plan of a cook from the files that were read.
func makePlan(ctx context.Context, s *session.Session, delta *changes.Delta, targets []string, rules *session.Ruleset, catalog *artifacts.Catalog, read *contents.Contents, before []contents.Before) (*todo.Todo, error) {
	t := &todo.Todo{Targets: targets, Rules: rules, Contents: read, Artifacts: catalog}
	var err error
	if t.Claims, err = s.State.Journal.Claims(delta.Last.ID() != "", s.Observer.Note); err != nil {
		return nil, err
	}
	t.Plan = t.Decide(ctx, s, delta, before)
	return t, ctx.Err() // an unread file looks like a missing file
}

// checkPlan reports the work that a cook would have. If the index was lost, the inputs of known
// outputs are unknown.
func checkPlan(s *session.Session, r *reporter, p *plan.Plan, lost bool) {
	for i := range p.Actions {
		a := &p.Actions[i]
		switch {
		case a.Err != nil:
			r.found(Finding{Kind: NotUpToDate, Path: a.Path, Target: a.Target, Text: a.Err.Error()})
		case lost && (a.Last != nil || a.Held()):
		default:
			if reasons := outdated(a); len(reasons) > 0 {
				r.found(Finding{Kind: NotUpToDate, Path: a.Path, Target: a.Target, Text: describe(reasons)})
			}
		}
	}
	for _, old := range p.Retired {
		if _, err := s.Out.Root().Lstat(old.Path); err == nil {
			r.found(Finding{Kind: NotUpToDate, Path: old.Source, Target: old.Target, Output: old.Path,
				Text: fmt.Sprintf("%s is made by no source any more; run cook", pathname.Show(old.Path))})
		}
	}
}

// outdated returns the reasons for cooking an action, without the reasons about the state of
// its outputs, which checks report.
func outdated(a *plan.Action) []plan.Reason {
	if !a.Runs() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(a.Reasons), func(r plan.Reason) bool {
		return r.Kind == plan.OutputMissing || r.Kind == plan.OutputEdited
	})
}

// describe returns the text of a finding about an action that is not up to date.
func describe(reasons []plan.Reason) string {
	if len(reasons) == 1 && reasons[0].Kind == plan.FailedLastTime {
		return "could not be cooked the last time; to see why, run cook"
	}
	words := make([]string, len(reasons))
	remedy := "run cook"
	for i, r := range reasons {
		words[i] = r.String()
		switch r.Kind {
		case plan.SourceChanged, plan.DependencyChanged, plan.ArtifactsChanged, plan.ToolChanged:
			remedy = ignoreStamps // in case no stamp shows the change
		}
	}
	return fmt.Sprintf("not up to date (%s); %s", strings.Join(words, "; "), remedy)
}
