package cook

import (
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
)

// An Observer follows a run. Its methods are called by one goroutine at a time. One that has
// a method Step(path, target, step string), too, is told what recipes are doing, and one that
// has a method Reading(files, of int, bytes int64) how many of the files have been read that
// Verify reads, and their bytes.
type Observer interface {
	// Stage names what the run is at, such as "scan", "checksum", "plan", "cook", "save".
	Stage(name string)
	// Planned says how many assets have work to do, and how long that is expected to
	// take one after the other.
	Planned(assets int, expected time.Duration)
	// Event is called for everything that happens to an asset.
	Event(Event)
	// Note takes one line about something that is no asset's failure.
	Note(text string)
}

// reader and stepper are what an Observer may be as well. Step is told what the recipe of an
// asset that has started does from now on, such as "decode" or "encode"; "" is nothing in
// particular. Without a path it is what passes between the run and Project.Remote.
type reader interface {
	Reading(files, of int, bytes int64)
}

type stepper interface {
	Step(path, target, step string)
}

// An Outcome is how an asset fared.
type Outcome string

const (
	UpToDate   Outcome = Outcome(execute.UpToDate)
	Unchanged  Outcome = Outcome(execute.Unchanged) // an input changed, the artifacts did not
	Restored   Outcome = Outcome(execute.Restored)  // the result was known and not cooked again
	Cooked     Outcome = Outcome(execute.Cooked)
	NotShipped Outcome = Outcome(execute.NotShipped) // without outputs: cooked assets hold it
	Failed     Outcome = Outcome(execute.Failed)
	NotReached Outcome = Outcome(execute.NotReached) // the run ended before
	Removed    Outcome = Outcome(execute.Removed)    // artifacts whose source is gone, or failed after it changed

	Started Outcome = "started" // work has begun
	Warned  Outcome = Outcome(execute.Warned)
	Error   Outcome = Outcome(execute.Error) // a failure that is no asset's, such as a folder that cannot be listed
)

// An Event is something that happened to an asset. Its slices may be shared with other
// events and must not be changed.
type Event struct {
	Path    string // the source
	Target  string
	Recipe  string // "" if none could be chosen
	Outcome Outcome
	Reasons []Reason
	Outputs []string
	// In and Out are the bytes of source and artifacts.
	In, Out int64
	// Took is how long the work took; CookTime is how long cooking takes, as measured
	// when it was last done.
	Took, CookTime time.Duration
	// Err is why it failed, or the warning.
	Err error
}

// A Reason is one reason for a decision.
type Reason struct {
	Kind    string `json:"kind"`              // such as "content changed"
	Subject string `json:"subject,omitempty"` // the file, option or tool in question
	Old     string `json:"old,omitempty"`
	New     string `json:"new,omitempty"`
}

// String is the reason as one line.
func (r Reason) String() string {
	return plan.Reason{Kind: plan.Kind(r.Kind), Subject: r.Subject, Old: r.Old, New: r.New}.String()
}

// sameStamp is the reason of most assets, which need no work.
var sameStamp = []Reason{{Kind: string(plan.SameStamp)}}

func reasons(list []plan.Reason) []Reason {
	switch {
	case len(list) == 0:
		return nil
	case len(list) == 1 && list[0] == plan.Reason{Kind: plan.SameStamp}:
		return sameStamp
	}
	all := make([]Reason, len(list))
	for i, r := range list {
		all[i] = Reason{string(r.Kind), r.Subject, r.Old, r.New}
	}
	return all
}

// observer lets an Observer follow a pass.
type observer struct {
	to    Observer
	every bool
}

// observed returns nil for no observer.
func observed(to Observer, every bool) session.Observer {
	if to == nil {
		return nil
	}
	return observer{to, every}
}

func (o observer) Stage(name string)                 { o.to.Stage(name) }
func (o observer) Planned(n int, took time.Duration) { o.to.Planned(n, took) }
func (o observer) Note(text string)                  { o.to.Note(text) }
func (o observer) EveryAction() bool                 { return o.every }

func (o observer) Reading(files, of int, bytes int64) {
	if to, ok := o.to.(reader); ok {
		to.Reading(files, of, bytes)
	}
}

func (o observer) Step(path, target, step string) {
	if to, ok := o.to.(stepper); ok {
		to.Step(path, target, step)
	}
}

func (o observer) Event(e execute.Event) {
	outcome := Outcome(e.Outcome)
	if e.Started {
		outcome = Started
	}
	o.to.Event(Event{
		Path: e.Path, Target: e.Target, Recipe: e.Recipe, Outcome: outcome, Reasons: reasons(e.Reasons), Outputs: e.Outputs,
		In: e.In, Out: e.Out, Took: e.Took, CookTime: e.CookTime, Err: e.Err,
	})
}

// Observers hand everything on to each of them. No Observers do nothing, for those to
// embed that follow a part of a run.
type Observers []Observer

func (all Observers) Stage(name string) {
	for _, o := range all {
		o.Stage(name)
	}
}

func (all Observers) Planned(assets int, expected time.Duration) {
	for _, o := range all {
		o.Planned(assets, expected)
	}
}

func (all Observers) Event(e Event) {
	for _, o := range all {
		o.Event(e)
	}
}

func (all Observers) Reading(files, of int, bytes int64) {
	for _, o := range all {
		if o, ok := o.(reader); ok {
			o.Reading(files, of, bytes)
		}
	}
}

func (all Observers) Step(path, target, step string) {
	for _, o := range all {
		if o, ok := o.(stepper); ok {
			o.Step(path, target, step)
		}
	}
}

func (all Observers) Note(text string) {
	for _, o := range all {
		o.Note(text)
	}
}
