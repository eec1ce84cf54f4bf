package chart

import (
	"fmt"
	"math"
	"strings"
)

// MaxLines is the maximum number of lines in a plot. More lines would be hard to distinguish.
const MaxLines = 8

// colors are the colors of lines on light and dark backgrounds. They are the palette of Okabe and
// Ito, which is distinguishable with any color vision; the colors for dark backgrounds are lighter.
var colors = [MaxLines][2]string{
	{"#0072b2", "#4aa8e0"}, {"#d55e00", "#f08a3c"}, {"#009e73", "#2fc79b"}, {"#b5569a", "#e08cc4"},
	{"#a67c00", "#e0b43c"}, {"#1f8fc4", "#8fd0f5"}, {"#6b6b6b", "#a8a8a8"}, {"#5b3fb0", "#a995ee"},
}

// dashes distinguish lines of similar color.
var dashes = []string{"none", "8 3", "3 3", "10 3 3 3"}

// These are dimensions in SVG units.
const (
	legendStep, legendInset = 24, 22
	labelWidth              = 44 // width of a label below the horizontal axis
)

// A Page is a self-contained SVG file, readable on light and dark pages.
type Page struct{ b strings.Builder }

// New starts a page with room for plots with the given number of lines.
func New(title string, width, height, lines int) *Page {
	p := &Page{}
	p.appendElement(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`, width, height, width, height)
	p.appendElement("<title>%s</title>\n%s"+`<rect class="ground" width="%d" height="%d"/>`, escape(title), style(min(lines, MaxLines)), width, height)
	return p
}

// These are the classes of text. Text without a class has the default style.
const (
	Title = "title"
	Soft  = "soft"
)

// Text writes a line of text whose left end is at x and whose baseline is at y.
func (p *Page) Text(x, y float64, class, s string) {
	p.appendElement(`<text class="%s" x="%.1f" y="%.1f">%s</text>`, class, x, y, escape(s))
}

// Bytes returns the finished page.
func (p *Page) Bytes() []byte {
	p.appendElement("</svg>")
	return []byte(p.b.String())
}

func (p *Page) appendElement(format string, args ...any) {
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

// A Plot is a rectangle with axes and lines.
type Plot struct {
	Left, Right, Top, Bottom int // position of the rectangle in SVG units, without the labels
	X, Y                     Axis
	Lines                    []Line
	Legend                   bool // adds a legend to the right of the rectangle
}

// An Axis extends from its first mark to its last.
type Axis struct {
	Name  string
	Marks []float64 // marks in ascending order; above 0 if Log is set
	Log   bool
	Label func(mark float64) string
}

// A Line connects its points. Its color depends on its index in the plot.
type Line struct {
	Name   string
	Points []Point
}

// A Point is a value of a line. Label is its tooltip.
type Point struct {
	X, Y  float64
	Label string
}

// Decades returns marks at powers of ten that enclose the given positive values.
func Decades(low, high float64) (marks []float64) {
	first, last := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	if first == last {
		last++
	}
	for e := first; e <= last; e++ {
		marks = append(marks, math.Pow(10, e))
	}
	return marks
}

// Steps returns marks from 0 to at least high, which must be positive, in steps of 1, 2 or 5 times
// a power of ten.
func Steps(high float64) (marks []float64) {
	step := math.Pow(10, math.Ceil(math.Log10(high)))
	for i := 0; high/step < 4; i++ { // steps of 10, 5, 2, 1, 0.5 ... times a power of ten
		step /= []float64{2, 2.5, 2}[i%3]
	}
	for i := 0.0; ; i++ {
		marks = append(marks, i*step)
		if i*step >= high {
			return marks
		}
	}
}

// part returns the relative position of a value on the axis: 0 at the first mark and 1 at the last.
// If the axis has only one mark, it returns the middle.
func (a *Axis) part(v float64) float64 {
	low, high := a.Marks[0], a.Marks[len(a.Marks)-1]
	if low == high {
		return 0.5
	}
	if a.Log {
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}
	return (v - low) / (high - low)
}

func (p *Plot) x(v float64) float64 {
	return float64(p.Left) + float64(p.Right-p.Left)*p.X.part(v)
}

func (p *Plot) y(v float64) float64 {
	return float64(p.Bottom) - float64(p.Bottom-p.Top)*p.Y.part(v)
}

// Draw draws a plot. It returns an error if there are more than MaxLines lines.
func (p *Page) Draw(plot *Plot) error {
	if n := len(plot.Lines); n > MaxLines {
		return fmt.Errorf("a chart of %d lines is hard to read; select at most %d", n, MaxLines)
	}
	p.axes(plot)
	for i, line := range plot.Lines {
		if len(line.Points) > 0 {
			p.appendElement(`<path class="line s%d" d="%s"/>`, i, pathThrough(len(line.Points), func(j int) (x, y float64) { return plot.x(line.Points[j].X), plot.y(line.Points[j].Y) }))
		}
		for _, at := range line.Points {
			p.appendElement(`<circle class="dot d%d" cx="%.1f" cy="%.1f" r="3"><title>%s</title></circle>`,
				i, plot.x(at.X), plot.y(at.Y), escape(at.Label))
		}
		if plot.Legend {
			left, row := plot.Right+legendInset, plot.Top+12+i*legendStep
			p.appendElement(`<path class="line s%d" d="M%d %dh30"/><circle class="dot d%d" cx="%d" cy="%d" r="3"/>`,
				i, left, row, i, left+15, row)
			p.Text(float64(left+38), float64(row+4), "", line.Name)
		}
	}
	return nil
}

func (p *Page) axes(plot *Plot) {
	for _, mark := range plot.Y.Marks {
		at := plot.y(mark)
		p.appendElement(`<path class="grid" d="M%d %.1fH%d"/>`, plot.Left, at, plot.Right)
		p.Text(float64(plot.Left-8), at+4, "tick end", plot.Y.Label(mark))
	}
	labelled := math.Inf(-1)
	for _, mark := range plot.X.Marks {
		at := plot.x(mark)
		p.appendElement(`<path class="axis" d="M%.1f %dv5"/>`, at, plot.Bottom)
		if at-labelled >= labelWidth {
			labelled = at
			p.Text(at, float64(plot.Bottom+20), "tick middle", plot.X.Label(mark))
		}
	}
	p.appendElement(`<path class="axis" d="M%d %dV%dH%d"/>`, plot.Left, plot.Top, plot.Bottom, plot.Right)
	if plot.X.Name != "" {
		p.Text(float64(plot.Left+plot.Right)/2, float64(plot.Bottom+44), "middle", plot.X.Name)
	}
	if plot.Y.Name != "" {
		p.appendElement(`<text class="middle" transform="translate(%d %d) rotate(-90)">%s</text>`,
			plot.Left-46, (plot.Top+plot.Bottom)/2, escape(plot.Y.Name))
	}
}

// style returns the CSS colors, which follow the reader's preference for light or dark.
func style(lines int) string {
	var light, dark strings.Builder
	for i := range lines {
		fmt.Fprintf(&light, ".s%d{stroke:%s;stroke-dasharray:%s}.d%d{fill:%s}\n",
			i, colors[i][0], dashes[i%len(dashes)], i, colors[i][0])
		fmt.Fprintf(&dark, ".s%d{stroke:%s}.d%d{fill:%s}\n", i, colors[i][1], i, colors[i][1])
	}
	return `<style>
text{font:13px system-ui,"DejaVu Sans",sans-serif;fill:#1f2328}
.title{font-size:17px;font-weight:600}.soft,.tick{font-size:12px;fill:#59636e}
.end{text-anchor:end}.middle{text-anchor:middle}
.ground{fill:#fff}.grid{stroke:#d8dee4}.axis{stroke:#59636e;fill:none}.line{fill:none;stroke-width:2}
` + light.String() + `@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.soft,.tick{fill:#9198a1}
.ground{fill:#0d1117}.grid{stroke:#30363d}.axis{stroke:#9198a1}
` + dark.String() + `}
</style>
`
}
