package cook

import (
	"time"

	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/profile/guid"
)

// A Past is a run as the history has it.
type Past struct {
	ID     guid.ID // see profile.Probe.Run; zero of a run of a version that gave it none
	At     time.Time
	Took   time.Duration    // wall time
	Stages []PastStage      // in the order in which they first began; none of a run of a version that did not measure them
	Counts map[string]int64 // of the counters that were not 0 at the end of the run
}

// A PastStage is what one stage of a run cost.
type PastStage struct {
	Name string        // as Observer.Stage has it
	Took time.Duration // wall time, summed if the run came to the stage again
	// PeakRSS is the most bytes of physical memory that the process had held at once by
	// the end of the stage, mapped files included; 0 where the system does not say. It
	// counts from the start of the process, so it never falls from stage to stage, nor
	// from round to round of a watcher.
	PeakRSS int64
}

// History returns the last runs into an output folder that had something to do, oldest
// first, at most 600. A line that is torn, because a run was killed in the middle of
// writing it, is left out.
func History(out string) ([]Past, error) {
	past, err := survey.Runs(out)
	var runs []Past
	for _, p := range past {
		run := Past{ID: p.ID, At: p.At, Took: p.Took, Counts: p.Counts}
		for _, s := range p.Stages {
			run.Stages = append(run.Stages, PastStage(s))
		}
		runs = append(runs, run)
	}
	return runs, err
}
