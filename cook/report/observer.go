package report

import (
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/run"
)

// An Observer follows a run. Its methods are called by one goroutine at a time.
type Observer interface {
	// Stage names what the run is at: "scan", "checksum", "cook", "save".
	Stage(name string)
	// Planned says how many assets have work to do and how long that took, or
	// is thought to take, when done one after the other.
	Planned(assets int, expected time.Duration)
	// Event is called for everything that happens to an asset.
	Event(run.Event)
	// EveryAsset reports whether Event is wanted for assets that need no work as
	// well. If so, a run takes the time to look at each.
	EveryAsset() bool
	// Note takes one line about something that is no asset's failure.
	Note(text string)
}

// Multi hands everything to several observers.
type Multi []Observer

func (m Multi) Stage(name string) {
	for _, o := range m {
		o.Stage(name)
	}
}

func (m Multi) Planned(assets int, expected time.Duration) {
	for _, o := range m {
		o.Planned(assets, expected)
	}
}

func (m Multi) Event(e run.Event) {
	for _, o := range m {
		o.Event(e)
	}
}

func (m Multi) EveryAsset() bool {
	return slices.ContainsFunc(m, Observer.EveryAsset)
}

func (m Multi) Note(text string) {
	for _, o := range m {
		o.Note(text)
	}
}
