package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// Places in the picture, in SVG's units.
const (
	width, height           = 860, 440
	left, right             = 64, 640 // of the plot; the legend stands to the right of it
	top, bottom             = 64, 380
	legendStep, legendInset = 24, 22
	labelWidth              = 44 // of a size below the axis
)

// colors of the lines on light and dark backgrounds: the palette of Okabe and Ito, which
// is distinguishable with any color vision, lightened for dark backgrounds.
var colors = [][2]string{
	{"#0072b2", "#4aa8e0"}, {"#d55e00", "#f08a3c"}, {"#009e73", "#2fc79b"}, {"#b5569a", "#e08cc4"},
	{"#a67c00", "#e0b43c"}, {"#1f8fc4", "#8fd0f5"}, {"#6b6b6b", "#a8a8a8"}, {"#5b3fb0", "#a995ee"},
}

// dashes distinguish lines of similar color.
var dashes = []string{"none", "8 3", "3 3", "10 3 3 3"}

// svg returns the chart. It fails if there are more lines than a reader can distinguish.
func (r *results) svg(title string, log bool) ([]byte, error) {
	if len(r.series) > len(colors) {
		return nil, fmt.Errorf("%d lines: no more than %d can be told apart; select fewer", len(r.series), len(colors))
	}
	sizes := r.sizes()
	y := r.rates(log)
	x := func(size int64) float64 {
		first, last := math.Log2(float64(sizes[0])), math.Log2(float64(sizes[len(sizes)-1]))
		if first == last {
			return (left + right) / 2
		}
		return left + (right-left)*(math.Log2(float64(size))-first)/(last-first)
	}

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n",
		width, height, width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n%s", escape(title), style(len(r.series)))
	fmt.Fprintf(&b, `<rect class="ground" width="%d" height="%d"/>`+"\n", width, height)
	text(&b, left, 26, "title", title)
	text(&b, left, 46, "soft", r.cpu)

	for _, rate := range y.marks {
		at := y.place(rate)
		fmt.Fprintf(&b, `<path class="grid" d="M%d %.1fH%d"/>`+"\n", left, at, right)
		text(&b, left-8, at+4, "tick end", rateMark(rate))
	}
	labelled := math.Inf(-1)
	for _, size := range sizes {
		at := x(size)
		fmt.Fprintf(&b, `<path class="axis" d="M%.1f %dv5"/>`+"\n", at, bottom)
		if at-labelled >= labelWidth {
			labelled = at
			text(&b, at, bottom+20, "tick middle", bytesName(size))
		}
	}
	fmt.Fprintf(&b, `<path class="axis" d="M%d %dV%dH%d"/>`+"\n", left, top, bottom, right)
	text(&b, (left+right)/2, bottom+44, "middle", "input size (logarithmic)")
	label := "GB/s"
	if log {
		label = "GB/s (logarithmic)"
	}
	fmt.Fprintf(&b, `<text class="middle" transform="translate(18 %d) rotate(-90)">%s</text>`+"\n", (top+bottom)/2, label)

	for i, s := range r.series {
		var path strings.Builder
		for j, p := range s.points {
			fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(j, 1)], x(p.size), y.place(p.median))
		}
		fmt.Fprintf(&b, `<path class="line s%d" d="%s"/>`+"\n", i, path.String())
		for _, p := range s.points {
			fmt.Fprintf(&b, `<circle class="dot d%d" cx="%.1f" cy="%.1f" r="3"><title>%s, %s: %s GB/s</title></circle>`+"\n",
				i, x(p.size), y.place(p.median), escape(s.name), bytesName(p.size), rateName(p.median))
		}
		row := top + 12 + i*legendStep
		fmt.Fprintf(&b, `<path class="line s%d" d="M%d %dh30"/><circle class="dot d%d" cx="%d" cy="%d" r="3"/>`+"\n",
			i, right+legendInset, row, i, right+legendInset+15, row)
		text(&b, right+legendInset+38, float64(row+4), "", s.name)
	}
	b.WriteString("</svg>\n")
	return []byte(b.String()), nil
}

// A rateScale is the vertical axis.
type rateScale struct {
	low, high float64
	log       bool
	marks     []float64
}

// rates returns an axis for all medians: linear from 0, or logarithmic in whole decades.
func (r *results) rates(log bool) rateScale {
	low, high := math.Inf(1), 0.0
	for _, s := range r.series {
		for _, p := range s.points {
			low, high = min(low, p.median), max(high, p.median)
		}
	}
	y := rateScale{log: log}
	if log {
		first, last := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
		if first == last {
			last++
		}
		for e := first; e <= last; e++ {
			y.marks = append(y.marks, math.Pow(10, e))
		}
	} else {
		step := math.Pow(10, math.Ceil(math.Log10(high)))
		for i := 0; high/step < 4; i++ { // 10, 5, 2, 1, 0.5 ...
			step /= []float64{2, 2.5, 2}[i%3]
		}
		for i := 0.0; ; i++ {
			y.marks = append(y.marks, i*step)
			if i*step >= high {
				break
			}
		}
	}
	y.low, y.high = y.marks[0], y.marks[len(y.marks)-1]
	return y
}

func (y rateScale) place(rate float64) float64 {
	low, high := y.low, y.high
	if y.log {
		rate, low, high = math.Log(rate), math.Log(low), math.Log(high)
	}
	return bottom - (bottom-top)*(rate-low)/(high-low)
}

func rateMark(rate float64) string { return fmt.Sprintf("%.4g", rate) }

// style returns all colors, so that background, text and lines follow the reader's
// preference.
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

func text(b *strings.Builder, x, y float64, class, s string) {
	fmt.Fprintf(b, `<text class="%s" x="%.1f" y="%.1f">%s</text>`+"\n", class, x, y, escape(s))
}

// escape escapes any bytes for XML, and replaces control characters, which XML cannot hold.
func escape(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xfffe || r == 0xffff {
			return '\ufffd'
		}
		return r
	}, s))
}
