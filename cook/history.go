package cook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// historyName is the file of what the last runs came to, a line of JSON each. It is
// for people and charts: no run depends on it.
const historyName = plan.StateDir + "/history"

const (
	// historyRuns is how many runs are told of. There may be more in the file.
	historyRuns = 600
	// historyBytes is about twice what so many lines come to if each has all its
	// numbers.
	historyBytes = 2 * historyRuns * 1024
)

// A Past is a run as the history has it.
type Past struct {
	At   time.Time     `json:"at"`
	Took time.Duration `json:"took_ns"`
	// Counts are the numbers of report.Summary.Values that were not 0.
	Counts map[string]int64 `json:"counts"`
}

// History returns the last runs into an output folder that had something to do,
// oldest first, at most 600. A line that is torn, because a run was killed amid
// writing it, is left out.
func History(out string) ([]Past, error) {
	dir, err := confine.Open(out)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	defer dir.Close()
	f, err := dir.OpenFile(historyName)
	if pathname.IsAbsent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("history of %s: %w", out, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > 2*historyBytes {
		_, err = f.Seek(info.Size()-2*historyBytes, io.SeekStart)
		if err != nil {
			return nil, fmt.Errorf("history of %s: %w", out, err)
		}
	}
	text, err := io.ReadAll(io.LimitReader(f, 3*historyBytes))
	if err != nil {
		return nil, fmt.Errorf("history of %s: %w", out, err)
	}
	var runs []Past
	for line := range strings.Lines(string(text)) {
		if p, ok := parsePast([]byte(line)); ok {
			runs = append(runs, p)
		}
	}
	return runs[max(0, len(runs)-historyRuns):], nil
}

func parsePast(line []byte) (p Past, ok bool) {
	err := json.Unmarshal(line, &p)
	return p, err == nil && !p.At.IsZero()
}

// remember adds this run to the history if it did something; to fail again is
// nothing. That it cannot is worth a note and nothing else.
func (k *kitchen) remember() {
	s := &k.summary
	if k.DryRun || s.Cooked.Assets+s.Restored.Assets+s.Cutoff.Assets+s.Removed.Assets == 0 {
		return
	}
	if err := k.addToHistory(); err != nil {
		k.Observer.Note(fmt.Sprintf("history %s: %v", k.outFile(historyName), err))
	}
}

func (k *kitchen) addToHistory() error {
	p := Past{At: k.started, Took: k.summary.Took, Counts: map[string]int64{}}
	for name, value := range k.summary.Values() {
		if value != 0 {
			p.Counts[name] = value
		}
	}
	line, err := json.Marshal(p)
	if err != nil {
		return err
	}
	root := k.out.Root()
	info, err := root.Lstat(historyName)
	if err == nil && !info.Mode().IsRegular() {
		return regular.Mode(info.Mode())
	}
	if err == nil && info.Size() > historyBytes {
		if err := k.shortenHistory(); err != nil {
			return err
		}
	}
	f, err := root.OpenFile(historyName, os.O_CREATE|os.O_APPEND|os.O_WRONLY|regular.NoWait, 0o666)
	if err != nil {
		return err
	}
	// A line break first ends what a killed run may have left of its line.
	_, err = f.Write(fmt.Appendf(nil, "\n%s", line))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// shortenHistory leaves the last runs of a history that has become long.
func (k *kitchen) shortenHistory() error {
	text, err := k.readState(historyName)
	if err != nil {
		return err
	}
	var lines [][]byte
	size := 0
	for _, line := range slices.Backward(bytes.Split(text, []byte("\n"))) {
		if _, ok := parsePast(line); !ok {
			continue
		}
		if size += len(line) + 1; size > historyBytes/2 {
			break
		}
		lines = append(lines, line)
	}
	slices.Reverse(lines)
	return k.put(historyName, append([]byte("\n"), bytes.Join(lines, []byte("\n"))...), notAwaited)
}
