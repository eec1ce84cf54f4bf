package stat

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/chart"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/texttable"
)

// mostText is the maximum number of names of each kind in the text. CSV and JSON contain all names.
const mostText = 40

// WriteText writes the report as readable text.
func (r *Report) WriteText(w io.Writer) error {
	buf := bufio.NewWriter(w)
	out := texttable.New(buf, texttable.Left)
	line := func(format string, args ...any) { out.Row(fmt.Sprintf(format, args...)) }
	line("%s of recording, %d events, %d dropped", dur(r.Dur), r.Events, r.Dropped)
	if len(r.Activity.Values) > 0 && len(r.Workers) > 0 {
		line("busy workers, %s each: %s most %.1f", dur(r.Activity.Width), r.Activity.graph(), most(r.Activity.Values))
	}
	if len(r.Open) > 0 {
		line("")
		out.Row("STILL OPEN", "worker", "since", "for at least")
		for _, s := range r.Open {
			out.Row(title(s), name(s.Worker), dur(s.Time), dur(s.Dur))
		}
	}
	if len(r.Scopes) > 0 {
		line("")
		out.Row("SCOPES", "count", "self", "total", "min", "mean", "p50", "p95", "p99", "max")
		for _, s := range r.Scopes[:min(len(r.Scopes), mostText)] {
			out.Row(name(s.Name), s.Count, dur(s.Self), dur(s.Total),
				dur(s.Min), dur(s.Mean), dur(s.P50), dur(s.P95), dur(s.P99), dur(s.Max))
		}
		more(line, len(r.Scopes))
	}
	if len(r.Slowest) > 0 {
		line("")
		out.Row("SLOWEST", "worker", "at", "took")
		for _, s := range r.Slowest {
			out.Row(title(s), name(s.Worker), dur(s.Time), dur(s.Dur))
		}
	}
	if len(r.Workers) > 0 {
		line("")
		out.Row("WORKERS", "scopes", "busy", "share")
		for _, s := range r.Workers[:min(len(r.Workers), mostText)] {
			out.Row(name(s.Name), s.Scopes, dur(s.Busy), fmt.Sprintf("%.1f%%", 100*s.Share))
		}
		more(line, len(r.Workers))
	}
	if len(r.Metrics) > 0 {
		line("")
		out.Row("METRICS", "count", "min", "mean", "max", fmt.Sprintf("mean of %d frames", r.Frames), "over time")
		for _, m := range r.Metrics[:min(len(r.Metrics), mostText)] {
			frames := "-"
			if m.Frames.Count > 0 {
				frames = formatNumber(m.Frames.Mean)
			}
			out.Row(name(m.Name), m.All.Count, formatNumber(m.All.Min), formatNumber(m.All.Mean),
				formatNumber(m.All.Max), frames, m.Series.graph())
		}
		more(line, len(r.Metrics))
	}
	if len(r.Memory) > 0 {
		line("")
		out.Row("MEMORY", "taken", "bytes", "given back", "bytes")
		for _, m := range r.Memory[:min(len(r.Memory), mostText)] {
			out.Row(name(m.Name), m.Allocs, formatNumber(m.Taken), m.Frees, formatNumber(m.GivenBack))
		}
		more(line, len(r.Memory))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return buf.Flush()
}

// more prints the number of names that a table omits.
func more(line func(string, ...any), n int) {
	if n > mostText {
		line("and %d more; choose CSV or JSON to see all", n-mostText)
	}
}

func dur(ns int64) string           { return human.Duration(time.Duration(ns)) }
func formatNumber(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

func title(s Slow) string {
	if s.Detail == "" {
		return name(s.Name)
	}
	return name(s.Name) + " " + name(s.Detail)
}

// name returns a name for a table, with unprintable characters escaped.
func name(s string) string {
	if s == "" {
		return "(unnamed)"
	}
	quoted := strconv.Quote(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

// graph draws values over time. Times before the first value are blank.
func (s Timeseries) graph() string {
	return strings.Repeat(" ", int(s.From/max(s.Width, 1))) + chart.Sparkline(s.Values, len(s.Values))
}

func most(values []float64) float64 {
	top := 0.0
	for _, v := range values {
		top = max(top, v)
	}
	return top
}

// WriteJSON writes the report as one JSON object.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}
