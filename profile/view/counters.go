package view

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/assetcook/assetcook/profile/counters"
)

// A catalog is what a set had at one moment. Reading a set of many names locks it for a
// while, so pages share what is read.
type catalog struct {
	read   time.Time
	frame  counters.Frame
	pushed bool // there was a frame
	last   counters.Snapshot
	total  counters.Snapshot
	names  []string // sorted
}

// catalogs reads the catalog of a set.
type catalogs struct {
	set *counters.Set
	mu  sync.Mutex
	now *catalog
}

// catalogAge is how old the values of a tree may be.
const catalogAge = 400 * time.Millisecond

// get returns a catalog that is at most so old.
func (c *catalogs) get(age time.Duration) *catalog {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now != nil && time.Since(c.now.read) < age {
		return c.now
	}
	now := &catalog{read: time.Now()}
	now.frame, now.last = c.set.LastFrame()
	now.pushed = now.last != nil
	now.total = c.set.Snapshot()
	now.names = make([]string, len(now.total))
	for i, s := range now.total {
		now.names[i] = s.Name
	}
	c.now = now
	return now
}

// kind returns the kind of a name and whether there is such a name.
func (c *catalog) kind(name string) (counters.Kind, bool) {
	s, ok := c.total.Of(name)
	return s.Kind, ok
}

// A decimal is a number for JSON, which has none for NaN and infinities: they are null.
type decimal float64

func (d decimal) MarshalJSON() ([]byte, error) {
	if f := float64(d); !math.IsNaN(f) && !math.IsInf(f, 0) {
		return strconv.AppendFloat(nil, f, 'g', -1, 64), nil
	}
	return []byte("null"), nil
}

// millis is the unit of timers on the page.
func millis[T ~int64](d T) decimal { return decimal(float64(d) / 1e6) }

// A counterRow is one name of GET api/counters: value, calls, own, min and max are of the
// last frame, total since the beginning. Timers are in milliseconds.
type counterRow struct {
	Name  string  `json:"name"`
	Kind  string  `json:"kind"`
	Value decimal `json:"value"`
	Total decimal `json:"total"`
	*timerRow
}

type timerRow struct {
	Calls int64   `json:"calls"`
	Own   decimal `json:"own"`
	Min   decimal `json:"min"`
	Max   decimal `json:"max"`
}

func (c *catalog) row(total counters.Sample) counterRow {
	last, _ := c.last.Of(total.Name)
	row := counterRow{Name: total.Name, Kind: total.Kind.String()}
	if total.Kind != counters.KindTimer {
		row.Value, row.Total = decimal(last.Value()), decimal(total.Value())
		if !c.pushed && total.Kind == counters.KindGauge {
			row.Value = row.Total // a level needs no frame
		}
		return row
	}
	t := last.Timer
	row.Value, row.Total = millis(t.Total), millis(total.Timer.Total)
	row.timerRow = &timerRow{t.Calls, millis(t.Own), millis(t.Min), millis(t.Max)}
	return row
}

// listCounters answers GET api/counters; with names=, of these only. Count is of all names,
// so that a page that asks for some sees that there are new ones.
func (v *View) listCounters(w http.ResponseWriter, req *http.Request) {
	c := v.catalogs.get(catalogAge)
	answer := struct {
		Frame int64        `json:"frame"`
		At    decimal      `json:"at"`  // Unix ms
		Now   decimal      `json:"now"` // the server's clock
		Count int          `json:"count"`
		Names []counterRow `json:"names"`
	}{Frame: -1, Now: unixMillis(time.Now()), Count: len(c.total), Names: []counterRow{}}
	if c.pushed {
		answer.Frame, answer.At = c.frame.Number, unixMillis(c.frame.At)
	}
	if asked := req.URL.Query()["names"]; asked != nil {
		for _, name := range asked {
			if s, ok := c.total.Of(name); ok {
				answer.Names = append(answer.Names, c.row(s))
			}
		}
	} else {
		answer.Names = slices.Grow(answer.Names, len(c.total))
		for _, s := range c.total {
			answer.Names = append(answer.Names, c.row(s))
		}
	}
	writeJSON(w, answer)
}

func unixMillis(t time.Time) decimal {
	if t.IsZero() {
		return 0
	}
	return decimal(float64(t.UnixMicro()) / 1000)
}

// tableCSV answers GET api/table.csv with the frames that are kept of names: those that
// some page shows. Timers are in milliseconds.
func (v *View) tableCSV(w http.ResponseWriter, req *http.Request) {
	names := req.URL.Query()["names"]
	if len(names) == 0 || len(names) > maxStreamed {
		fail(w, http.StatusBadRequest, "name 1 to %d counters, as names=NAME&names=NAME", maxStreamed)
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
	t.WriteCSV(w) // an error is a page that has gone
}
