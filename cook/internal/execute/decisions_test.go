package execute

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/dependency"
)

// An action is unchanged if an input changed but its artifacts stayed the same and are in place.
func TestOutcome(t *testing.T) {
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
		a := planned{Action: &plan.Action{
			Outputs: []string{"a"},
			Last:    &contents.Before{Action: index.Action{State: c.last}, Outputs: []contents.Output{{State: c.state, Artifact: old}}},
		}}
		for _, k := range c.reasons {
			a.Reasons = append(a.Reasons, plan.Reason{Kind: k})
		}
		if got := a.outcome([]store.Artifact{now}, Restored); got != c.want {
			t.Errorf("%s: outcome %v, want %v", name, got, c.want)
		}
	}
}

// The size before is the sum of all artifacts that the action had.
func TestSizeBefore(t *testing.T) {
	r := &runner{}
	last := &contents.Before{Action: index.Action{Made: []index.Artifact{{Stamp: scan.Stamp{Size: 30}}, {Stamp: scan.Stamp{Size: 4}}}}}
	r.addSize(&plan.Action{Path: "old", Last: last}, &Result{Outcome: Cooked}, 50)
	r.addSize(&plan.Action{Path: "new"}, &Result{Outcome: Cooked}, 7)
	r.addSize(&plan.Action{Path: "idle", Last: last}, &Result{Outcome: UpToDate}, 50)
	want := []Size{{Path: "old", Before: 34, After: 50}, {Path: "new", Before: -1, After: 7}}
	if got := r.reporting.detail.Sizes; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Artifacts count as made only if their action made all of its outputs. Otherwise all count as
// failed.
func TestArtifactsOfIncompleteActions(t *testing.T) {
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
		c.result.Action = &plan.Action{Err: c.err}
		all := &Artifacts{
			plan:    &plan.Plan{Actions: []plan.Action{{Path: "a", Outputs: []string{"a.x", "a.y"}}}},
			results: []Result{c.result}, settled: make([]atomic.Bool, 1),
		}
		all.settled[0].Store(true)
		chosen, err := choose(dependency.OfArtifacts(dependency.Artifacts, "", []string{"*"}))
		if err != nil {
			t.Fatal(err)
		}
		list := all.planned(nil, &chosen)
		if len(list) != 2 || list[0].failed != c.failed || list[1].failed != c.failed {
			t.Errorf("%s: %+v", name, list)
		}
	}
}

// A worker does not wait for other workers if none of them can make another action ready.
func TestNextDoesNotWaitInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &runner{}
		r.queue.more.L = &r.queue.mu
		r.queue.atWork = 1
		if i, ok := r.nextNear(t.Context()); ok {
			t.Errorf("action %d", i)
		}
	})
}

// A dry run reports an action as cooked if its result is known but the content is not available.
func TestForetellLooksForContent(t *testing.T) {
	for cheap, want := range map[bool]Outcome{false: Cooked, true: Restored} {
		w := &worker{runner: &runner{cooker: newCooker(Env{})}}
		made := []index.Artifact{{Path: "a.x", Blob: store.BlobID{1}}}
		a := planned{Action: &plan.Action{
			Outputs: []string{"a.x"}, Method: &plan.Method{Method: &rules.Method{Recipe: recipe.Recipe{Cheap: cheap}}},
			Last: &contents.Before{Action: index.Action{State: index.Done, Made: made}, Outputs: []contents.Output{{State: contents.Missing}}},
		}}
		if got, _ := w.foretell(t.Context(), a); got.Outcome != want {
			t.Errorf("cheap %v: %v, want %v", cheap, got.Outcome, want)
		}
	}
}

// A later step of a chain reads the output of an earlier step under its path.
func TestDigestOfWhatAChainMade(t *testing.T) {
	c := &chain{made: map[string]madeFile{"b": {File: contents.File{Path: "b", How: contents.Unreadable, Err: errors.New("the step's")}}}}
	_, err := newCooker(Env{}).digest(t.Context(), planned{Action: &plan.Action{Path: "a"}, chain: c}, store.ReadSet{dependency.OfFile("b")})
	if err == nil || err.Error() != "the step's" {
		t.Errorf("error %v", err)
	}
}

// If this program's file cannot be found, no other machine cooks, and one warning says so.
func TestProgramIsNotFound(t *testing.T) {
	var told []string
	r := &runner{cooker: newCooker(Env{}), reporting: reported{warned: map[[2]string]bool{}}}
	r.Warn = func(line string) { told = append(told, line) }
	r.remote.away.program.locate = func() (string, error) { return "", errors.New("it is gone") }
	for range 2 {
		if _, err := r.program(t.Context()); err == nil {
			t.Error("no error")
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], "no other machine can cook: this program: it is gone") || r.remote.away.takesAction(time.Hour, true) {
		t.Errorf("told %q", told)
	}
}
