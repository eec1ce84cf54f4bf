package report

import (
	"fmt"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/watch"
)

// Rounds is an observer of a watcher. Each round gets a new observer, so that no progress shows
// between rounds. A note or failure that every round repeats is passed on once.
type Rounds struct {
	begin func() (o cook.Observer, done func())

	mu        sync.Mutex
	now       cook.Observer // nil between rounds
	done      func()
	last, new map[string]bool // notes and failures of the last round, and of this one
}

// NewRounds returns an observer of rounds. begin returns the observer of one round, and a function
// that ends the round.
func NewRounds(begin func() (o cook.Observer, done func())) *Rounds { return &Rounds{begin: begin} }

// round returns the observer of the running round. The caller holds the lock.
func (r *Rounds) round() cook.Observer {
	if r.now == nil {
		r.now, r.done = r.begin()
		r.new = map[string]bool{}
	}
	return r.now
}

// Stage ends the round at watch.StageWait.
func (r *Rounds) Stage(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if name != watch.StageWait {
		r.round().Stage(name)
		return
	}
	if r.now != nil {
		r.done()
		r.now, r.last = nil, r.new
	}
}

// Planned passes the number of assets on.
func (r *Rounds) Planned(assets int, expected time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.round().Planned(assets, expected)
}

// Event passes on, except for a failure that the last round had as well.
func (r *Rounds) Event(e cook.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.round()
	if e.Outcome != cook.Failed && e.Outcome != cook.Error {
		o.Event(e)
		return
	}
	failure := fmt.Sprintf("%q %q %v", e.Path, e.Target, e.Err)
	if !r.last[failure] {
		o.Event(e)
	}
	r.new[failure] = true
}

// Step passes on.
func (r *Rounds) Step(path, target, step string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.round().Step(path, target, step)
}

// Reading passes on.
func (r *Rounds) Reading(files, of int, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.round().Reading(files, of, bytes)
}

// Note passes on a note, unless this round or the last one had it.
func (r *Rounds) Note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.round()
	if !r.last[text] && !r.new[text] {
		o.Note(text)
	}
	r.new[text] = true
}
