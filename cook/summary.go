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

// A Count is the number of assets with one outcome, and the totals of their bytes and times. It has
// the fields
//
//	Assets int
//	In     int64         // bytes of sources
//	Out    int64         // bytes of artifacts
//	Time   time.Duration // working time, added over the workers
type Count = stats.Count

// A Summary has the numbers of a run. An asset with two targets counts twice. Each asset found has
// exactly one outcome, from ByStamp to NotReached.
type Summary struct {
	Found      Count `json:"found"`
	ByStamp    Count `json:"up_to_date_by_stamp"`
	ByChecksum Count `json:"up_to_date_by_checksum"`
	Unchanged  Count `json:"unchanged"` // an input changed, but the artifacts did not
	Restored   Count `json:"restored"`
	Cooked     Count `json:"cooked"`
	NotShipped Count `json:"not_shipped"` // other cooked assets contain the source
	Failed     Count `json:"failed"`
	NotReached Count `json:"not_reached"`
	Removed    Count `json:"removed"` // counts artifacts rather than assets
	// Errors counts failures that concern no asset; Warnings counts likely mistakes in sources.
	Errors   int `json:"errors,omitempty"`
	Warnings int `json:"warnings,omitempty"`

	// Checksummed counts the sources, outputs and tools that were read to find changes.
	Checksummed Count `json:"checksummed"`
	// Told is true if a watcher reported the changes, so that the run did not look for changes
	// itself.
	Told bool `json:"told_by_watcher,omitempty"`
	// Looked counts the system calls that the run made to find changes.
	Looked Calls `json:"looked"`
	// Saved is the recorded cook time of assets that the run did not cook.
	Saved  time.Duration `json:"saved_ns"`
	Took   time.Duration `json:"took_ns"` // wall time
	DryRun bool          `json:"dry_run,omitempty"`
	// Expected is the time that a run would spend on cooking, estimated by a dry run. The estimate
	// adds the last cook times and divides by the workers. New assets count as other assets with
	// the same recipe, by size.
	Expected time.Duration `json:"expected_ns,omitempty"`

	// Remote counts the traffic with Project.Remote; nil if there was none.
	Remote *Traffic `json:"remote,omitempty"`

	// Copied are the files that a first run copied because no recipe or rule applies. LeftOut are
	// the files that the default ignore patterns excluded, because there is no .cookignore. Both
	// are sorted by size, largest first.
	Copied  []Kind `json:"copied,omitempty"`
	LeftOut []Kind `json:"left_out,omitempty"`
	// First is true if nothing was cooked into the output directory before. The cook command then
	// sets Preset to the suggested preset for images without a rule: "2d", "3d" or "".
	First bool `json:"-"`
	// AnyEngine is true if a first run assumed the engine "any" because no engine was named.
	AnyEngine bool   `json:"any_engine,omitempty"`
	Preset    string `json:"preset,omitempty"`
	// Behind lists stale targets of earlier runs that this run did not cook; "" is the unnamed
	// target.
	Behind []string `json:"behind,omitempty"`
}

// A Kind is all files with one extension, such as ".spm", or without one (""). For files and
// directories that were left out because of their names, Name is the name. Directory names end with
// a slash. A Kind has the fields
//
//	Name  string
//	Files int
//	Bytes int64 // 0 for directories
type Kind = pass.Kind

// Traffic counts the data between a run and Project.Remote. It has the fields
//
//	Looked     int64         // assets looked up on the server
//	Hits       int64         // assets with a result
//	Downloaded int64         // artifacts
//	Down       int64         // bytes of these artifacts
//	Uploaded   int64         // results
//	Up         int64         // bytes of artifacts and inputs that the server lacked
//	Known      int64         // results to upload that the server already had
//	Left       int64         // results that the next run uploads
//	Dear       int64         // results that take longer to download than to cook
//	Unanswered int64         // assets not looked up, because the server did not answer
//	Executed   int64         // assets that other machines cooked
//	Untrusted  int64         // results without a signature of a trusted key
//	Requests   int64
//	Waited     time.Duration // time to the first response of the server
type Traffic = remote.Stats

// Calls counts system calls that look for changes. It has the fields
//
//	Opened int64 // opened directories
//	Listed int64 // listed directories
//	Stats  int64 // stat calls for sources, outputs, directories, dependencies and programs
type Calls = stats.Looked

func summaryOfStats(t *stats.Stats, took time.Duration) Summary {
	s := Summary{
		Found: t.Found, ByStamp: t.Outcomes.ByStamp, ByChecksum: t.Outcomes.ByChecksum, Unchanged: t.Outcomes.Unchanged,
		Restored: t.Outcomes.Restored, Cooked: t.Outcomes.Cooked, NotShipped: t.Outcomes.NotShipped, Failed: t.Outcomes.Failed, NotReached: t.Outcomes.NotReached,
		Removed: t.Removed, Errors: t.Errors, Warnings: t.Warnings, Checksummed: t.Checksummed,
		Looked: t.Looked, Saved: t.Saved, Took: took,
	}
	if t.Remote != (Traffic{}) {
		s.Remote = &t.Remote
	}
	return s
}

// Values yields the numbers of a summary, except the wall time, with the names of their counters.
// The names and their order never change.
func (s *Summary) Values() iter.Seq2[string, int64] {
	t := stats.Stats{
		Found: s.Found, Removed: s.Removed, Checksummed: s.Checksummed,
		Errors: s.Errors, Warnings: s.Warnings, Looked: s.Looked, Saved: s.Saved,
		Outcomes: stats.Outcomes{
			ByStamp: s.ByStamp, ByChecksum: s.ByChecksum, Unchanged: s.Unchanged,
			Restored: s.Restored, Cooked: s.Cooked, NotShipped: s.NotShipped, Failed: s.Failed, NotReached: s.NotReached,
		},
	}
	return t.Values()
}

// UpToDate returns the number of assets that needed no work.
func (s *Summary) UpToDate() int { return s.ByStamp.Assets + s.ByChecksum.Assets }

// Failures returns the number of failures; 0 means success.
func (s *Summary) Failures() int { return s.Failed.Assets + s.Errors }

// String returns the last line that a run prints. It omits counts of 0, except the number of
// assets.
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
		line += fmt.Sprintf(" (remote: %v)", *s.Remote)
	}
	if s.DryRun {
		line += " (dry run)"
	}
	return line
}
