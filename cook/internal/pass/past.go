package pass

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/internal/sysmem"
	"github.com/assetcook/assetcook/profile/guid"
)

// A Past is a run as the history has it.
type Past struct {
	ID     guid.ID          `json:"run,omitzero"` // zero of a run of a version that gave it none
	At     time.Time        `json:"at"`
	Took   time.Duration    `json:"took_ns"`
	Stages []Stage          `json:"stages"`
	Counts map[string]int64 `json:"counts"` // those of Tally.Values that are not 0
	Detail *execute.Detail  `json:"detail,omitempty"`
}

// A Stage is what one stage of a pass cost.
type Stage struct {
	Name string        `json:"stage"` // as Observer.Stage has it
	Took time.Duration `json:"ns"`    // wall time, summed if the pass came to it again
	// PeakRSS is the most bytes of physical memory that the process had held at once by
	// the end of the stage, since it began; 0 if that is not known.
	PeakRSS int64 `json:"peak_rss"`
}

// A stopwatch measures the stages of a pass.
type stopwatch struct {
	now    func() time.Time
	stages []Stage // in the order in which they first began
	at     int     // the one that runs
	begun  time.Time
}

// begin ends the stage that runs and begins another.
func (w *stopwatch) begin(name string) {
	w.end()
	w.at = slices.IndexFunc(w.stages, func(s Stage) bool { return s.Name == name })
	if w.at < 0 {
		w.at = len(w.stages)
		w.stages = append(w.stages, Stage{Name: name})
	}
	w.begun = w.now()
}

// end ends the stage that runs, if any does.
func (w *stopwatch) end() {
	if w.begun.IsZero() {
		return
	}
	s := &w.stages[w.at]
	s.Took += w.now().Sub(w.begun)
	s.PeakRSS = sysmem.PeakRSS()
	w.begun = time.Time{}
}

// ParsePast parses a line of the history.
func ParsePast(line []byte) (p Past, ok bool) {
	err := json.Unmarshal(line, &p)
	return p, err == nil && !p.At.IsZero()
}

// keepPast returns a line of the history as it is kept, nil for one that is torn; brief
// without its detail.
func keepPast(line []byte, brief bool) []byte {
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

// finishPass ends the measurements, and adds the pass to the history if it did something.
// That it cannot is worth a note and nothing else.
func (s *Session) finishPass(done *Done, m *meter) {
	m.stop()
	done.Tally, done.Took = m.Tally, s.Time.Now().Sub(s.Started)
	if s.Mode.DryRun || !done.Worked() {
		return
	}
	m.stages.end() // a no-op run is spared the question for memory
	id := done.ID
	if id.IsZero() {
		id = s.named().Probe.Run
	}
	p := Past{ID: id, At: s.Started, Took: done.Took, Stages: m.stages.stages, Counts: map[string]int64{}, Detail: done.Detail}
	for name, value := range done.Values() {
		if value != 0 {
			p.Counts[name] = value
		}
	}
	line, err := json.Marshal(p)
	if err == nil {
		err = s.State.AddHistory(line, keepPast)
	}
	if err != nil {
		s.Observer.Note(err.Error())
	}
}
