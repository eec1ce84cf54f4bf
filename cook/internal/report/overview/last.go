package overview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/stats"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// keyTable returns the key figures of the output directory and of the latest run.
func keyTable(r *Report) *Table {
	t := &Table{Key: "key", Title: "Key figures", Columns: []Column{{"figure", "figure", Text, false}, {"value", "value", Text, false}, {"raw", "raw", Number, false}}}
	var in, out, took, failed, files int64
	for i := range r.in.Assets {
		a := &r.in.Assets[i]
		in += a.In
		out += a.Out()
		took += int64(a.CookTime)
		files += int64(len(a.Outputs))
		if a.Failed {
			failed++
		}
	}
	number := func(figure string, n int64) { t.addTableRow(figure, Number.showCell(n), n) }
	number("assets", int64(len(r.in.Assets)))
	number("cooked files", files)
	number("failed assets", failed)
	t.addTableRow("bytes of sources", human.Bytes(in), in)
	t.addTableRow("bytes of cooked files", human.Bytes(out), out)
	t.addTableRow("time to cook everything, on one core", human.Duration(time.Duration(took)), took)
	number("runs in the history", int64(len(r.in.Runs)))
	if r.last != nil {
		t.addTableRow("last cook took", human.Duration(r.last.Took), int64(r.last.Took))
		for _, c := range []struct{ figure, counter string }{
			{"last cook: cooked", "cook/cook/count"}, {"last cook: restored from the store", "cook/restore/count"}, {"last cook: outputs unchanged", "cook/unchanged/count"},
			{"last cook: failed", "cook/fail/count"}, {"last cook: outputs removed", "cook/remove/count"},
		} {
			number(c.figure, r.last.Counts[c.counter])
		}
		t.addTableRow("last cook: up to date", percent(shareUpToDate(r.last)), int64(r.last.Counts["cook/skip/stamp/count"]+r.last.Counts["cook/skip/checksum/count"]))
		saved := time.Duration(r.last.Counts["cook/saved_ns"])
		t.addTableRow("last cook: cook time saved", human.Duration(saved), int64(saved))
	}
	var saved, cooked, restored int64
	for i := range r.in.Runs {
		c := r.in.Runs[i].Counts
		saved += c["cook/saved_ns"]
		cooked += c["cook/cook/count"]
		restored += c["cook/restore/count"]
	}
	t.addTableRow("all runs: cook time saved", human.Duration(time.Duration(saved)), saved)
	if cooked+restored > 0 {
		t.addTableRow("all runs: work saved by the store", percent(float64(restored)/float64(cooked+restored)), restored)
	}
	return t
}

// shareUpToDate returns the share of assets that needed no work.
func shareUpToDate(p *stats.Past) float64 {
	return float64(p.Counts["cook/skip/stamp/count"]+p.Counts["cook/skip/checksum/count"]) / float64(max(1, p.Counts["cook/found/count"]))
}

// reasonsTable counts the reasons why the latest run worked on assets.
func reasonsTable(r *Report) *Table {
	t := &Table{Key: "reasons", Title: "Why assets were worked on", Columns: []Column{
		{"why", "why", Text, false}, {"assets", "assets", Number, true}, {"cook_ns", "cook time", Time, true}, {"example", "such as", Name, false},
	}, Note: "Each asset is counted under its first reason."}
	type group struct {
		why, example string
		assets       int64
		took         time.Duration
	}
	byReason := map[string]*group{}
	var groups []*group
	for i := range r.in.Assets {
		a := &r.in.Assets[i]
		if !r.ofLast(a) || len(a.Last.Reasons) == 0 {
			continue
		}
		why, _, _ := strings.Cut(a.Last.Reasons[0], ": ")
		g := byReason[why]
		if g == nil {
			g = &group{why: why, example: a.Path}
			byReason[why] = g
			groups = append(groups, g)
		}
		g.assets++
		if a.Last.Outcome == execute.Cooked || a.Last.Outcome == execute.Unchanged {
			g.took += a.CookTime
		}
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Compare(b.assets, a.assets) })
	for _, g := range groups {
		t.addTableRow(g.why, g.assets, g.took, g.example)
	}
	return t
}

// againTable lists the assets that the latest run worked on, slowest first.
func againTable(r *Report) *Table {
	t := &Table{Key: "again", Title: "What the last cook worked on", Columns: []Column{
		{"path", "asset", Name, false}, {"target", "target", Name, false}, {"outcome", "outcome", Text, false}, {"why", "why", Text, false},
		{"cook_ns", "cook time", Time, true}, {"bytes_out", "cooked", Bytes, true}, {"used_by", "used by", Text, false},
	}, Note: "The cook time of restored assets is the saved time. Artifacts of removed sources are in the growth below."}
	for i := range r.in.Assets {
		if a := &r.in.Assets[i]; r.ofLast(a) {
			t.addTableRow(a.Path, a.Target, string(a.Last.Outcome), joinLines(a.Last.Reasons), a.CookTime, a.Out(), r.usedBy(a.Path))
		}
	}
	took := t.column("cook_ns")
	slices.SortStableFunc(t.Rows, func(a, b []any) int { return cmp.Compare(b[took].(time.Duration), a[took].(time.Duration)) })
	return t
}

// workersTable lists the work of each worker in the latest run.
func workersTable(r *Report) *Table {
	t := &Table{Key: "workers", Title: "Time line of the last cook", Columns: []Column{
		{"worker", "worker", Number, false}, {"begin_ns", "from", Time, false}, {"end_ns", "to", Time, false}, {"busy_ns", "busy", Time, true},
		{"waited_ns", "time spent waiting for memory", Time, true}, {"helped_ns", "time of idle cores that helped", Time, true}, {"assets", "assets", Number, true}, {"path", "longest asset", Name, false},
	}}
	if r.last == nil || r.last.Detail == nil {
		t.Note = "The history has no details of the last cook."
		return t
	}
	for _, s := range r.last.Detail.Spans {
		t.addTableRow(int64(s.Worker), s.Begin, s.End, s.Busy, s.Waited, s.Helped, int64(s.Assets), string(s.Path))
	}
	return t
}

// stagesTable lists the time of each stage of the latest run.
func stagesTable(r *Report) *Table {
	t := &Table{Key: "stages", Title: "Stages of the last cook", Columns: []Column{
		{"stage", "stage", Text, false}, {"ns", "time", Time, true}, {"share", "share", Percent, false}, {"peak_rss", "peak memory until then", Bytes, false}}}
	if r.last != nil {
		for _, s := range r.last.Stages {
			t.addTableRow(s.Name, s.Took, float64(s.Took)/float64(max(1, r.last.Took)), s.PeakRSS)
		}
	}
	return t
}

// Bound returns the name of the bottleneck of a run.
func Bound(p *stats.Past) string {
	if p == nil || p.Detail == nil || p.Detail.Took <= 0 || p.Detail.Workers == 0 {
		return "Unknown: the history has no details of the last cook."
	}
	const much = 0.15 // minimum share of the workers' time
	d := p.Detail
	whole := float64(d.Took) * float64(d.Workers)
	waited := float64(d.Waited) / whole
	idle := max(0, float64(d.Idle-d.Helped)/whole)
	busy := min(1, float64(d.Busy-d.Waited+d.Helped)/whole)
	var longest stats.Stage
	for _, s := range p.Stages {
		if s.Name != "cook" && s.Took > longest.Took {
			longest = s
		}
	}
	workers := human.Count(d.Workers, "worker")
	switch {
	case d.Took < p.Took/2 && longest.Took > 0:
		return fmt.Sprintf("Files: cooking took %s of %s; stage %s took %s.", human.Duration(d.Took), human.Duration(p.Took), longest.Name, human.Duration(longest.Took))
	case waited >= much && waited >= idle:
		return fmt.Sprintf("Memory: %s waited %s of their time for memory; allow more memory, or use fewer workers.", workers, percent(waited))
	case idle >= much:
		last := lastSpan(d)
		text := fmt.Sprintf("One long asset: %s took %s", pathname.Show(string(last.Path)), human.Duration(last.End-last.Begin))
		if d.Workers == 1 || d.Alone == d.Took {
			return text + "; there was nothing else to do."
		}
		return fmt.Sprintf("%s, and for the last %s nothing else was left; the workers were idle %s of their time.", text, human.Duration(d.Alone), percent(idle))
	}
	return fmt.Sprintf("Cores: %s were busy %s of the time; more cores would shorten the cook.", workers, percent(busy))
}

// lastSpan returns the span with the latest end.
func lastSpan(d *execute.Detail) (last execute.Span) {
	for _, s := range d.Spans {
		if s.End > last.End {
			last = s
		}
	}
	return last
}
