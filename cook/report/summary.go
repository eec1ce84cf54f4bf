// Package report tells people and programs what a run did: lines, JSON, a
// progress bar, counters, and the one line that comes last.
//
// All of it is computed from the run's events, so nothing that is shown can
// disagree with another thing that is shown.
package report

import (
	"fmt"
	"io"
	"iter"
	"text/tabwriter"
	"time"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/run"
)

// A Count is how many assets had one outcome, and what they amount to.
type Count struct {
	Assets int           `json:"assets"`
	In     int64         `json:"bytes_in"`  // of their sources
	Out    int64         `json:"bytes_out"` // of their artifacts
	Time   time.Duration `json:"ns"`        // spent on them, summed over the workers
}

func (c *Count) add(e run.Event) {
	c.Assets++
	c.In += e.In
	c.Out += e.Out
	c.Time += e.Took
}

// Calls are system calls.
type Calls struct {
	Opened int64 `json:"folders_opened"`
	Listed int64 `json:"folders_listed"`
	Stats  int64 `json:"stats"` // of sources, outputs, folders, dependencies and programs
}

// A Summary is what a whole run amounts to. An asset cooked for two targets
// counts twice. Each one found has exactly one outcome, from ByStamp to NotReached.
type Summary struct {
	Found      Count `json:"found"`
	ByStamp    Count `json:"up_to_date_by_stamp"`
	ByChecksum Count `json:"up_to_date_by_checksum"`
	Cutoff     Count `json:"cutoff"`
	Restored   Count `json:"restored"`
	Cooked     Count `json:"cooked"`
	Failed     Count `json:"failed"`
	NotReached Count `json:"not_reached"`
	Removed    Count `json:"removed"` // artifacts, not assets
	// Errors are failures that are no asset's: a folder that could not be listed, an
	// artifact of a source that is gone that could not be removed.
	Errors int `json:"errors,omitempty"`
	// Warnings is how often something was odd about a source.
	Warnings int `json:"warnings,omitempty"`

	// Checksummed is what was read to find out what changed: sources, outputs
	// and tools; Assets counts files here.
	Checksummed Count `json:"checksummed"`
	// Told says that a watcher knew all of this and nothing was looked at.
	Told bool `json:"told_by_watcher,omitempty"`
	// Looked counts the system calls that told what is there.
	Looked Calls `json:"looked"`
	// Saved is the recorded cook time of what was not cooked.
	Saved time.Duration `json:"saved_ns"`
	// Took is the wall time of the run.
	Took   time.Duration `json:"took_ns"`
	DryRun bool          `json:"dry_run,omitempty"`
}

// Add counts an event.
func (s *Summary) Add(e run.Event) {
	if e.Started {
		return
	}
	switch e.Outcome {
	case run.Warned:
		s.Warnings++
		return
	case run.Removed:
		s.Removed.add(e)
		return
	case run.UpToDate:
		if e.Reasons[0].Kind == plan.SameStamp {
			s.ByStamp.add(e)
		} else {
			s.ByChecksum.add(e)
		}
		s.Saved += e.CookTime
	case run.Restored:
		s.Restored.add(e)
		s.Saved += e.CookTime
	case run.Cutoff:
		s.Cutoff.add(e)
	case run.Cooked:
		s.Cooked.add(e)
	case run.NotReached:
		s.NotReached.add(e)
	default:
		if e.Action == nil {
			s.Errors++
			return
		}
		s.Failed.add(e)
	}
	s.Found.add(e)
}

// Failures is how many things went wrong: 0 is what a caller wants.
func (s *Summary) Failures() int { return s.Failed.Assets + s.Errors }

// Rest counts the assets of which there were no events because the index vouches
// for all of them: all of rest are up to date, those of touched by their
// checksums.
func (s *Summary) Rest(rest, touched index.Totals) {
	s.Found.rest(rest)
	s.ByChecksum.rest(touched)
	s.ByStamp.rest(index.Totals{Actions: rest.Actions - touched.Actions, In: rest.In - touched.In, Out: rest.Out - touched.Out})
	s.Saved += rest.CookTime
}

func (c *Count) rest(t index.Totals) {
	c.Assets += t.Actions
	c.In += t.In
	c.Out += t.Out
}

// Values yields every number of the summary, but for the wall time, under the name
// of its counter. Names and their order are always the same.
func (s *Summary) Values() iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for _, c := range [...]struct {
			name string
			Count
		}{
			{"cook/found", s.Found},
			{"cook/skip/stamp", s.ByStamp},
			{"cook/skip/checksum", s.ByChecksum},
			{"cook/cutoff", s.Cutoff},
			{"cook/restore", s.Restored},
			{"cook/cook", s.Cooked},
			{"cook/fail", s.Failed},
			{"cook/not_reached", s.NotReached},
			{"cook/remove", s.Removed},
			{"cook/checksum", s.Checksummed},
		} {
			if !yield(c.name+"/count", int64(c.Assets)) || !yield(c.name+"/bytes_in", c.In) ||
				!yield(c.name+"/bytes_out", c.Out) || !yield(c.name+"/ns", int64(c.Time)) {
				return
			}
		}
		_ = yield("cook/look/folders_opened", s.Looked.Opened) && yield("cook/look/folders_listed", s.Looked.Listed) &&
			yield("cook/look/stats", s.Looked.Stats) && yield("cook/saved_ns", int64(s.Saved)) && yield("cook/errors", int64(s.Errors))
	}
}

// UpToDate is how many assets needed no work.
func (s *Summary) UpToDate() int { return s.ByStamp.Assets + s.ByChecksum.Assets }

// Line is the last line of every run. Its form is fixed, for scripts; what is not
// always there comes last.
func (s *Summary) Line() string {
	line := fmt.Sprintf("cook: %d assets: %d up to date, %d cutoff, %d restored, %d cooked, %d failed in %s (saved %s)",
		s.Found.Assets, s.UpToDate(), s.Cutoff.Assets, s.Restored.Assets, s.Cooked.Assets, s.Failed.Assets,
		Duration(s.Took), Duration(s.Saved))
	if s.NotReached.Assets > 0 {
		line += fmt.Sprintf(", %d not reached", s.NotReached.Assets)
	}
	if s.Errors > 0 {
		line += fmt.Sprintf(", other errors: %d", s.Errors)
	}
	if s.DryRun {
		line += " (dry run)"
	}
	return line
}

// WriteTable prints the counters.
func (s *Summary) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "counter\tassets\tbytes in\tbytes out\ttime\t")
	row := func(name string, c Count) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%s\t\n", name, c.Assets, c.In, c.Out, Duration(c.Time))
	}
	row("found", s.Found)
	row("up to date by stamp", s.ByStamp)
	row("up to date by checksum", s.ByChecksum)
	row("cutoff", s.Cutoff)
	row("restored", s.Restored)
	row("cooked", s.Cooked)
	row("failed", s.Failed)
	row("not reached", s.NotReached)
	row("removed", s.Removed)
	row("files checksummed", s.Checksummed)
	if s.Errors > 0 {
		fmt.Fprintf(t, "other errors\t%d\t\t\t\t\n", s.Errors)
	}
	fmt.Fprintf(t, "folders opened\t%d\t\t\t\t\n", s.Looked.Opened)
	fmt.Fprintf(t, "folders listed\t%d\t\t\t\t\n", s.Looked.Listed)
	fmt.Fprintf(t, "stats\t%d\t\t\t\t\n", s.Looked.Stats)
	fmt.Fprintf(t, "saved\t\t\t\t%s\t\n", Duration(s.Saved))
	fmt.Fprintf(t, "wall\t\t\t\t%s\t\n", Duration(s.Took))
	return t.Flush()
}

// Duration prints a time with three digits at most: 38ms, 1.52s, 14m32s.
func Duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < 10*time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// Bytes prints a size with its unit: 312 B, 4.7 MiB.
func Bytes(n int64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	x, u := float64(n)/1024, 0
	for x >= 1023.95 && u < len(units)-1 {
		x, u = x/1024, u+1
	}
	return fmt.Sprintf("%.1f %ciB", x, units[u])
}
