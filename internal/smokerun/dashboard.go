package smokerun

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/chart"
)

// pageStyle is the CSS of the page that WriteHTML makes.
const pageStyle = chart.Style + `
:root { color-scheme: light dark; --curve: #2563eb; --bad: #b91c1c; --good: #15803d; --step: #a16207; --dim: #6b7280; --grid: #8884; }
@media (prefers-color-scheme: dark) { :root { --curve: #60a5fa; --bad: #f87171; --good: #4ade80; --step: #fbbf24; --dim: #9ca3af; } }
body { font: 14px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.4rem } h2 { font-size: 1.15rem; margin-top: 2rem; border-bottom: 1px solid var(--grid) }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: .15rem .6rem .15rem 0; vertical-align: top }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums } .bad { color: var(--bad) } .good { color: var(--good) }
tr + tr td { border-top: 1px solid var(--grid) } .dim { color: var(--dim) } details { margin: .6rem 0 }
`

// WriteHTML writes a self-contained HTML page for the records. It shows the trend of each figure,
// the budgets, and the changes with their commits.
func (h History) WriteHTML(w io.Writer) error {
	p := &strings.Builder{}
	title := "smoke runs"
	if len(h) > 0 {
		title = h[len(h)-1].Suite + ": " + title
	}
	fmt.Fprintf(p, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>%s</title>\n<style>%s</style>\n<h1>%s</h1>\n",
		html.EscapeString(title), pageStyle, html.EscapeString(title))
	if len(h) == 0 {
		fmt.Fprintln(p, "<p>There are no records yet.</p>")
	} else {
		h.writePage(p)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

func (h History) writePage(p *strings.Builder) {
	last := h[len(h)-1]
	fmt.Fprintf(p, "<p>%d records, the last of %s at %s; %s/%s, %s, %d cores of %s</p>\n", len(h), html.EscapeString(last.Build.String()),
		last.At.Format(time.DateTime), last.Build.OS, last.Build.Arch, html.EscapeString(last.Build.Go), last.Machine.Cores, html.EscapeString(last.Machine.Name))
	shifts := h.Shifts()
	h.writeShifts(p, shifts)
	for _, step := range h.steps() {
		s := last.step(step)
		if s == nil {
			continue
		}
		fmt.Fprintf(p, "<h2>%s</h2>\n<div class=\"charts\">\n", html.EscapeString(step))
		for _, f := range trends(s, step, shifts) {
			h.writeChart(p, step, f, shifts)
		}
		fmt.Fprintln(p, "</div>")
		writeBreakdown(p, s)
	}
}

// writeShifts writes a list of the changes, latest first.
func (h History) writeShifts(p *strings.Builder, shifts []Shift) {
	if len(shifts) == 0 {
		fmt.Fprintln(p, "<p>Nothing has changed.</p>")
		return
	}
	fmt.Fprintln(p, "<h2>What changed</h2>\n<table><tr><th>commit<th>step<th>figure<th class=n>before<th class=n>after<th class=n>change<th>because of")
	for i := len(shifts) - 1; i >= 0; i-- {
		s := &shifts[i]
		class := "good"
		if s.Worse() {
			class = "bad"
		}
		fmt.Fprintf(p, "<tr><td>%s<td>%s<td>%s<td class=n>%s<td class=n>%s<td class=\"n %s\">%s<td>%s\n", html.EscapeString(h[s.At].Build.String()),
			html.EscapeString(s.Step), html.EscapeString(s.Figure), format(s.Figure, s.Before), format(s.Figure, s.After), class, s.growth(), html.EscapeString(s.because()))
	}
	fmt.Fprintln(p, "</table>")
}

// trends returns the figures of a step that the page plots: figures that can fail a comparison,
// figures with a budget, and exact figures that have changed.
func trends(s *Step, step string, shifts []Shift) []Figure {
	var drawn []Figure
	for _, f := range s.Figures {
		_, budget := s.Budgets[f.Name]
		changed := slices.ContainsFunc(shifts, func(c Shift) bool { return c.Step == step && c.Figure == f.Name })
		if f.Class == CPUClass || f.Class == instructionsClass || f.Class == AllocationsClass || f.Name == PeakRSS || budget || changed {
			drawn = append(drawn, f)
		}
	}
	return drawn
}

// writeChart plots a figure over the records.
func (h History) writeChart(p *strings.Builder, step string, f Figure, shifts []Shift) {
	line := chart.Trend{
		Title: f.Name, Note: format(f.Name, f.Value), Label: step + ", " + f.Name,
		First: h[0].At.Format(time.DateOnly), Last: h[len(h)-1].At.Format(time.DateOnly),
	}
	high, budget := 0.0, 0.0
	for _, r := range h {
		value := math.NaN()
		if s := r.step(step); s != nil {
			if g, ok := s.Figure(f.Name); ok {
				value, high = g.Value, max(high, g.Value)
			}
			budget = s.Budgets[f.Name]
		}
		line.Values = append(line.Values, value)
	}
	line.High = max(high, budget) * 1.05
	if budget > 0 {
		line.Levels = []chart.Level{{Value: budget, Title: "budget: " + format(f.Name, budget)}}
	}
	for _, s := range shifts {
		if s.Step != step || s.Figure != f.Name {
			continue
		}
		kind := chart.Good
		if s.Worse() {
			kind = chart.Bad
		}
		line.Marks = append(line.Marks, chart.Mark{At: s.At, Kind: kind, Title: h[s.At].Build.String() + ": " + s.String()})
	}
	line.Write(p)
}

// writeBreakdown writes the details of a step: its timers, its levels, and the functions that
// allocate most.
func writeBreakdown(p *strings.Builder, s *Step) {
	for _, part := range []struct {
		title string
		class Class
	}{{"Time by scope", TimeClass}, {"Instructions by function", codeClass}, {"Bytes allocated by function", SiteClass}, {"Levels", LevelClass}, {"Exact figures", Exact}} {
		var figures []Figure
		for _, f := range s.Figures {
			if f.Class == part.class && f.Value != 0 {
				figures = append(figures, f)
			}
		}
		if len(figures) == 0 {
			continue
		}
		if part.class != Exact && part.class != LevelClass {
			slices.SortStableFunc(figures, func(a, b Figure) int { return cmp.Compare(b.Value, a.Value) })
			figures = figures[:min(30, len(figures))]
		}
		fmt.Fprintf(p, "<details><summary>%s</summary><table><tr><th>name<th class=n>value<th class=n>highest frame<th class=n>longest run of spikes\n", part.title)
		for _, f := range figures {
			peak, spikes := "", ""
			if s.Frames > 1 && f.Peak != 0 {
				peak, spikes = formatClass(f, f.Peak), fmt.Sprint(f.Spikes)
			}
			fmt.Fprintf(p, "<tr><td>%s<td class=n>%s<td class=n>%s<td class=n>%s\n", html.EscapeString(f.Name), formatClass(f, f.Value), peak, spikes)
		}
		fmt.Fprintln(p, "</table></details>")
	}
}

// formatClass formats a value in the unit of its class.
func formatClass(f Figure, v float64) string {
	switch f.Class {
	case TimeClass:
		return format("ns", v)
	case SiteClass:
		return format(AllocatedBytes, v)
	}
	return format(f.Name, v)
}
