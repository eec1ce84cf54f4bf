package stats

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/internal/sysmem"
	"github.com/assetcook/assetcook/profile/guid"
)

// A Past is a run in the history.
type Past struct {
	ID     guid.ID          `json:"run,omitzero"` // zero if an old version wrote it
	At     time.Time        `json:"at"`
	Took   time.Duration    `json:"took_ns"`
	Stages []Stage          `json:"stages"`
	Counts map[string]int64 `json:"counts"` // Stats.Values without zeros
	Detail *execute.Detail  `json:"detail,omitempty"`
}

// A Stage is the cost of one stage of a pass.
type Stage struct {
	Name string        `json:"stage"` // as in Observer.Stage
	Took time.Duration `json:"ns"`    // wall time, summed over repetitions
	// PeakRSS is the peak of the process's physical memory by the end of the stage, in
	// bytes. It is 0 if the system does not tell.
	PeakRSS int64 `json:"peak_rss"`
}

// Line returns the line of a run for the history.
func (p *Past) Line(s *Stats) ([]byte, error) {
	p.Counts = map[string]int64{}
	for name, value := range s.Values() {
		if value != 0 {
			p.Counts[name] = value
		}
	}
	return json.Marshal(p)
}

// ParsePast parses a line of the history.
func ParsePast(line []byte) (p Past, ok bool) {
	err := json.Unmarshal(line, &p)
	return p, err == nil && !p.At.IsZero()
}

// KeptLine returns a line of the history as it is kept: without detail if brief, nil for a torn
// line.
func KeptLine(line []byte, brief bool) []byte {
	p, ok := ParsePast(line)
	if !ok {
		return nil
	}
	if !brief || p.Detail == nil {
		return line
	}
	p.Detail = nil
	line, err := json.Marshal(p)
	if err != nil {
		return nil
	}
	return line
}

// A stopwatch measures the stages of a pass.
type stopwatch struct {
	now    func() time.Time
	stages []Stage // in the order of their first begin
	at     int     // the current stage
	begun  time.Time
}

// begin ends the current stage and begins another.
func (w *stopwatch) begin(name string) {
	w.end()
	w.at = slices.IndexFunc(w.stages, func(s Stage) bool { return s.Name == name })
	if w.at < 0 {
		w.at = len(w.stages)
		w.stages = append(w.stages, Stage{Name: name})
	}
	w.begun = w.now()
}

// end ends the current stage, if any.
func (w *stopwatch) end() {
	if w.begun.IsZero() {
		return
	}
	s := &w.stages[w.at]
	s.Took += w.now().Sub(w.begun)
	s.PeakRSS = sysmem.PeakRSS()
	w.begun = time.Time{}
}
