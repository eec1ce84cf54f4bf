package cook

import (
	"github.com/assetcook/assetcook/cook/internal/stats"
	"github.com/assetcook/assetcook/cook/internal/survey"
)

// A Past is a run in the history. It has the fields
//
//	ID     guid.ID          // as profile.Probe.Run; zero for a run of a version without IDs
//	At     time.Time
//	Took   time.Duration    // wall time
//	Stages []PastStage      // in the order in which they first began
//	Counts map[string]int64 // counters that were not 0 at the end of the run
//	Detail *Detail          // of the newest runs only; its type is internal
type Past = stats.Past

// A PastStage is the cost of one stage of a run. It has the fields
//
//	Name    string        // as in Observer.Stage
//	Took    time.Duration // wall time, summed if the stage came again
//	PeakRSS int64         // most physical memory of the process until then, in bytes; 0 if unknown
type PastStage = stats.Stage

// History returns the last runs into an output directory that had something to do, oldest first, at
// most 600. It skips lines that a killed run did not finish.
func History(out string) ([]Past, error) { return survey.Runs(out) }
