package stat

import (
	"encoding/csv"
	"io"
	"strconv"
)

// WriteCSV writes the report as one table, for spreadsheets and scripts. The columns are the kind
// of row, the name, the measure and its value:
//
//	kind,name,measure,value
//	scope,cook/encode,self,51200
//
// Durations are in nanoseconds. All lines of a slowest or open scope have the same name, which
// begins with the scope's rank in the list: "1 cook/encode textures/wall.png".
func (r *Report) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"kind", "name", "measure", "value"})
	text := func(kind, name, measure, value string) { out.Write([]string{kind, name, measure, value}) }
	whole := func(kind, name, measure string, n int64) { text(kind, name, measure, strconv.FormatInt(n, 10)) }
	float := func(kind, name, measure string, v float64) {
		text(kind, name, measure, strconv.FormatFloat(v, 'g', -1, 64))
	}
	whole("recording", "", "dur", r.Dur)
	whole("recording", "", "events", r.Events)
	whole("recording", "", "dropped", r.Dropped)
	whole("recording", "", "frames", r.Frames)
	for _, s := range r.Scopes {
		for _, m := range []struct {
			measure string
			n       int64
		}{{"count", s.Count}, {"self", s.Self}, {"total", s.Total}, {"min", s.Min}, {"mean", s.Mean},
			{"p50", s.P50}, {"p95", s.P95}, {"p99", s.P99}, {"max", s.Max}} {
			whole("scope", s.Name, m.measure, m.n)
		}
	}
	slowCSV(text, whole, "slowest", r.Slowest)
	slowCSV(text, whole, "open", r.Open)
	for _, s := range r.Workers {
		whole("worker", s.Name, "scopes", s.Scopes)
		whole("worker", s.Name, "busy", s.Busy)
		float("worker", s.Name, "share", s.Share)
	}
	for _, m := range r.Metrics {
		numbersCSV(whole, float, m.Name, "", m.All)
		if m.Frames.Count > 0 {
			numbersCSV(whole, float, m.Name, "frame ", m.Frames)
		}
	}
	for _, m := range r.Memory {
		whole("memory", m.Name, "allocs", m.Allocs)
		float("memory", m.Name, "taken", m.Taken)
		whole("memory", m.Name, "frees", m.Frees)
		float("memory", m.Name, "given back", m.GivenBack)
	}
	out.Flush()
	return out.Error()
}

func slowCSV(text func(kind, name, measure, value string), whole func(kind, name, measure string, n int64), kind string, list []Slow) {
	for i, s := range list {
		name := strconv.Itoa(i+1) + " " + s.Name
		if s.Detail != "" {
			name += " " + s.Detail
		}
		text(kind, name, "worker", s.Worker)
		whole(kind, name, "time", s.Time)
		whole(kind, name, "dur", s.Dur)
	}
}

func numbersCSV(whole func(kind, name, measure string, n int64), float func(kind, name, measure string, v float64), name, prefix string, n Numbers) {
	whole("metric", name, prefix+"count", n.Count)
	float("metric", name, prefix+"min", n.Min)
	float("metric", name, prefix+"mean", n.Mean)
	float("metric", name, prefix+"max", n.Max)
}
