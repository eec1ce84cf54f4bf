package execute

import (
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// An Outcome says what happened to an action.
type Outcome string

const (
	Started    Outcome = "started" // work has begun
	UpToDate   Outcome = "up to date"
	Unchanged  Outcome = "unchanged" // an input changed, the artifacts did not
	Restored   Outcome = "restored"  // the result was known and not cooked again
	Cooked     Outcome = "cooked"
	NotShipped Outcome = "not shipped" // no outputs, because other cooked assets contain the source
	Failed     Outcome = "failed"
	NotReached Outcome = "not reached" // the run ended before
	Removed    Outcome = "removed"     // artifacts of a source that is gone, or failed after a change
	Warned     Outcome = "warned"      // a likely mistake; the action goes on
	Error      Outcome = "error"       // a failure outside actions, such as a directory that cannot be listed
)

// An Event is something that happened to one action. The exported fields are listed in the
// documentation of package cook.
type Event struct {
	Path     string // of the source
	Target   string
	Recipe   string // "" if none could be chosen
	Outcome  Outcome
	Reasons  []plan.Reason
	Outputs  []string
	In, Out  int64         // bytes of source and artifacts
	Took     time.Duration // duration of the work here
	CookTime time.Duration // duration of cooking, as measured the last time
	Err      error         // the failure or the warning
}

// outcomeOf returns Unchanged if an input of an action changed and the artifacts did not,
// and else another outcome.
func outcomeOf(a *plan.Action, made []store.Artifact, otherwise Outcome) Outcome {
	if a.Last == nil || a.Last.State != index.Done || len(made) != len(a.Last.Outputs) {
		return otherwise
	}
	changed := false
	for _, r := range a.Reasons {
		switch r.Kind {
		case plan.SourceChanged, plan.DependencyChanged, plan.ArtifactsChanged:
			changed = true
		case plan.Forced, plan.MovedFrom:
			return otherwise
		}
	}
	for i, o := range a.Last.Outputs {
		if o.State != contents.Intact || o.Artifact.Path != a.Outputs[i] || o.Artifact.Blob != made[i].Blob {
			return otherwise
		}
	}
	if changed {
		return Unchanged
	}
	return otherwise
}
