package cook

import (
	"fmt"
	"iter"
	"time"

	"github.com/assetcook/assetcook/cook/internal/pass"
	"github.com/assetcook/assetcook/internal/human"
)

// A Count is how many assets had one outcome, and what they amount to.
type Count struct {
	Assets int           `json:"assets"`
	In     int64         `json:"bytes_in"`  // of their sources
	Out    int64         `json:"bytes_out"` // of their artifacts
	Time   time.Duration `json:"ns"`        // spent on them, summed over the workers
}

// A Summary is what a run amounts to. An asset cooked for two targets counts twice.
// Each one found has exactly one outcome, from ByStamp to NotReached.
type Summary struct {
	Found      Count `json:"found"`
	ByStamp    Count `json:"up_to_date_by_stamp"`
	ByChecksum Count `json:"up_to_date_by_checksum"`
	Unchanged  Count `json:"unchanged"` // an input changed, the artifacts did not
	Restored   Count `json:"restored"`
	Cooked     Count `json:"cooked"`
	Failed     Count `json:"failed"`
	NotReached Count `json:"not_reached"`
	Removed    Count `json:"removed"` // artifacts, not assets
	// Errors are failures that are no asset's, Warnings how often a source looked like a
	// mistake.
	Errors   int `json:"errors,omitempty"`
	Warnings int `json:"warnings,omitempty"`

	// Checksummed is what was read to find out what changed: sources, outputs and tools;
	// Assets counts files here.
	Checksummed Count `json:"checksummed"`
	// Told says that a watcher knew all of this, and that nothing was looked at.
	Told bool `json:"told_by_watcher,omitempty"`
	// Looked counts the system calls that told what is there.
	Looked Calls `json:"looked"`
	// Saved is the estimated cook time avoided: as recorded, of what was not cooked.
	Saved  time.Duration `json:"saved_ns"`
	Took   time.Duration `json:"took_ns"` // wall time
	DryRun bool          `json:"dry_run,omitempty"`
}

// Calls are system calls.
type Calls struct {
	Opened int64 `json:"folders_opened"`
	Listed int64 `json:"folders_listed"`
	Stats  int64 `json:"stats"` // of sources, outputs, folders, dependencies and programs
}

func summarize(t *pass.Tally, took time.Duration) Summary {
	return Summary{
		Found: Count(t.Found), ByStamp: Count(t.ByStamp), ByChecksum: Count(t.ByChecksum), Unchanged: Count(t.Unchanged),
		Restored: Count(t.Restored), Cooked: Count(t.Cooked), Failed: Count(t.Failed), NotReached: Count(t.NotReached),
		Removed: Count(t.Removed), Errors: t.Errors, Warnings: t.Warnings, Checksummed: Count(t.Checksummed),
		Looked: Calls(t.Looked), Saved: t.Saved, Took: took,
	}
}

// Values yields every number of a summary but the wall time, under the name of its
// counter. Names and their order are always the same.
func (s *Summary) Values() iter.Seq2[string, int64] {
	t := pass.Tally{
		Found: pass.Count(s.Found), Removed: pass.Count(s.Removed), Checksummed: pass.Count(s.Checksummed),
		Errors: s.Errors, Warnings: s.Warnings, Looked: pass.Looked(s.Looked), Saved: s.Saved,
		Outcomes: pass.Outcomes{
			ByStamp: pass.Count(s.ByStamp), ByChecksum: pass.Count(s.ByChecksum), Unchanged: pass.Count(s.Unchanged),
			Restored: pass.Count(s.Restored), Cooked: pass.Count(s.Cooked), Failed: pass.Count(s.Failed), NotReached: pass.Count(s.NotReached),
		},
	}
	return t.Values()
}

// UpToDate is how many assets needed no work.
func (s *Summary) UpToDate() int { return s.ByStamp.Assets + s.ByChecksum.Assets }

// Failures is how much went wrong: 0 is what a caller wants.
func (s *Summary) Failures() int { return s.Failed.Assets + s.Errors }

// String is the last line of a run. Its form is fixed, for scripts; what is not always
// there comes last.
func (s Summary) String() string {
	line := fmt.Sprintf("%s: %d up to date, %d unchanged, %d restored, %d cooked, %d failed in %s (saved %s)",
		human.Count(s.Found.Assets, "asset"), s.UpToDate(), s.Unchanged.Assets, s.Restored.Assets, s.Cooked.Assets, s.Failed.Assets,
		human.Duration(s.Took), human.Duration(s.Saved))
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
