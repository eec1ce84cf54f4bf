package cook

import (
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/plan"
)

// An Observer follows a run. Its methods are called by one goroutine at a time. To handle only some
// calls, embed [Observers], whose zero value ignores all calls, and override methods:
//
//	type failures struct{ cook.Observers }
//
//	func (failures) Event(e cook.Event) { ... }
type Observer interface {
	// Stage begins a stage of the run, such as "scan", "checksum", "plan", "cook" or "save".
	Stage(name string)
	// Planned reports how many assets have work to do, and the expected CPU time.
	Planned(assets int, expected time.Duration)
	// Event reports what happened to an asset.
	Event(Event)
	// Step reports the current step of a started asset's recipe, such as "decode". A step of ""
	// ends the current step. If path is "", the step describes the traffic with Project.Remote.
	Step(path, target, step string)
	// Note reports one line that does not concern the failure of an asset.
	Note(text string)
	// Reading reports how many files and bytes Verify has read. The argument of is the total number
	// of files.
	Reading(files, of int, bytes int64)
}

// An Outcome is the result of a run for one asset.
type Outcome = execute.Outcome

const (
	Started    = execute.Started // work on the asset has begun
	UpToDate   = execute.UpToDate
	Unchanged  = execute.Unchanged // an input changed, but the artifacts did not
	Restored   = execute.Restored  // the result was in the store and was not cooked again
	Cooked     = execute.Cooked
	NotShipped = execute.NotShipped // the asset has no outputs, because other cooked assets contain the source
	Failed     = execute.Failed
	NotReached = execute.NotReached // the run ended before it reached the asset
	Removed    = execute.Removed    // artifacts were removed, because the source was removed, or was changed and then failed to cook
	Warned     = execute.Warned     // the asset has a likely mistake but is cooked nevertheless
	Error      = execute.Error      // a failure that concerns no asset, such as an unreadable directory
)

// An Event is an outcome of an asset during a run. Observers must not change its slices. It has the
// fields
//
//	Path     string // path of the source
//	Target   string
//	Recipe   string // "" if no recipe could be chosen
//	Outcome  Outcome
//	Reasons  []Reason
//	Outputs  []string
//	In, Out  int64         // bytes of source and artifacts
//	Took     time.Duration // duration of the work in this run
//	CookTime time.Duration // measured duration of the last cook
//	Err      error         // the failure or the warning
//	Origin   *Origin       // machine that cooked the artifacts; nil for this machine
type Event = execute.Event

// A Reason is one reason for a decision. Its method String formats it as one line. It has the
// fields
//
//	Kind    string // such as "content changed"
//	Subject string // the changed file, option or tool
//	Old     string
//	New     string
type Reason = plan.Reason

// Observers passes every call on to each observer in the list.
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

func (all Observers) Step(path, target, step string) {
	for _, o := range all {
		o.Step(path, target, step)
	}
}

func (all Observers) Note(text string) {
	for _, o := range all {
		o.Note(text)
	}
}

func (all Observers) Reading(files, of int, bytes int64) {
	for _, o := range all {
		o.Reading(files, of, bytes)
	}
}
