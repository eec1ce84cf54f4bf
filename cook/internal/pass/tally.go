package pass

import (
	"iter"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
)

// A Count is how many actions had one outcome, and what they amount to.
type Count struct {
	Assets int           `json:"assets"`
	In     int64         `json:"bytes_in"`  // of their sources
	Out    int64         `json:"bytes_out"` // of their artifacts
	Time   time.Duration `json:"ns"`        // spent on them, summed over the workers
}

func (c *Count) add(e *execute.Event) {
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

// Outcomes count actions by how they ended.
type Outcomes struct {
	ByStamp    Count // up to date: the stamps said so
	ByChecksum Count // up to date: something was touched, and its content is the same
	Unchanged  Count
	Restored   Count
	Cooked     Count
	NotShipped Count
	Failed     Count
	NotReached Count
}

// A Tally is what a pass amounts to. Each action found has exactly one outcome.
type Tally struct {
	Found Count
	Outcomes
	Removed     Count // artifacts
	Checksummed Count // files that were read to find out what differs
	Errors      int   // failures that are no action's
	Warnings    int
	Looked      Looked
	Saved       time.Duration // recorded cook time of what was not cooked
	Remote      remote.Stats  // what passed between the run and the server on which results are shared
}

// Looked counts system calls.
type Looked struct {
	Opened int64 `json:"folders_opened"`
	Listed int64 `json:"folders_listed"`
	Stats  int64 `json:"stats"` // of sources, outputs, folders, dependencies and programs
}

// countEvent counts an event.
func (t *Tally) countEvent(e *execute.Event) {
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
		t.Removed.add(e)
		return
	}
	t.Found.add(e)
	switch e.Outcome {
	case execute.UpToDate:
		t.Saved += e.CookTime
		if e.Reasons[0].Kind == plan.SameStamp {
			t.ByStamp.add(e)
		} else {
			t.ByChecksum.add(e)
		}
	case execute.Restored:
		t.Saved += e.CookTime
		t.Restored.add(e)
	case execute.Unchanged:
		t.Unchanged.add(e)
	case execute.Cooked:
		t.Cooked.add(e)
	case execute.NotShipped:
		t.NotShipped.add(e)
	case execute.NotReached:
		t.NotReached.add(e)
	case execute.Failed:
		t.Failed.add(e)
	}
}

// addRest counts the actions of which there are no events: all of rest are up to date,
// those of touched by their checksums.
func (t *Tally) addRest(rest, touched index.Totals) {
	t.Found.addTotals(rest)
	t.ByChecksum.addTotals(touched)
	t.ByStamp.addTotals(index.Totals{Actions: rest.Actions - touched.Actions, In: rest.In - touched.In, Out: rest.Out - touched.Out})
	t.Saved += rest.CookTime
}

// UpToDate is how many actions needed no work.
func (t *Tally) UpToDate() int { return t.ByStamp.Assets + t.ByChecksum.Assets }

// Failures is how much went wrong.
func (t *Tally) Failures() int { return t.Failed.Assets + t.Errors }

// Worked reports whether anything was done; failing again is nothing.
func (t *Tally) Worked() bool {
	return t.Cooked.Assets+t.Restored.Assets+t.Unchanged.Assets+t.NotShipped.Assets+t.Removed.Assets > 0
}

// Values yields every number of a tally under the name of its counter. Names and their
// order are always the same.
func (t *Tally) Values() iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for _, c := range [...]struct {
			name string
			*Count
		}{
			{"cook/found", &t.Found},
			{"cook/skip/stamp", &t.ByStamp},
			{"cook/skip/checksum", &t.ByChecksum},
			{"cook/unchanged", &t.Unchanged},
			{"cook/restore", &t.Restored},
			{"cook/cook", &t.Cooked},
			{"cook/not_shipped", &t.NotShipped},
			{"cook/fail", &t.Failed},
			{"cook/not_reached", &t.NotReached},
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
