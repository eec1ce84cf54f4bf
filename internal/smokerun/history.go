package smokerun

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
)

// A History holds the records of one suite, oldest first.
type History []*Record

// Append adds a record to a file that has one record per line.
func Append(name string, r *Record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	var last [1]byte
	if end > 0 {
		if _, err := f.ReadAt(last[:], end-1); err != nil {
			return err
		}
		if last[0] != '\n' { // End an incomplete last line first.
			line = append([]byte{'\n'}, line...)
		}
	}
	if _, err := f.WriteAt(append(line, '\n'), end); err != nil {
		return err
	}
	return f.Close()
}

// ReadHistory reads the records of a suite from a file written by [Append]. It skips and counts
// incomplete lines and records of other format versions. A missing file counts as an empty history.
func ReadHistory(name, suite string) (h History, skipped int, err error) {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxRecord)
	for lines.Scan() {
		r, err := parse(lines.Bytes())
		switch {
		case err != nil:
			skipped++
		case r.Suite == suite:
			h = append(h, r)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, skipped, fmt.Errorf("%s: %w", name, err)
	}
	return h, skipped, nil
}

// FreshRecords is the number of latest records that may hide a change of processor time. Detection
// needs this many records after the change.
const FreshRecords = minSegment

// A Shift is a change of a figure from one record of a history to the next.
type Shift struct {
	Change
	At int // index of the first record with the new value
}

// Shifts returns the changes over time. For exact figures, allocations and instructions, it
// compares consecutive records. For processor time, it finds change points among the records of one
// processor, which requires three records after the change.
func (h History) Shifts() []Shift {
	var shifts []Shift
	for i := 1; i < len(h); i++ {
		changes, err := Compare(h[i-1], h[i])
		if err != nil {
			continue // Records with different inputs are not comparable.
		}
		for _, c := range changes {
			shifts = append(shifts, Shift{c, i})
		}
	}
	for _, step := range h.steps() {
		shifts = append(shifts, h.cpuShifts(step)...)
	}
	slices.SortStableFunc(shifts, func(a, b Shift) int { return a.At - b.At })
	return shifts
}

// steps returns the names of all steps in the order of first appearance.
func (h History) steps() []string {
	var names []string
	for _, r := range h {
		for _, s := range r.Steps {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// cpuShifts returns the changes of a step's processor time. It uses only records from the machine
// of the latest record.
func (h History) cpuShifts(step string) []Shift {
	var at []int
	var series []float64
	if len(h) == 0 {
		return nil
	}
	last := h[len(h)-1]
	for i, r := range h {
		s := r.step(step)
		if s == nil || r.Machine != last.Machine || r.Sum != last.Sum {
			continue
		}
		if f, ok := s.Figure(CPUTime); ok && f.Value > 0 {
			at, series = append(at, i), append(series, f.Value)
		}
	}
	var shifts []Shift
	points := append(ChangePoints(series), len(series))
	from := 0
	for k := range points[:len(points)-1] {
		p, to := points[k], points[k+1]
		before, after := median(series[from:p]), median(series[p:to])
		if math.Abs(after/before-1) > cpuLimit {
			was, now := h[at[p-1]].step(step), h[at[p]].step(step)
			shifts = append(shifts, Shift{Change{
				Step: step, Figure: CPUTime, Class: CPUClass, Before: before, After: after,
				P:      min(UTest(series[from:p], series[p:to]), UTest(series[p:to], series[from:p])),
				Causes: slices.Concat(causes(was, now, TimeClass, after-before), slowerItems(was, now, after-before)),
			}, at[p]})
		}
		from = p
	}
	return shifts
}
