package execute

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/assetcook/assetcook/cook/internal/artifacts"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/lookup"
	"github.com/assetcook/assetcook/cook/internal/place"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/dependency"
)

func TestUnchangedNeedsChangedInputAndSameArtifacts(t *testing.T) {
	for name, c := range map[string]struct {
		reasons []plan.Kind
		state   contents.State
		path    string
		blob    byte
		last    index.State
		want    Outcome
	}{
		"input changed":      {reasons: []plan.Kind{plan.SourceChanged}, want: Unchanged},
		"dependency changed": {reasons: []plan.Kind{plan.DependencyChanged}, want: Unchanged},
		"artifacts changed":  {reasons: []plan.Kind{plan.ArtifactsChanged}, want: Unchanged},
		"nothing changed":    {want: Restored},
		"another artifact":   {reasons: []plan.Kind{plan.SourceChanged}, blob: 2, want: Restored},
		"another path":       {reasons: []plan.Kind{plan.SourceChanged}, path: "b", want: Restored},
		"artifact is gone":   {reasons: []plan.Kind{plan.SourceChanged}, state: contents.Missing, want: Restored},
		"forced":             {reasons: []plan.Kind{plan.SourceChanged, plan.Forced}, want: Restored},
		"moved":              {reasons: []plan.Kind{plan.SourceChanged, plan.MovedFrom}, want: Restored},
		"failed last":        {reasons: []plan.Kind{plan.SourceChanged}, last: index.Failed, want: Restored},
	} {
		if c.state == 0 {
			c.state = contents.Intact
		}
		old := index.Artifact{Path: "a", Blob: store.BlobID{1}}
		if c.path != "" {
			old.Path = c.path
		}
		now := store.Artifact{Blob: store.BlobID{max(1, c.blob)}}
		a := &plan.Action{
			Outputs: []string{"a"},
			Last:    &contents.Before{Action: &index.Action{State: c.last}, Outputs: []contents.Output{{State: c.state, Artifact: &old}}},
		}
		for _, k := range c.reasons {
			a.Reasons = append(a.Reasons, plan.Reason{Kind: k})
		}
		if got := outcomeOfResult(a, []store.Artifact{now}, Restored); got != c.want {
			t.Errorf("%s: outcome %v, want %v", name, got, c.want)
		}
	}
}

func TestSizeBeforeIsTheSumOfAllArtifacts(t *testing.T) {
	r := newReporter(Options{})
	last := &contents.Before{Action: &index.Action{Made: []index.Artifact{{Stamp: scan.Stamp{Size: 30}}, {Stamp: scan.Stamp{Size: 4}}}}}
	r.addGrowth(&plan.Action{Path: "old", Last: last}, Cooked, 50)
	r.addGrowth(&plan.Action{Path: "new"}, Cooked, 7)
	r.addGrowth(&plan.Action{Path: "idle", Last: last}, UpToDate, 50)
	want := []Size{{Path: "old", Before: 34, After: 50}, {Path: "new", Before: -1, After: 7}}
	if got := r.detail.Sizes; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestIncompleteActionsMakeNoArtifacts checks that an action without some of its outputs counts as
// failed.
func TestIncompleteActionsMakeNoArtifacts(t *testing.T) {
	made := []index.Artifact{{Path: "a.x"}, {Path: "a.y"}}
	for name, c := range map[string]struct {
		result Result
		err    error
		failed bool
	}{
		"done":            {result: Result{State: index.Done, Outcome: Cooked, Made: made}},
		"made less":       {result: Result{State: index.Done, Outcome: Cooked, Made: made[:1]}, failed: true},
		"failed":          {result: Result{State: index.Done, Outcome: Failed, Made: made}, failed: true},
		"not done":        {result: Result{State: index.Failed, Outcome: Cooked, Made: made}, failed: true},
		"could not begin": {result: Result{State: index.Done, Outcome: Cooked, Made: made}, err: errors.New("e"), failed: true},
	} {
		p := &plan.Plan{Actions: []plan.Action{{Path: "a", Outputs: []string{"a.x", "a.y"}}}}
		c.result.Action = &plan.Action{Outputs: []string{"a.x", "a.y"}, Err: c.err}
		all := &artifacts.Catalog{Last: index.Empty()}
		all.Follow(p, progress{&run{plan: p, queue: newQueue(false, nil), results: []Result{c.result}}})
		list, err := all.List(dependency.OfArtifacts(dependency.Artifacts, "", []string{"*"}))
		if failed := err != nil; failed != c.failed || len(list) != 1 || len(list[0].Outputs) != 2 {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
	}
}

// TestWorkerDoesNotWaitForNothing checks that a worker ends if no running action can make another
// action ready.
func TestWorkerDoesNotWaitForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(false, nil)
		q.atWork = 1
		if i, ok := q.nextAction(t.Context()); ok {
			t.Errorf("action %d", i)
		}
	})
}

// TestDryRunLooksForContent checks that a dry run reports an action as cooked if the store knows
// its result but lacks the content.
func TestDryRunLooksForContent(t *testing.T) {
	for cheap, want := range map[bool]Outcome{false: Cooked, true: Restored} {
		r := &run{finder: &lookup.Finder{}, outputs: place.New(nil, "", &plan.Plan{}, nil, nil)}
		w := &worker{run: r}
		made := []index.Artifact{{Path: "a.x", Blob: store.BlobID{1}}}
		a := &plan.Action{
			Outputs: []string{"a.x"}, Method: &plan.Method{Choice: &rules.Method{Recipe: recipe.Recipe{Cheap: cheap}}},
			Last: &contents.Before{Action: &index.Action{State: index.Done, Made: made}, Outputs: []contents.Output{{State: contents.Missing}}},
		}
		if got, _ := w.foretellWork(t.Context(), cookone.TaskOf(a)); got.Outcome != want {
			t.Errorf("cheap %v: %v, want %v", cheap, got.Outcome, want)
		}
	}
}
