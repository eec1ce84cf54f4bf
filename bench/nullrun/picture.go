package main

import (
	"fmt"
	"math"

	"github.com/assetcook/assetcook/bench/internal/svgplot"
)

// Positions in the picture, in SVG units. Each row has two plots, with the names of the
// contestants to their right.
const (
	pictureWidth          = 940
	timeLeft, timeRight   = 72, 312
	spaceLeft, spaceRight = 404, 644
	headHeight            = 64  // above the first row
	plotHeight            = 140 // minimum
	lineHeight            = 24  // of a contestant's name
	aboveRow, belowRow    = 34, 38
)

// picture draws wall time and peak memory over the number of files, both logarithmic.
func (r *Report) picture() ([]byte, error) {
	sizes, curves := r.curves()
	var rows [][]*curve
	for _, c := range curves {
		if n := len(rows); n == 0 || rows[n-1][0].row != c.row {
			rows = append(rows, nil)
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], c)
	}
	height := func(row []*curve) int { return max(plotHeight, len(row)*lineHeight) }
	total, lines := headHeight, 0
	for _, row := range rows {
		total += aboveRow + height(row) + belowRow
		lines = max(lines, len(row))
	}
	title := "Time and memory over the number of files"
	page := svgplot.New(title, pictureWidth, total, lines)
	page.Text(timeLeft, 26, svgplot.Title, title)
	page.Text(timeLeft, 46, svgplot.Soft, "medians; all axes are logarithmic")
	x := svgplot.Axis{Log: true, Label: func(files float64) string { return thousands(int(files)) }}
	for _, files := range sizes {
		x.Marks = append(x.Marks, float64(files))
	}
	top := headHeight
	for _, row := range rows {
		top += aboveRow
		page.Text(timeLeft, float64(top-12), "", row[0].row+": wall time")
		page.Text(spaceLeft, float64(top-12), "", "peak memory")
		bottom := top + height(row)
		seconds := svgplot.Plot{Left: timeLeft, Right: timeRight, Top: top, Bottom: bottom, X: x}
		seconds.Y.Label = func(s float64) string { return decade(s, []string{"ns", "µs", "ms", "s"}, 1e-9) }
		bytes := svgplot.Plot{Left: spaceLeft, Right: spaceRight, Top: top, Bottom: bottom, X: x, Legend: true}
		bytes.Y.Label = func(n float64) string { return decade(n, []string{"MiB"}, 1) }
		for _, c := range row {
			seconds.Lines = append(seconds.Lines, c.curveLine(sizes, func(e *Entry) (float64, string) { return e.Wall.Seconds(), duration(e.Wall) }))
			bytes.Lines = append(bytes.Lines, c.curveLine(sizes, func(e *Entry) (float64, string) {
				if e.AtMost {
					return 0, ""
				}
				return float64(e.MaxRSS) / (1 << 20), e.memory()
			}))
		}
		for _, plot := range []*svgplot.Plot{&seconds, &bytes} {
			plot.Y.Log, plot.Y.Marks = true, marks(plot.Lines)
			if err := page.Draw(plot); err != nil {
				return nil, fmt.Errorf("%s: %w", row[0].row, err)
			}
		}
		top = bottom + belowRow
	}
	return page.Bytes(), nil
}

// curveLine returns the contestant's line, without points whose value is not positive.
func (c *curve) curveLine(sizes []int, value func(e *Entry) (v float64, text string)) svgplot.Line {
	line := svgplot.Line{Name: c.name}
	for _, files := range sizes {
		e := c.at[files]
		if e == nil {
			continue
		}
		if v, text := value(e); v > 0 {
			line.Points = append(line.Points, svgplot.Point{X: float64(files), Y: v, Label: fmt.Sprintf("%s, %s files: %s", c.name, thousands(files), text)})
		}
	}
	return line
}

// marks returns the decades that contain all points.
func marks(lines []svgplot.Line) []float64 {
	low, high := math.Inf(1), 0.0
	for _, line := range lines {
		for _, p := range line.Points {
			low, high = min(low, p.Y), max(high, p.Y)
		}
	}
	if high == 0 {
		low, high = 1, 1
	}
	return svgplot.Decades(low, high)
}

// decade writes a power of ten in the largest unit that gives a whole number. Each unit is a
// thousand times the previous one; the first one is small.
func decade(v float64, units []string, small float64) string {
	v /= small
	for len(units) > 1 && v >= 999.5 {
		v, units = v/1000, units[1:]
	}
	return fmt.Sprintf("%.0f %s", v, units[0])
}
