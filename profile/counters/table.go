package counters

import (
	"encoding/csv"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"time"
)

// Frame identifies the frame of a table's row.
type Frame struct {
	Number int64     // number of the frame, from 0
	At     time.Time // time passed to PushFrame
}

// A Table is the history of the requested names. It has a row for each frame, oldest first, and a
// column for each name.
type Table struct {
	Names  []string
	Frames []Frame
	Values []float64 // values row by row; see Row
	Next   int64     // number of the next frame, for the next call of Set.Table
}

// Table returns the frames in the history whose number is at least from. The value of a name is as
// in [Set.History], or NaN if the frame did not watch the name. A live viewer requests only new
// frames:
//
//	for t := set.Table(0, names...); ; t = set.Table(t.Next, names...) {
//
// If frames have been dropped since, the first frame's number is greater than from.
func (s *Set) Table(from int64, names ...string) *Table {
	t := &Table{Names: slices.Clone(names)}
	if s == nil {
		return t
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h := &s.history
	t.Next = h.pushed
	cells := make([]*cell, len(names))
	for i, name := range names {
		cells[i] = s.find(name)
	}
	from = max(h.first(), from)
	if from >= h.pushed {
		return t
	}
	t.Frames = make([]Frame, 0, h.pushed-from)
	t.Values = make([]float64, 0, int(h.pushed-from)*len(names))
	for n := from; n < h.pushed; n++ {
		t.Frames = append(t.Frames, Frame{n, h.at[n%int64(h.frames)]})
		row := h.frame(n)
		for _, c := range cells {
			value := math.NaN()
			if c != nil && c.since != notWatched && c.since <= n {
				value = c.number(row)
			}
			t.Values = append(t.Values, value)
		}
	}
	return t
}

// Row returns the values of frame i of the table. The result is a slice of Values.
func (t *Table) Row(i int) []float64 {
	n := len(t.Names)
	return t.Values[i*n : (i+1)*n : (i+1)*n]
}

// WriteCSV writes a header and a record for each frame: its number, its time in RFC 3339 format
// with nanoseconds, and the exact values. A field is empty if the name was not watched. It
// returns only errors of w.
func (t *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	for record := range t.records() {
		out.Write(record)
	}
	out.Flush()
	return out.Error()
}

// records yields the header and the rows as text. It reuses one slice for all records.
func (t *Table) records() iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		record := append([]string{"frame", "time"}, t.Names...)
		if !yield(record) {
			return
		}
		for i, f := range t.Frames {
			record = append(record[:0], strconv.FormatInt(f.Number, 10), f.At.Format(time.RFC3339Nano))
			for _, v := range t.Row(i) {
				text := ""
				if !math.IsNaN(v) {
					text = number(v)
				}
				record = append(record, text)
			}
			if !yield(record) {
				return
			}
		}
	}
}
