// Package chart draws series of numbers: as lines in SVG, for pages of HTML, and as letters.
//
//	page.WriteString("<style>" + chart.Style + "</style><div class=charts>")
//	line := chart.Line{Title: "wall time", Values: values, High: 60, Marks: marks}
//	line.Write(page)
//
// A page defines the colors --curve, --grid, --dim, --step, --bad and --good.
package chart

import (
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"
)

// Style is the style of charts, which lie in an element of class charts.
const Style = `
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(21rem, 1fr)); gap: 1rem } .charts figure { margin: 0 }
.charts figcaption { display: flex; justify-content: space-between; gap: 1rem; font-weight: 400 } .charts figcaption b { white-space: nowrap } .charts figcaption span { color: var(--dim) }
.charts svg { width: 100%; height: auto; display: block } .charts text { font: 10px system-ui, sans-serif; fill: var(--dim) }
.axis { stroke: var(--grid) } .curve { stroke: var(--curve); fill: none; stroke-width: 1.5; vector-effect: non-scaling-stroke }
.step, .level { stroke: var(--step); stroke-dasharray: 4 3 } .spike, .bad-mark { fill: var(--bad) } .good-mark { fill: var(--good) }
`

// A Line is a series of numbers with its title and marks.
type Line struct {
	Title, Note string    // above
	Label       string    // for readers that do not see the drawing
	Values      []float64 // NaN leaves a gap
	Low, High   float64   // ends of the axis
	Marks       []Mark
	Levels      []Level
	First, Last string // below the ends
}

// A Mark is drawn at one value.
type Mark struct {
	At    int
	Kind  Kind
	Title string // shown when it is pointed at
}

// A Kind is the look of a mark: a vertical line for a step, a dot for the others.
type Kind string

const (
	Step  Kind = "step"
	Spike Kind = "spike"
	Bad   Kind = "bad-mark"
	Good  Kind = "good-mark"
)

// A Level is a line across, such as a budget.
type Level struct {
	Value float64
	Title string
}

// Size in units of the drawing.
const (
	width, height = 380.0, 120.0
	side          = 4.0
	top, bottom   = 8.0, 18.0
)

// Write writes the chart as a figure. All texts are escaped.
func (l *Line) Write(w io.Writer) error {
	var b strings.Builder
	span := l.High - l.Low
	if !(span > 0) {
		span = 1
	}
	x := func(i int) float64 {
		return side + (width-2*side)*float64(i)/float64(max(1, len(l.Values)-1))
	}
	y := func(v float64) float64 {
		return height - bottom - (height-top-bottom)*min(1.05, max(0, (v-l.Low)/span))
	}
	f := func(format string, args ...any) {
		for i, a := range args {
			if s, ok := a.(string); ok {
				args[i] = html.EscapeString(s)
			}
		}
		fmt.Fprintf(&b, format, args...)
	}
	f("<figure><figcaption><b>%s</b><span>%s</span></figcaption>\n<svg viewBox=\"0 0 %g %g\" role=img aria-label=\"%s\">", l.Title, l.Note, width, height, l.Label)
	f("<path class=axis d=\"M%g %gH%g\"/>", side, height-bottom, width-side)
	for _, level := range l.Levels {
		f("<path class=level d=\"M%g %.1fH%g\"><title>%s</title></path>", side, y(level.Value), width-side, level.Title)
	}
	for _, m := range l.Marks {
		if m.Kind == Step {
			f("<path class=step d=\"M%.1f %gV%g\"><title>%s</title></path>", x(m.At), top, height-bottom, m.Title)
		}
	}
	b.WriteString("<path class=curve d=\"")
	pen := 'M'
	for i, v := range l.Values {
		if math.IsNaN(v) {
			pen = 'M'
			continue
		}
		f("%c%.1f %.1f", pen, x(i), y(v))
		if pen == 'M' {
			b.WriteString("h0") // a value by itself shows as a point
		}
		pen = 'L'
	}
	b.WriteString("\" stroke-linecap=round />")
	for _, m := range l.Marks {
		if m.Kind != Step && !math.IsNaN(l.Values[m.At]) {
			f("<circle class=%s cx=%.1f cy=%.1f r=3><title>%s</title></circle>", string(m.Kind), x(m.At), y(l.Values[m.At]), m.Title)
		}
	}
	f("<text x=%g y=%g>%s</text><text x=%g y=%g text-anchor=end>%s</text></svg></figure>\n", side, height-4, l.First, width-side, height-4, l.Last)
	_, err := io.WriteString(w, b.String())
	return err
}

// Sparkline draws values as a line of text with at most width letters. A letter shows the highest of
// its values, on a scale from 0, or from the least value below 0, to the highest value.
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
