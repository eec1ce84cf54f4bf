package cook

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/pass"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/stats"
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
	NotShipped Count `json:"not_shipped"` // cooked assets hold them
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

	// Remote is what passed between the run and Project.Remote; nil if nothing was asked.
	Remote *Traffic `json:"remote,omitempty"`

	// Copied are the files that a first run copies because neither a recipe nor a rule is
	// for them, LeftOut what it leaves out though no .cookignore says so; the biggest first.
	Copied  []Kind `json:"copied,omitempty"`
	LeftOut []Kind `json:"left_out,omitempty"`
	// First says that nothing had been cooked into the output folder before. Then Preset is that
	// of recipe image as which the command cook finds pictures to look that no rule has one
	// for: "2d", "3d", or "" if it cannot tell.
	First  bool   `json:"-"`
	Preset string `json:"preset,omitempty"`
	// Behind are targets that were cooked before, were not asked for, and are no longer up to
	// date, as the run has found; "" is the one without a name.
	Behind []string `json:"behind,omitempty"`
}

// A Kind is all files with one extension, or left out by one name.
type Kind = pass.Kind

// Traffic is what passed between a run and a server on which results are shared.
type Traffic struct {
	Looked     int64         `json:"looked"`              // assets whose results were looked for
	Hits       int64         `json:"hits"`                // those that had one
	Downloaded int64         `json:"downloaded"`          // artifacts
	Down       int64         `json:"bytes_down"`          // of them
	Uploaded   int64         `json:"uploaded"`            // results
	Up         int64         `json:"bytes_up"`            // of their artifacts and of inputs, as far as the server did not have them
	Left       int64         `json:"left,omitempty"`      // results that the next run uploads
	Dear       int64         `json:"dear,omitempty"`      // results that take longer to download than to cook
	Executed   int64         `json:"executed"`            // assets that other machines have cooked
	Untrusted  int64         `json:"untrusted,omitempty"` // results that no trusted key has signed
	Requests   int64         `json:"requests"`
	Waited     time.Duration `json:"waited_ns"` // for the server's first answer
}

func traffic(s remote.Stats) *Traffic {
	if s == (remote.Stats{}) {
		return nil
	}
	return (*Traffic)(&s)
}

// Calls are system calls.
type Calls struct {
	Opened int64 `json:"folders_opened"`
	Listed int64 `json:"folders_listed"`
	Stats  int64 `json:"stats"` // of sources, outputs, folders, dependencies and programs
}

func summarize(t *stats.Stats, took time.Duration) Summary {
	return Summary{
		Found: Count(t.Found), ByStamp: Count(t.Outcomes.ByStamp), ByChecksum: Count(t.Outcomes.ByChecksum), Unchanged: Count(t.Outcomes.Unchanged),
		Restored: Count(t.Outcomes.Restored), Cooked: Count(t.Outcomes.Cooked), NotShipped: Count(t.Outcomes.NotShipped), Failed: Count(t.Outcomes.Failed), NotReached: Count(t.Outcomes.NotReached),
		Removed: Count(t.Removed), Errors: t.Errors, Warnings: t.Warnings, Checksummed: Count(t.Checksummed),
		Looked: Calls(t.Looked), Saved: t.Saved, Took: took, Remote: traffic(t.Remote),
	}
}

// Values yields every number of a summary but the wall time, under the name of its
// counter. Names and their order are always the same.
func (s *Summary) Values() iter.Seq2[string, int64] {
	t := stats.Stats{
		Found: stats.Count(s.Found), Removed: stats.Count(s.Removed), Checksummed: stats.Count(s.Checksummed),
		Errors: s.Errors, Warnings: s.Warnings, Looked: stats.Looked(s.Looked), Saved: s.Saved,
		Outcomes: stats.Outcomes{
			ByStamp: stats.Count(s.ByStamp), ByChecksum: stats.Count(s.ByChecksum), Unchanged: stats.Count(s.Unchanged),
			Restored: stats.Count(s.Restored), Cooked: stats.Count(s.Cooked), NotShipped: stats.Count(s.NotShipped), Failed: stats.Count(s.Failed), NotReached: stats.Count(s.NotReached),
		},
	}
	return t.Values()
}

// UpToDate is how many assets needed no work.
func (s *Summary) UpToDate() int { return s.ByStamp.Assets + s.ByChecksum.Assets }

// Failures is how much went wrong: 0 is what a caller wants.
func (s *Summary) Failures() int { return s.Failed.Assets + s.Errors }

// String is the last line of a run: what there is none of is not in it, but for the assets.
func (s Summary) String() string {
	var parts []string
	part := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	part(s.UpToDate(), "up to date")
	part(s.Unchanged.Assets, "unchanged")
	part(s.Restored.Assets, "restored")
	part(s.Cooked.Assets, "cooked")
	part(s.NotShipped.Assets, "not shipped")
	part(s.Failed.Assets, "failed")
	part(s.NotReached.Assets, "not reached")
	if s.Removed.Assets > 0 {
		parts = append(parts, human.Count(s.Removed.Assets, "output")+" removed")
	}
	if s.Errors > 0 {
		parts = append(parts, human.Count(s.Errors, "other error"))
	}
	line := human.Count(s.Found.Assets, "asset")
	if len(parts) > 0 {
		line += ": " + strings.Join(parts, ", ")
	}
	line += " in " + human.Duration(s.Took)
	if s.Saved > 0 {
		line += " (saved " + human.Duration(s.Saved) + ")"
	}
	if s.Remote != nil {
		line += fmt.Sprintf(" (remote: %v)", remote.Stats(*s.Remote))
	}
	if s.DryRun {
		line += " (dry run)"
	}
	return line
}
