// Package stats counts the work of a pass and keeps the counts in the history.
//
// A [Meter] is the observer of every pass: it adds up events in [Stats], publishes the sums to
// the counters and recordings of a profile, and forwards everything. A [Past] is a pass in the
// history.
package stats

import (
	"encoding/json"
	"iter"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/profile/guid"
)

// A Count is the number of actions with one outcome, and their sums.
type Count struct {
	Assets int           `json:"assets"`
	In     int64         `json:"bytes_in"`  // size of the sources
	Out    int64         `json:"bytes_out"` // size of the artifacts
	Time   time.Duration `json:"ns"`        // time spent, summed over the workers
}

// AddEvent counts the action of an event.
func (c *Count) AddEvent(e *execute.Event) {
	c.Assets++
	c.In += e.In
	c.Out += e.Out
	c.Time += e.Took
}

func (c *Count) addTotals(t index.Totals) {
	c.Assets += t.Actions
	c.In += t.In
	c.Out += t.Out
}

// Outcomes holds a count of actions for each outcome.
type Outcomes struct {
	ByStamp    Count // actions that are up to date because their stamps are unchanged
	ByChecksum Count // actions that are up to date by the checksums of touched files
	Unchanged  Count
	Restored   Count
	Cooked     Count
	NotShipped Count
	Failed     Count
	NotReached Count
}

// Stats are the counts of a pass. Each action in Found is counted in exactly one outcome.
type Stats struct {
	Found       Count
	Outcomes    Outcomes
	Removed     Count // removed artifacts
	Checksummed Count // files read to find differences
	Errors      int   // failures not tied to an action
	Warnings    int
	Looked      Looked
	Saved       time.Duration // recorded cook time of actions that were not cooked now
	Remote      remote.Stats  // traffic with the server that shares results
}

// Looked counts the system calls that check for changes.
type Looked struct {
	Opened int64 `json:"folders_opened"`
	Listed int64 `json:"folders_listed"`
	Stats  int64 `json:"stats"` // stat calls of sources, outputs, directories, dependencies and programs
}

// AddEvent counts an event.
func (t *Stats) AddEvent(e *execute.Event) {
	switch {
	case e.Outcome == execute.Started:
		return
	case e.Outcome == execute.Warned:
		t.Warnings++
		return
	case e.Outcome == execute.Error:
		t.Errors++
		return
	case e.Outcome == execute.Removed:
		t.Removed.AddEvent(e)
		return
	}
	t.Found.AddEvent(e)
	switch e.Outcome {
	case execute.UpToDate:
		t.Saved += e.CookTime
		if e.Reasons[0].Kind == plan.SameStamp {
			t.Outcomes.ByStamp.AddEvent(e)
		} else {
			t.Outcomes.ByChecksum.AddEvent(e)
		}
	case execute.Restored:
		t.Saved += e.CookTime
		t.Outcomes.Restored.AddEvent(e)
	case execute.Unchanged:
		t.Outcomes.Unchanged.AddEvent(e)
	case execute.Cooked:
		t.Outcomes.Cooked.AddEvent(e)
	case execute.NotShipped:
		t.Outcomes.NotShipped.AddEvent(e)
	case execute.NotReached:
		t.Outcomes.NotReached.AddEvent(e)
	case execute.Failed:
		t.Outcomes.Failed.AddEvent(e)
	}
}

// AddUpToDate counts up-to-date actions that have no events. all has the totals of all these
// actions. touched has the totals of those with touched files, which are up to date by checksum.
// The other actions are up to date by stamp.
func (t *Stats) AddUpToDate(all, touched index.Totals) {
	t.Found.addTotals(all)
	t.Outcomes.ByChecksum.addTotals(touched)
	t.Outcomes.ByStamp.addTotals(index.Totals{Actions: all.Actions - touched.Actions, In: all.In - touched.In, Out: all.Out - touched.Out})
	t.Saved += all.CookTime
}

// UpToDate returns the number of actions that needed no work.
func (t *Stats) UpToDate() int { return t.Outcomes.ByStamp.Assets + t.Outcomes.ByChecksum.Assets }

// Failures returns the number of failures.
func (t *Stats) Failures() int { return t.Outcomes.Failed.Assets + t.Errors }

// Worked reports whether the pass changed anything. Repeating a failure is not a change.
func (t *Stats) Worked() bool {
	return t.Outcomes.Cooked.Assets+t.Outcomes.Restored.Assets+t.Outcomes.Unchanged.Assets+t.Outcomes.NotShipped.Assets+t.Removed.Assets > 0
}

// Values yields each value with the name of its counter. The names and their order are the same in
// all versions.
func (t *Stats) Values() iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for _, c := range [...]struct {
			name string
			*Count
		}{
			{"cook/found", &t.Found},
			{"cook/skip/stamp", &t.Outcomes.ByStamp},
			{"cook/skip/checksum", &t.Outcomes.ByChecksum},
			{"cook/unchanged", &t.Outcomes.Unchanged},
			{"cook/restore", &t.Outcomes.Restored},
			{"cook/cook", &t.Outcomes.Cooked},
			{"cook/not_shipped", &t.Outcomes.NotShipped},
			{"cook/fail", &t.Outcomes.Failed},
			{"cook/not_reached", &t.Outcomes.NotReached},
			{"cook/remove", &t.Removed},
			{"cook/checksum", &t.Checksummed},
		} {
			if !yield(c.name+"/count", int64(c.Assets)) || !yield(c.name+"/bytes_in", c.In) ||
				!yield(c.name+"/bytes_out", c.Out) || !yield(c.name+"/ns", int64(c.Time)) {
				return
			}
		}
		_ = yield("cook/look/folders_opened", t.Looked.Opened) && yield("cook/look/folders_listed", t.Looked.Listed) &&
			yield("cook/look/stats", t.Looked.Stats) && yield("cook/saved_ns", int64(t.Saved)) && yield("cook/errors", int64(t.Errors))
	}
}

// A Past is a run as recorded in the history.
type Past struct {
	ID     guid.ID          `json:"run,omitzero"` // zero if an old version wrote it
	At     time.Time        `json:"at"`
	Took   time.Duration    `json:"took_ns"`
	Stages []Stage          `json:"stages"`
	Counts map[string]int64 `json:"counts"` // nonzero values of Stats.Values
	Detail *execute.Detail  `json:"detail,omitempty"`
}

// A Stage is the cost of one stage of a pass.
type Stage struct {
	Name string        `json:"stage"` // name as in Observer.Stage
	Took time.Duration `json:"ns"`    // wall time, summed over repetitions
	// PeakRSS is the peak physical memory of the process up to the end of the stage, in bytes; 0 if
	// the system does not report it.
	PeakRSS int64 `json:"peak_rss"`
}

// Line returns the history line of a run.
func (p *Past) Line(s *Stats) ([]byte, error) {
	p.Counts = map[string]int64{}
	for name, value := range s.Values() {
		if value != 0 {
			p.Counts[name] = value
		}
	}
	return json.Marshal(p)
}

// ParsePast parses a line of the history.
func ParsePast(line []byte) (p Past, ok bool) {
	err := json.Unmarshal(line, &p)
	return p, err == nil && !p.At.IsZero()
}

// KeptLine returns a line of the history in the form to keep. If brief is set, it removes the
// detail. For an incomplete line, it returns nil.
func KeptLine(line []byte, brief bool) []byte {
	p, ok := ParsePast(line)
	if !ok {
		return nil
	}
	if !brief || p.Detail == nil {
		return line
	}
	p.Detail = nil
	line, err := json.Marshal(p)
	if err != nil {
		return nil
	}
	return line
}
