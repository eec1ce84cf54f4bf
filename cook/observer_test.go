package cook_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
)

// A recorder is an observer that records what it is called with. It has no lock, because
// a run calls its observer from one goroutine at a time; the race detector checks that.
type recorder struct {
	failed []string // "source: error"
	warned []string // "source: warning"
	notes  []string
}

func (r *recorder) Stage(string)               {}
func (r *recorder) Planned(int, time.Duration) {}
func (r *recorder) Note(text string)           { r.notes = append(r.notes, text) }
func (r *recorder) Event(e cook.Event) {
	switch e.Outcome {
	case cook.Warned:
		r.warned = append(r.warned, fmt.Sprintf("%s: %v", e.Path, e.Err))
	case cook.Failed, cook.Error:
		r.failed = append(r.failed, fmt.Sprintf("%s: %v", e.Path, e.Err))
	}
}

// failure returns the error of a source, or "".
func (r *recorder) failure(source string) string {
	for _, line := range r.failed {
		if text, ok := strings.CutPrefix(line, source+": "); ok {
			return text
		}
	}
	return ""
}

// hooks is an observer that calls the functions that are not nil.
type hooks struct {
	stage func(name string)
	event func(cook.Event)
	note  func(text string)
}

func (h hooks) Planned(int, time.Duration) {}
func (h hooks) Stage(name string) {
	if h.stage != nil {
		h.stage(name)
	}
}
func (h hooks) Event(e cook.Event) {
	if h.event != nil {
		h.event(e)
	}
}
func (h hooks) Note(text string) {
	if h.note != nil {
		h.note(text)
	}
}

// failOnFailure returns an observer that fails the test when an asset fails.
func failOnFailure(t testing.TB) cook.Observer {
	return hooks{event: func(e cook.Event) {
		if e.Outcome == cook.Failed {
			t.Errorf("%s: %v", e.Path, e.Err)
		}
	}}
}
