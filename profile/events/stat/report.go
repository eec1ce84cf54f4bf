package stat

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/assetcook/assetcook/profile/events"
)

// A Report is the sum of a recording. Times and durations are nanoseconds, times
// since the recording began.
type Report struct {
	Start    time.Time  `json:"start"`
	Dur      int64      `json:"dur"` // up to the last thing that happened
	Events   int64      `json:"events"`
	Dropped  int64      `json:"dropped"`
	Frames   int64      `json:"frames"` // marked by the name that Options says
	Workers  []Worker   `json:"workers"`
	Scopes   []Scope    `json:"scopes"`  // by name, in order of the time they took themselves
	Slowest  []Slow     `json:"slowest"` // the longest first
	Open     []Slow     `json:"open"`    // had not ended when they were last seen
	Metrics  []Metric   `json:"metrics"`
	Memory   []Memory   `json:"memory"`
	Activity Timeseries `json:"activity"` // how many workers were busy
}

// A Worker is a row of the recording. Busy is the time that it was in scopes.
type Worker struct {
	Name   string  `json:"name"`
	Scopes int64   `json:"scopes"`
	Busy   int64   `json:"busy"`
	Share  float64 `json:"share"` // of the recording's time
}

// A Scope is the sum of the scopes of one name. Self is the time not spent in scopes
// within them.
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

// A Slow is one scope.
type Slow struct {
	Name   string `json:"name"`
	Detail string `json:"detail"`
	Worker string `json:"worker"`
	Time   int64  `json:"time"`
	Dur    int64  `json:"dur"`
	row    int
}

// A Metric is what values of one name were, one number of vectors by itself: all of
// them and, where the same worker marks frames, the last of each frame.
type Metric struct {
	Name   string     `json:"name"`
	All    Numbers    `json:"all"`
	Frames Numbers    `json:"frames"`
	Series Timeseries `json:"series"` // the mean of each part; parts without values hold the level before
}

// Numbers sums up numbers.
type Numbers struct {
	Count int64   `json:"count"`
	Min   float64 `json:"min"`
	Mean  float64 `json:"mean"`
	Max   float64 `json:"max"`
}

// A Memory is how many bytes of one kind were taken and given back.
type Memory struct {
	Name      string  `json:"name"`
	Allocs    int64   `json:"allocs"`
	Taken     float64 `json:"taken"`
	Frees     int64   `json:"frees"`
	GivenBack float64 `json:"givenBack"`
}

// A Timeseries is a value for each part of the recording's time, the first of which
// begins at From.
type Timeseries struct {
	From   int64     `json:"from"`
	Width  int64     `json:"width"` // nanoseconds of a part
	Values []float64 `json:"values"`
}

// report makes the report when all has been added.
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
		q.bins.reach(g.last) // so that all graphs end with the recording
		r.Metrics = append(r.Metrics, Metric{name, q.all, q.frames, q.bins.levels()})
	}
	for _, name := range slices.Sorted(maps.Keys(g.memory)) {
		m := *g.memory[name]
		m.Name = name
		r.Memory = append(r.Memory, m)
	}
	return r
}
