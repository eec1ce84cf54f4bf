package overview

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/stats"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/parallel"
	"github.com/assetcook/assetcook/internal/smokerun"
	"github.com/assetcook/assetcook/profile/counters"
)

// A Series has the values of one figure in all runs of the history.
type Series struct {
	Key, Title string
	Kind       Kind
	Values     []float64 // sorted, the oldest run first
	Summary    counters.Summary
	Steps      []Step
	Log        bool // if set, the chart has a logarithmic scale
}

// A Step is a lasting change in a series.
type Step struct {
	At            int // index of the first run after the change
	Before, After float64
}

// showFigure formats a value of a series for people.
func (s *Series) showFigure(v float64) string {
	switch s.Kind {
	case Time:
		return human.Duration(time.Duration(v))
	case Percent:
		return percent(v)
	}
	return s.Kind.showCell(int64(v))
}

// valueAsCell returns a value as a cell.
func (s *Series) valueAsCell(v float64) any {
	switch s.Kind {
	case Time:
		return time.Duration(v)
	case Percent:
		return v
	}
	return int64(v)
}

// A runColumn is a column of the table of runs, with one figure of each run.
type runColumn struct {
	key, title string
	kind       Kind
	of         func(p *stats.Past) float64
	drawn, log bool
}

func counterColumn(key, title string, kind Kind, name string) runColumn {
	return runColumn{key: key, title: title, kind: kind, of: func(p *stats.Past) float64 { return float64(p.Counts[name]) }}
}

func stageTime(name string) runColumn {
	return runColumn{key: name + "_ns", title: name, kind: Time, of: func(p *stats.Past) float64 {
		for _, s := range p.Stages {
			if s.Name == name {
				return float64(s.Took)
			}
		}
		return 0
	}}
}

func peakMemory(p *stats.Past) (most float64) {
	for _, s := range p.Stages {
		most = max(most, float64(s.PeakRSS))
	}
	return most
}

// runColumns returns the columns of the table of runs.
func runColumns() []runColumn {
	drawn := func(c runColumn, log bool) runColumn {
		c.drawn, c.log = true, log
		return c
	}
	return []runColumn{
		{"took_ns", "wall time", Time, func(p *stats.Past) float64 { return float64(p.Took) }, true, true},
		counterColumn("found", "assets", Number, "cook/found/count"),
		drawn(counterColumn("cooked", "cooked", Number, "cook/cook/count"), true),
		counterColumn("restored", "restored", Number, "cook/restore/count"),
		counterColumn("unchanged", "unchanged", Number, "cook/unchanged/count"),
		counterColumn("failed", "failed", Number, "cook/fail/count"),
		counterColumn("removed", "removed", Number, "cook/remove/count"),
		{"warnings", "warnings", Number, warningsOf, false, false},
		{"grew", "grew by", Bytes, growthOf, false, false},
		{"up_to_date", "up to date", Percent, shareUpToDate, true, false},
		drawn(counterColumn("bytes_out", "bytes cooked", Bytes, "cook/found/bytes_out"), false),
		drawn(counterColumn("saved_ns", "time saved", Time, "cook/saved_ns"), false),
		{"peak_rss", "peak memory", Bytes, peakMemory, true, false},
		stageTime("scan"), stageTime("checksum"), stageTime("plan"), stageTime("cook"), stageTime("save"),
	}
}

// series returns the series that are drawn as charts.
func series(runs []stats.Past) []Series {
	var all []Series
	for _, c := range runColumns() {
		if !c.drawn {
			continue
		}
		s := Series{Key: c.key, Title: c.title, Kind: c.kind, Log: c.log}
		for i := range runs {
			s.Values = append(s.Values, c.of(&runs[i]))
		}
		s.Summary = counters.Summarize(s.Values)
		all = append(all, s)
	}
	// Finding lasting changes takes time quadratic in the number of runs.
	parallel.Each(context.Background(), runtime.GOMAXPROCS(0), len(all), func(_, i int) error { all[i].findSteps(); return nil })
	return all
}

// medianOf returns the median, or the lower of the two middle values.
func medianOf(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}

// findSteps finds the lasting changes of a series.
func (s *Series) findSteps() {
	points := append(smokerun.ChangePoints(s.Values), len(s.Values))
	from := 0
	for k := range points[:len(points)-1] {
		before, after := medianOf(s.Values[from:points[k]]), medianOf(s.Values[points[k]:points[k+1]])
		from = points[k]
		if before != after {
			s.Steps = append(s.Steps, Step{points[k], before, after})
		}
	}
}

// spike reports whether the value of a run is far above the usual level.
func (s *Series) spike(i int) bool {
	return s.Kind != Percent && s.Summary.Spikes.Over > 0 && s.Values[i] > s.Summary.Spikes.Over
}

// stepsTable lists the lasting changes of figures.
func stepsTable(r *Report) *Table {
	t := &Table{Key: "steps", Title: "Steps", Note: "Runs in which a figure changed permanently (change points); before and after are medians.", Columns: []Column{
		{"figure", "figure", Text, false}, {"run", "since run", Number, false}, {"at", "on (UTC)", Moment, false}, {"before", "before", Text, false}, {"after", "after", Text, false}}}
	for i := range r.series {
		s := &r.series[i]
		for _, step := range s.Steps {
			t.addTableRow(s.Title, int64(step.At+1), moment(r.in.Runs[step.At].At), s.showFigure(step.Before), s.showFigure(step.After))
		}
	}
	return t
}

// runsTable lists all runs of the history, the latest first.
func runsTable(r *Report) *Table {
	t := &Table{Key: "runs", Title: "All runs with work", Columns: []Column{{"run", "run", Number, false}, {"id", "ID", Text, false}, {"at", "on (UTC)", Moment, false}}}
	columns := runColumns()
	for _, c := range columns {
		t.Columns = append(t.Columns, Column{c.key, c.title, c.kind, false})
	}
	t.Columns = append(t.Columns, Column{"bound", "limit of the run", Text, false}, Column{"largest", "largest growth", Parts, false}, Column{"slowest", "longest", Parts, false})
	for i, p := range slices.Backward(r.in.Runs) {
		id := ""
		if !p.ID.IsZero() {
			id = p.ID.String()
		}
		row := []any{int64(i + 1), id, moment(p.At)}
		for _, c := range columns {
			row = append(row, (&Series{Kind: c.kind}).valueAsCell(c.of(&p)))
		}
		t.Rows = append(t.Rows, append(row, detailCells(&p)...))
	}
	return t
}

// warningsOf returns the number of warnings in a run.
func warningsOf(p *stats.Past) float64 {
	if p.Detail == nil {
		return 0
	}
	return float64(len(p.Detail.Warnings) + p.Detail.Unlisted)
}

// growthOf returns the growth of the artifacts in a run, in bytes.
func growthOf(p *stats.Past) float64 {
	if p.Detail == nil {
		return 0
	}
	n := p.Detail.Rest.After - p.Detail.Rest.Before
	for _, s := range p.Detail.Sizes {
		n += max(0, s.After) - max(0, s.Before)
	}
	return float64(n)
}

// detailCells returns three cells about a run: its bottleneck, the assets with the largest change
// in size, and the slowest assets. A cell is nil if unknown.
func detailCells(p *stats.Past) []any {
	const most = 20
	if p.Detail == nil {
		return []any{nil, nil, nil}
	}
	cells := []any{Bound(p), nil, nil}
	var largest, slowest []Part
	for _, c := range sizeChanges([]stats.Past{*p}) {
		largest = append(largest, Part{c.path, c.target, signedBytes(c.growth())})
	}
	spans := slices.DeleteFunc(slices.Clone(p.Detail.Spans), func(s execute.Span) bool { return s.Path == "" })
	slices.SortStableFunc(spans, func(a, b execute.Span) int { return cmp.Compare(b.End-b.Begin, a.End-a.Begin) })
	for _, s := range spans {
		slowest = append(slowest, Part{string(s.Path), "", human.Duration(s.End - s.Begin)})
	}
	for i, parts := range [][]Part{largest, slowest} {
		if len(parts) > 0 {
			cells[i+1] = parts[:min(most, len(parts))]
		}
	}
	return cells
}
