package command

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/internal/stat"
	"github.com/assetcook/assetcook/profile/view"
)

// These are limits for the counters made from a recording.
const (
	maxNames = 2048
	maxRows  = 100_000 // number of rows that a page keeps
	minRows  = 1024
	maxCells = 1 << 20 // maximum of the number of rows times the number of names

	liveEvery = 16 * time.Millisecond
	liveKept  = 20_000 // number of rows for a running program
)

// errNames means that a recording has too many quantities.
var errNames = fmt.Errorf("the recording has more than %d quantities; graphs show the first ones", maxNames)

// components lists the suffixes for the numbers of a short vector.
var components = [...]string{"x", "y", "z", "w"}

// component returns the name of component i in a vector of n numbers.
func component(name string, i, n int) string {
	if n <= len(components) {
		return name + "/" + components[i]
	}
	return name + "/" + strconv.Itoa(i)
}

// A cell summarizes the values of a quantity in one frame: the last, least and greatest value,
// their sum, and their number.
type cell struct {
	at                     int64 // time of the last value
	count                  int
	last, least, most, sum float64
}

// addCellValue adds a value. It ignores NaN.
func (c *cell) addCellValue(at int64, value float64) {
	if math.IsNaN(value) {
		return
	}
	c.widen(value, value)
	c.sum += value
	if c.count++; c.count == 1 || at >= c.at {
		c.at, c.last = at, value
	}
}

// widen extends the cell's range to include least and most.
func (c *cell) widen(least, most float64) {
	if c.count == 0 {
		c.least, c.most = least, most
	}
	c.least, c.most = min(c.least, least), max(c.most, most)
}

// merge adds the cell of a later frame.
func (c *cell) merge(later *cell) {
	if later.count == 0 {
		return
	}
	c.widen(later.least, later.most)
	c.at, c.last, c.count = later.at, later.last, c.count+later.count
}

// A sample is a value of a track, or the end of a frame if track is nil.
type sample struct {
	at    int64
	track *track
	value float64
}

func byTime(a, b sample) int { return cmp.Compare(a.at, b.at) }

// A track is a quantity of a recording: the values of one name, or the durations of one scope name
// in milliseconds.
type track struct {
	key         trackKey
	name        string // name of the gauge
	gauge       *counters.Gauge
	least, most *counters.Gauge // gauges for the extremes; nil until a frame has several values
	began       bool            // true if frames are marked and the track has had a value
	level       float64         // value of the last sample

	now   cell   // the current frame in a follower
	cells []cell // the frames in memory in a player
}

type trackKey struct {
	name  string
	scope bool
}

// tracks holds the quantities of a recording, with their gauges.
type tracks struct {
	set    *counters.Set
	most   int // maximum number of quantities
	of     map[trackKey]*track
	list   []*track
	marked bool  // true if scopes or instants mark the ends of frames
	full   error // errNames if the recording has more quantities
}

func newTracks(set *counters.Set, most int) tracks {
	return tracks{set: set, most: most, of: map[trackKey]*track{}}
}

// track returns the track of a quantity, or nil if there is no room for it. If a value and a scope
// have the same name, the later track's name gets a suffix.
func (t *tracks) track(name string, scope bool) *track {
	key := trackKey{name, scope}
	q := t.of[key]
	if q != nil {
		return q
	}
	if len(t.list) >= t.most {
		t.full = errNames
		return nil
	}
	if t.of[trackKey{name, !scope}] != nil {
		name += map[bool]string{true: " (time)", false: " (value)"}[scope]
	}
	q = &track{key: key, name: name, gauge: t.set.Gauge(name)}
	q.gauge.Set(math.NaN())
	t.of[key] = q
	t.list = append(t.list, q)
	return q
}

// samples calls use for each value of an event, for the duration of a scope, and for the end of a
// frame.
func (t *tracks) samples(kind events.Kind, name string, start, dur int64, values []float64, use func(sample)) {
	switch kind {
	case events.Scope, events.Instant:
		if kind == events.Scope {
			if q := t.track(name, true); q != nil {
				use(sample{start + dur, q, float64(dur) / 1e6})
			}
		}
		if name == stat.FrameMark {
			use(sample{at: start + dur})
		}
	case events.Value:
		if q := t.track(name, false); q != nil {
			use(sample{start, q, values[0]})
		}
	case events.Vector:
		for i, v := range values {
			if q := t.track(component(name, i, len(values)), false); q != nil {
				use(sample{start, q, v})
			}
		}
	}
}

// closed ends a frame of a track, and returns the cell to show. If frames are marked, the cell of a
// scope name has the sum of the durations, as in a timer, and a value persists until it changes.
// Otherwise each duration is a separate value, and a frame without a sample has no value.
func (t *tracks) closed(q *track, c cell) cell {
	switch {
	case !t.marked:
		return c
	case q.key.scope && (q.began || c.count > 0):
		c = cell{count: 1, last: c.sum, least: c.sum, most: c.sum}
	case q.began && c.count == 0:
		c = cell{count: 1, last: q.level, least: q.level, most: q.level}
	}
	q.began, q.level = c.count > 0, c.last
	return c
}

// show sets the gauges of a track to the values of a cell.
func (t *tracks) show(q *track, c *cell) {
	if c.count > 0 {
		q.gauge.Set(c.last)
	} else {
		q.gauge.Set(math.NaN())
	}
	several := c.count > 0 && (c.least != c.last || c.most != c.last)
	if several && q.least == nil {
		least, most := view.Extremes(q.name)
		q.least, q.most = t.set.Gauge(least), t.set.Gauge(most)
	}
	if q.least == nil {
		return
	}
	least, most := math.NaN(), math.NaN()
	if several {
		least, most = c.least, c.most
	}
	q.least.Set(least)
	q.most.Set(most)
}

// rowsOf returns the number of rows for a recording: the more names it has, the fewer rows.
func rowsOf(tape *events.Tape) int {
	names := 4 * len(tape.State().Names) // Each name may be the name of a vector, which has several components.
	return max(min(maxCells/max(names, 1), maxRows), minRows)
}
