package cook

import (
	"fmt"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/pass"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/internal/confine"
)

// A Past is a run as the history has it.
type Past struct {
	At     time.Time
	Took   time.Duration
	Counts map[string]int64 // of the counters that were not 0 at the end of the run
}

// History returns the last runs into an output folder that had something to do, oldest
// first, at most 600. A line that is torn, because a run was killed in the middle of
// writing it, is left out.
func History(out string) ([]Past, error) {
	dir, err := confine.Open(out)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	defer dir.Close()
	text, err := state.ReadHistory(dir)
	if err != nil {
		return nil, fmt.Errorf("history of %s: %w", out, err)
	}
	var runs []Past
	for line := range strings.Lines(string(text)) {
		if p, ok := pass.ParsePast([]byte(line)); ok {
			runs = append(runs, Past(p))
		}
	}
	return runs[max(0, len(runs)-state.HistoryRuns):], nil
}
