package plan

import (
	"fmt"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/pathname"
)

// An Action is one method applied to one source for one target.
type Action struct {
	Path    string
	Target  string
	Source  *contents.File
	Method  *Method          // nil if Err is set
	ID      store.ActionID   // zero until Source was read
	Outputs []string         // paths in the output directory; none if Held
	Last    *contents.Before // the action in the last run; nil for a new action

	State State
	// Stale is set if the artifacts of Last were made from other inputs than the present ones. If
	// the action fails, they are removed.
	Stale   bool
	Reasons []Reason // reasons to run or to skip the action
	// Moved is a finished action with the same artifacts, which no action claims any more. This
	// action can take them over.
	Moved *contents.Before
	Err   error // error that prevents the action from running
}

// A State says whether an action of a plan has work to do.
//
//	Rests: the action is up to date, or cannot run
//	Runs:  the action has work to do
//	Late:  unknown until the queried artifacts are made; Decide is then called again
type State uint8

const (
	Rests State = iota
	Runs
	Late
)

// Runs reports whether an action has work to do.
func (a *Action) Runs() bool { return a.State == Runs }

// IsLate reports whether Decide must still decide about an action.
func (a *Action) IsLate() bool { return a.State == Late }

// As returns a copy of an action, updated with a decision.
func (a *Action) As(d Decision) *Action {
	decided := *a
	decided.State, decided.Reasons, decided.Stale = d.State(), d.Reasons, d.Stale
	return &decided
}

// Identified returns a copy of an action with the given ID.
func (a *Action) Identified(id store.ActionID) *Action {
	known := *a
	known.ID = id
	return &known
}

// Failed returns a copy of an action with the error that prevents it from running.
func (a *Action) Failed(err error) *Action {
	failed := *a
	failed.Err = err
	return &failed
}

// IsForced reports whether the reasons of an action include Forced.
func (a *Action) IsForced() bool {
	return slices.ContainsFunc(a.Reasons, func(r Reason) bool { return r.Kind == Forced })
}

// outdatedReason reports whether the source, the dependencies or the method of an action changed
// since the last run for its target. It ignores changed outputs and failures, because the index
// keeps them.
func (a *Action) outdatedReason() bool {
	return a.Last == nil || a.Err != nil || a.Stale || a.Last.State == index.Done &&
		(len(a.Last.Made) != len(a.Outputs) || a.renamedOutput() >= 0)
}

// Held reports whether the source is not cooked by itself, because artifacts of other sources
// contain it. A reason of the kind Held names these other sources.
func (a *Action) Held() bool { return a.Err == nil && a.Outputs == nil }

// A Kind is a kind of reason. The JSON output contains its text.
type Kind string

// Kinds of reasons for running an action.
const (
	New                  Kind = "new"
	SourceChanged        Kind = "content changed"
	DependencyChanged    Kind = "dependency changed"
	ArtifactsChanged     Kind = "artifacts changed" // artifacts that a bundle reads have changed
	NameChanged          Kind = "name changed"      // an artifact whose name contains {hash} got another name
	RecipeChanged        Kind = "recipe changed"
	RecipeVersionChanged Kind = "recipe version changed"
	OptionChanged        Kind = "option changed"
	ToolChanged          Kind = "tool changed"
	MachineChanged       Kind = "kind of machine changed"
	IdentityChanged      Kind = "identity changed"
	OutputMissing        Kind = "output missing"
	OutputEdited         Kind = "output edited"
	OutputRenamed        Kind = "output renamed"
	OutputCount          Kind = "number of outputs changed"
	FailedLastTime       Kind = "failed last time"
	WarnedLastTime       Kind = "warned last time" // the action warned last time, which is a failure in a strict run
	Forced               Kind = "forced"
	MovedFrom            Kind = "moved"
	HolderChanged        Kind = "holder changed" // recipe that embeds the source in its outputs
	Held                 Kind = "not shipped"    // added to another reason if the source has no outputs
)

// Kinds of reasons for skipping an action.
const (
	SameStamp    Kind = "unchanged"
	SameChecksum Kind = "touched but equal"
)

// A Reason is one reason for a decision.
type Reason struct {
	Kind    Kind   `json:"kind"`
	Subject string `json:"subject,omitempty"` // name of the changed file, option or tool
	Old     string `json:"old,omitempty"`
	New     string `json:"new,omitempty"`
}

// The most frequent lists of reasons are shared variables and must not be changed.
var (
	isNew     = []Reason{{Kind: New}}
	Untouched = []Reason{{Kind: SameStamp}}
)

// String returns the reason as one line.
func (r Reason) String() string {
	s := string(r.Kind)
	switch r.Kind {
	case MovedFrom:
		return "moved from " + pathname.Show(r.Subject)
	case Held:
		return "not shipped separately, because it is part of the cooked " + pathname.Show(r.Subject) + "; to ship this file too, name a recipe for it in a rule"
	case OptionChanged:
		s = "option " + r.Subject + " changed"
	case SameStamp:
		return "source, options, dependencies and outputs are unchanged"
	case SameChecksum:
		return pathname.Show(r.Subject) + " has the same content"
	default:
		if r.Subject != "" {
			s += ": " + pathname.Show(r.Subject)
		}
	}
	if r.Old != "" || r.New != "" {
		s += fmt.Sprintf(": %s -> %s", pathname.Show(r.Old), pathname.Show(r.New))
	}
	return s
}
