package view

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assetcook/assetcook/internal/webjson"
	"github.com/assetcook/assetcook/profile/counters"
)

// A catalog is the state of a set at one moment. Reading a set with many names locks the set for a
// while, and delays the program's next PushFrame. Therefore pages share a catalog. Totals since the
// set was made are read only on request.
type catalog struct {
	read   time.Time
	frame  counters.Frame
	pushed bool // true if a frame has been pushed
	last   counters.Snapshot
	totals func() counters.Snapshot
	names  []string // sorted names, without the names of extremes
}

// Extremes returns the names of two gauges that accompany a gauge with several values per frame.
// The two gauges hold the frame's least and greatest value; the gauge itself holds the last value.
// Pages show all three as one graph. In a frame with a single value, the two gauges are NaN.
func Extremes(name string) (least, greatest string) { return name + "\nmin", name + "\nmax" }

// extreme reports whether a gauge holds the least or greatest values of another gauge.
func (c *catalog) extreme(name string) bool {
	stem, part, found := strings.Cut(name, "\n")
	if !found || part != "min" && part != "max" {
		return false
	}
	_, ok := c.last.Of(stem)
	return ok
}

// catalogs caches the catalog of a set.
type catalogs struct {
	set *counters.Set
	mu  sync.Mutex
	now *catalog
}

// catalogAge is the maximum age of the values in a tree.
const catalogAge = 400 * time.Millisecond

// get returns a catalog that is at most as old as the given age.
func (c *catalogs) get(age time.Duration) *catalog {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now != nil && time.Since(c.now.read) < age {
		return c.now
	}
	now := &catalog{read: time.Now(), totals: sync.OnceValue(c.set.Snapshot)}
	now.frame, now.last = c.set.LastFrame()
	now.pushed = now.last != nil
	if !now.pushed { // Before the first frame, use all names and the levels.
		for _, s := range now.totals() {
			if s.Kind != counters.KindGauge {
				s = counters.Sample{Name: s.Name, Kind: s.Kind}
			}
			now.last = append(now.last, s)
		}
	}
	now.names = make([]string, 0, len(now.last))
	for _, s := range now.last {
		if !now.extreme(s.Name) {
			now.names = append(now.names, s.Name)
		}
	}
	c.now = now
	return now
}

// kind returns the kind of a name, and reports whether the name exists.
func (c *catalog) kind(name string) (counters.Kind, bool) {
	s, ok := c.last.Of(name)
	return s.Kind, ok
}

// A decimal is a number in JSON. NaN and infinities become null.
type decimal float64

func (d decimal) MarshalJSON() ([]byte, error) {
	if f := float64(d); !math.IsNaN(f) && !math.IsInf(f, 0) {
		return strconv.AppendFloat(nil, f, 'g', -1, 64), nil
	}
	return []byte("null"), nil
}

// millis converts a duration to milliseconds, the unit of the page.
func millis[T ~int64](d T) decimal { return decimal(float64(d) / 1e6) }

// A counterRow is one name in the answer to GET api/counters. Value, calls, own, min and max are
// from the last frame; total is the sum since the set was made. Timers are in milliseconds.
type counterRow struct {
	Name  string   `json:"name"`
	Kind  string   `json:"kind"`
	Value decimal  `json:"value"`
	Total *decimal `json:"total,omitempty"`
	Spans bool     `json:"spans,omitempty"` // true if the gauge has gauges for least and greatest values; see Extremes
	*timerRow
}

type timerRow struct {
	Calls int64   `json:"calls"`
	Own   decimal `json:"own"`
	Min   decimal `json:"min"`
	Max   decimal `json:"max"`
}

func (c *catalog) row(last counters.Sample) counterRow {
	row := counterRow{Name: last.Name, Kind: last.Kind.String(), Value: inUnits(last)}
	_, greatest := Extremes(last.Name)
	_, row.Spans = c.last.Of(greatest)
	if t := last.Timer; last.Kind == counters.KindTimer {
		row.timerRow = &timerRow{t.Calls, millis(t.Own), millis(t.Min), millis(t.Max)}
	}
	return row
}

// inUnits returns the value of a sample in the page's units.
func inUnits(s counters.Sample) decimal {
	if s.Kind == counters.KindTimer {
		return millis(s.Timer.Total)
	}
	return decimal(s.Value())
}

// total returns the sum of a name since the set was made.
func (c *catalog) total(name string) decimal {
	s, _ := c.totals().Of(name)
	return inUnits(s)
}

// listCounters answers GET api/counters. With names= it returns only the given names, without
// totals. Count is the number of all names; if it has changed, there are new names.
func (v *View) listCounters(w http.ResponseWriter, req *http.Request) {
	c := v.catalogs.get(catalogAge)
	answer := struct {
		Frame int64        `json:"frame"`
		At    decimal      `json:"at"`  // Unix time in milliseconds
		Now   decimal      `json:"now"` // time of the server's clock in Unix milliseconds
		Count int          `json:"count"`
		Names []counterRow `json:"names"`
	}{Frame: -1, Count: len(c.last), Names: []counterRow{}}
	if c.pushed {
		answer.Frame, answer.At = c.frame.Number, unixMillis(c.frame.At)
	}
	if asked := req.URL.Query()["names"]; asked != nil {
		for _, name := range asked {
			if s, ok := c.last.Of(name); ok {
				answer.Names = append(answer.Names, c.row(s))
			}
		}
	} else {
		answer.Names = slices.Grow(answer.Names, len(c.names))
		for _, name := range c.names {
			s, _ := c.last.Of(name)
			row, total := c.row(s), c.total(name)
			row.Total = &total
			answer.Names = append(answer.Names, row)
		}
	}
	answer.Now = unixMillis(time.Now())
	webjson.Write(w, answer)
}

func unixMillis(t time.Time) decimal {
	if t.IsZero() {
		return 0
	}
	return decimal(float64(t.UnixMicro()) / 1000)
}

// tableCSV answers GET api/table.csv with the frames in the history, for the names that any page
// shows. Timers are in milliseconds.
func (v *View) tableCSV(w http.ResponseWriter, req *http.Request) {
	names := req.URL.Query()["names"]
	if len(names) == 0 || len(names) > maxStreamed {
		webjson.Fail(w, http.StatusBadRequest, "name 1 to %d counters, as names=NAME&names=NAME", maxStreamed)
		return
	}
	t := v.sources.Counters.Table(0, names...)
	c := v.catalogs.get(0)
	for i, name := range t.Names {
		if kind, _ := c.kind(name); kind == counters.KindTimer {
			t.Names[i] += " ms"
			for row := range t.Frames {
				t.Row(row)[i] /= 1e6
			}
		}
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="counters.csv"`)
	t.WriteCSV(w) // An error means that the page has disconnected.
}
