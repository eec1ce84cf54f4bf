package report

import (
	"fmt"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/run"
)

// StageWait is the stage of a watcher between two rounds.
const StageWait = "wait"

// Rounds observes the rounds of a watcher, each with observers of its own, so
// that no progress is shown between them. A note, or an asset's failure, is passed on
// once for as long as it comes in every round.
type Rounds struct {
	begin func() (o Observer, done func())

	mu        sync.Mutex
	now       Observer // nil between rounds
	done      func()
	last, new map[string]bool // notes and failures of the last round, and of this one
}

// NewRounds returns an observer of rounds. begin gives that of one round, and what
// ends it.
func NewRounds(begin func() (o Observer, done func())) *Rounds { return &Rounds{begin: begin} }

// round returns the observer of the running round. The caller holds the lock.
func (r *Rounds) round() Observer {
	if r.now == nil {
		r.now, r.done = r.begin()
		r.new = map[string]bool{}
	}
	return r.now
}

// Stage ends the round at StageWait.
func (r *Rounds) Stage(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if name != StageWait {
		r.round().Stage(name)
		return
	}
	if r.now != nil {
		r.done()
		r.now, r.last = nil, r.new
	}
}

// Planned passes on.
func (r *Rounds) Planned(assets int, expected time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.round().Planned(assets, expected)
}

// Event passes on what happened, but for an asset that fails as it did in the last
// round.
func (r *Rounds) Event(e run.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.round()
	if e.Outcome != run.Failed || e.Started {
		o.Event(e)
		return
	}
	failure := fmt.Sprintf("%q %q %v", e.Path, e.Target, e.Err)
	if !r.last[failure] {
		o.Event(e)
	}
	r.new[failure] = true
}

// Note passes on what the last round did not say.
func (r *Rounds) Note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.round()
	if !r.last[text] && !r.new[text] {
		o.Note(text)
	}
	r.new[text] = true
}

// EveryAsset is false: a watcher looks at few of those that need no work.
func (r *Rounds) EveryAsset() bool { return false }
