// Package chart draws line charts as SVG: a [Trend] for HTML pages, and a [Page] of plots with axes
// as a file. [Sparkline] draws values as characters.
//
//	page.WriteString("<style>" + chart.Style + "</style><div class=charts>")
//	trend := chart.Trend{Title: "wall time", Values: values, High: 60, Marks: marks}
//	trend.Write(page)
//
// An HTML page with trends must define the CSS colors --curve, --grid, --dim, --step, --bad and
// --good.
package chart

import (
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"
)

// Style is the CSS for trends. They must be inside an element of class charts.
const Style = `
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(21rem, 1fr)); gap: 1rem } .charts figure { margin: 0 }
.charts figcaption { display: flex; justify-content: space-between; gap: 1rem; font-weight: 400 } .charts figcaption b { white-space: nowrap } .charts figcaption span { color: var(--dim) }
.charts svg { width: 100%; height: auto; display: block } .charts text { font: 10px system-ui, sans-serif; fill: var(--dim) }
.axis { stroke: var(--grid) } .curve { stroke: var(--curve); fill: none; stroke-width: 1.5; vector-effect: non-scaling-stroke }
.step, .level { stroke: var(--step); stroke-dasharray: 4 3 } .spike, .bad-mark { fill: var(--bad) } .good-mark { fill: var(--good) }
`

// A Trend is a series of values with a title and marks.
type Trend struct {
	Title, Note string    // texts above the chart
	Label       string    // text for screen readers
	Values      []float64 // values from left to right; NaN leaves a gap
	Low, High   float64   // limits of the vertical axis
	Marks       []Mark
	Levels      []Level
	First, Last string // texts below the two ends of the horizontal axis
}

// A Mark highlights one value.
type Mark struct {
	At    int
	Kind  Kind
	Title string // tooltip
}

// A Kind is the appearance of a mark. A step is a vertical line; other kinds are dots.
type Kind string

const (
	Step  Kind = "step"
	Spike Kind = "spike"
	Bad   Kind = "bad-mark"
	Good  Kind = "good-mark"
)

// A Level is a horizontal line, such as a budget.
type Level struct {
	Value float64
	Title string
}

// These are dimensions in SVG units.
const (
	width, height = 380.0, 120.0
	side          = 4.0
	top, bottom   = 8.0, 18.0
)

// Write writes the trend as a figure. All texts are escaped.
func (t *Trend) Write(w io.Writer) error {
	var b strings.Builder
	span := t.High - t.Low
	if !(span > 0) {
		span = 1
	}
	x := func(i int) float64 {
		return side + (width-2*side)*float64(i)/float64(max(1, len(t.Values)-1))
	}
	y := func(v float64) float64 {
		return height - bottom - (height-top-bottom)*min(1.05, max(0, (v-t.Low)/span))
	}
	f := func(format string, args ...any) {
		for i, a := range args {
			if s, ok := a.(string); ok {
				args[i] = escape(s)
			}
		}
		fmt.Fprintf(&b, format, args...)
	}
	f("<figure><figcaption><b>%s</b><span>%s</span></figcaption>\n<svg viewBox=\"0 0 %g %g\" role=img aria-label=\"%s\">", t.Title, t.Note, width, height, t.Label)
	f("<path class=axis d=\"M%g %gH%g\"/>", side, height-bottom, width-side)
	for _, level := range t.Levels {
		f("<path class=level d=\"M%g %.1fH%g\"><title>%s</title></path>", side, y(level.Value), width-side, level.Title)
	}
	for _, m := range t.Marks {
		if m.Kind == Step {
			f("<path class=step d=\"M%.1f %gV%g\"><title>%s</title></path>", x(m.At), top, height-bottom, m.Title)
		}
	}
	f("<path class=curve d=\"%s\" stroke-linecap=round />", pathThrough(len(t.Values), func(i int) (float64, float64) { return x(i), y(t.Values[i]) }))
	for _, m := range t.Marks {
		if m.Kind != Step && !math.IsNaN(t.Values[m.At]) {
			f("<circle class=%s cx=%.1f cy=%.1f r=3><title>%s</title></circle>", string(m.Kind), x(m.At), y(t.Values[m.At]), m.Title)
		}
	}
	f("<text x=%g y=%g>%s</text><text x=%g y=%g text-anchor=end>%s</text></svg></figure>\n", side, height-4, t.First, width-side, height-4, t.Last)
	_, err := io.WriteString(w, b.String())
	return err
}

// pathThrough returns the SVG path through n points. NaN leaves a gap. A point between two gaps is
// drawn as a dot.
func pathThrough(n int, at func(i int) (x, y float64)) string {
	var b strings.Builder
	length := 0 // number of points since the last gap
	gap := func() {
		if length == 1 {
			b.WriteString("h0")
		}
		length = 0
	}
	for i := range n {
		x, y := at(i)
		if math.IsNaN(y) {
			gap()
			continue
		}
		fmt.Fprintf(&b, "%c%.1f %.1f", "ML"[min(length, 1)], x, y)
		length++
	}
	gap()
	return b.String()
}

// escape escapes arbitrary bytes for XML. It replaces control characters, which XML does not allow.
func escape(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xfffe || r == 0xffff {
			return '\ufffd'
		}
		return r
	}, s))
}

// Sparkline draws values as a line of at most width characters. Each character shows the largest of
// its values. The scale starts at 0, or at the smallest value if that is negative, and ends at the
// largest value.
func Sparkline(values []float64, width int) string {
	bars := []rune("▁▂▃▄▅▆▇█")
	least, top := 0.0, 0.0
	for _, v := range values {
		least, top = min(least, v), max(top, v)
	}
	n := min(width, len(values))
	line := make([]rune, n)
	for i := range line {
		v := slices.Max(values[i*len(values)/n : max(i*len(values)/n+1, (i+1)*len(values)/n)])
		part := 0.0
		if top > least {
			part = v/(top-least) - least/(top-least)
		}
		line[i] = bars[int(math.Round(part*float64(len(bars)-1)))]
	}
	return string(line)
}
