package stat

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/assetcook/assetcook/profile/events"
)

// A Report is the summary of a recording. Times and durations are in nanoseconds. Times count from
// the beginning of the recording.
type Report struct {
	Start    time.Time  `json:"start"`
	Dur      int64      `json:"dur"` // time of the last event
	Events   int64      `json:"events"`
	Dropped  int64      `json:"dropped"`
	Frames   int64      `json:"frames"` // number of frame ends; see Options.Frame
	Workers  []Worker   `json:"workers"`
	Scopes   []Scope    `json:"scopes"`  // one for each name, sorted by own time, longest first
	Slowest  []Slow     `json:"slowest"` // the slowest single scopes, longest first
	Open     []Slow     `json:"open"`    // scopes that had not ended at the end of the recording
	Metrics  []Metric   `json:"metrics"`
	Memory   []Memory   `json:"memory"`
	Activity Timeseries `json:"activity"` // number of busy workers over time
}

// A Worker is a row of the recording. Busy is the time that it spent in scopes.
type Worker struct {
	Name   string  `json:"name"`
	Scopes int64   `json:"scopes"`
	Busy   int64   `json:"busy"`
	Share  float64 `json:"share"` // fraction of the recording's time that the worker was busy, 0 to 1
}

// A Scope holds sums over all scopes with one name. Self is the time outside inner scopes.
type Scope struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
	Total int64  `json:"total"`
	Self  int64  `json:"self"`
	Min   int64  `json:"min"`
	Mean  int64  `json:"mean"`
	P50   int64  `json:"p50"`
	P95   int64  `json:"p95"`
	P99   int64  `json:"p99"`
	Max   int64  `json:"max"`
}

// A Slow describes a single scope.
type Slow struct {
	Name   string `json:"name"`
	Detail string `json:"detail"`
	Worker string `json:"worker"`
	Time   int64  `json:"time"`
	Dur    int64  `json:"dur"`
	row    int
}

// A Metric summarizes the values of one name, or of one component of a vector. All summarizes all
// values. Frames summarizes the last value of each frame, if the same worker marks frames.
type Metric struct {
	Name   string     `json:"name"`
	All    Numbers    `json:"all"`
	Frames Numbers    `json:"frames"`
	Series Timeseries `json:"series"` // mean of each time interval; an interval without values repeats the previous mean
}

// Numbers holds statistics of a set of numbers.
type Numbers struct {
	Count int64   `json:"count"`
	Min   float64 `json:"min"`
	Mean  float64 `json:"mean"`
	Max   float64 `json:"max"`
}

// A Memory sums the allocations and frees of one kind of memory, in number and bytes.
type Memory struct {
	Name      string  `json:"name"`
	Allocs    int64   `json:"allocs"`
	Taken     float64 `json:"taken"`
	Frees     int64   `json:"frees"`
	GivenBack float64 `json:"givenBack"`
}

// A Timeseries has a value for each time interval of the recording. The first interval begins at
// From.
type Timeseries struct {
	From   int64     `json:"from"`
	Width  int64     `json:"width"` // duration of an interval in nanoseconds
	Values []float64 `json:"values"`
}

// report returns the report. Call it after the last event.
func (g *gatherer) report(s *events.Stream) *Report {
	r := &Report{
		Start: s.Start(), Dur: g.last, Events: g.events, Dropped: s.Dropped(), Frames: g.frames,
		Slowest: g.slowest, Activity: Timeseries{Width: g.busy.width, Values: g.busy.rates()},
	}
	names := s.Workers()
	worker := func(row int) string {
		if row < len(names) && names[row] != "" {
			return names[row]
		}
		return fmt.Sprintf("worker %d", row)
	}
	for i := range r.Slowest {
		r.Slowest[i].Worker = worker(r.Slowest[i].row)
	}
	for _, e := range s.Open() {
		r.Open = append(r.Open, Slow{Name: e.Name, Detail: e.Detail, Worker: worker(e.Worker), Time: e.Time, Dur: e.Dur})
		r.Dur = max(r.Dur, e.Time+e.Dur)
	}
	for row, sum := range g.rows {
		if sum.scopes > 0 {
			r.Workers = append(r.Workers, Worker{worker(row), sum.scopes, sum.busy, float64(sum.busy) / float64(max(r.Dur, 1))})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(g.scopes)) {
		sum := g.scopes[name]
		row := sum.Scope
		row.Name, row.Mean = name, row.Total/row.Count
		quantile := func(part float64) int64 {
			return min(max(sum.times.Quantile(part, row.Count), row.Min), row.Max)
		}
		row.P50, row.P95, row.P99 = quantile(0.5), quantile(0.95), quantile(0.99)
		r.Scopes = append(r.Scopes, row)
	}
	slices.SortStableFunc(r.Scopes, func(a, b Scope) int { return cmp.Compare(b.Self, a.Self) })
	for _, name := range slices.Sorted(maps.Keys(g.quantities)) {
		q := g.quantities[name]
		q.bins.reach(g.last) // All graphs end at the end of the recording.
		r.Metrics = append(r.Metrics, Metric{name, q.all, q.frames, q.bins.levels()})
	}
	for _, name := range slices.Sorted(maps.Keys(g.memory)) {
		m := *g.memory[name]
		m.Name = name
		r.Memory = append(r.Memory, m)
	}
	return r
}
