package survey

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/stats"
	"github.com/assetcook/assetcook/internal/confine"
)

// OutputFolder returns the absolute name of the output directory, given the asset directory and
// the output directory or "".
func OutputFolder(dir, out string) (string, error) {
	if out != "" {
		return filepath.Abs(out)
	}
	dir, err := filepath.Abs(dir)
	return session.DefaultOut(dir), err
}

// Runs returns the last runs of an output directory that had work, oldest first, at most 600. Old
// runs have no detail. It skips a torn line of a killed run.
func Runs(out string) ([]stats.Past, error) {
	dir, err := confine.Open(out)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	defer dir.Close()
	in := state.Open(dir)
	defer in.Close()
	text, err := in.History.Read()
	if err != nil {
		return nil, fmt.Errorf("history of %s: %w", out, err)
	}
	var runs []stats.Past
	for line := range strings.Lines(string(text)) {
		if p, ok := stats.ParsePast([]byte(line)); ok {
			runs = append(runs, p)
		}
	}
	return runs[max(0, len(runs)-state.HistoryRuns):], nil
}
