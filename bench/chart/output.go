package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/chart"
)

// markdown returns a Markdown table with a row for each series and a column for each value of x.
// Cells are in GB/s, or in ns for short inputs and for columns that are not sizes.
func (r *results) markdown(o *output) []byte {
	columns := r.columns()
	mixed := r.x == sizeKey && o.timesTo > 0
	var b strings.Builder
	b.WriteString("| " + cell(o.series))
	for _, n := range columns {
		b.WriteString(" | " + r.columnName(n))
		switch {
		case mixed && n <= o.timesTo:
			b.WriteString(", ns")
		case mixed:
			b.WriteString(", GB/s")
		}
	}
	b.WriteString(" |\n|---" + strings.Repeat("|---:", len(columns)) + "|\n")
	for _, s := range r.series {
		b.WriteString("| " + cell(s.name))
		for _, n := range columns {
			b.WriteString(" | ")
			at := slices.IndexFunc(s.points, func(p point) bool { return p.n == n })
			if at < 0 {
				continue
			}
			low, median, high := s.points[at].times[0], s.points[at].times[1], s.points[at].times[2]
			if r.x == sizeKey && n > o.timesTo {
				low, median, high = float64(n)/high, float64(n)/median, float64(n)/low
			}
			b.WriteString(threeDigits(median))
			if o.quartiles {
				fmt.Fprintf(&b, " (%s-%s)", threeDigits(low), threeDigits(high))
			}
		}
		b.WriteString(" |\n")
	}
	return []byte(b.String())
}

// cell escapes a name for a table cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// columns returns the sorted values of x that occur in any series.
func (r *results) columns() []int64 {
	var columns []int64
	for _, s := range r.series {
		for _, p := range s.points {
			columns = append(columns, p.n)
		}
	}
	slices.Sort(columns)
	return slices.Compact(columns)
}

// columnName returns a heading such as "64 KiB" for a size and "10,000 names, ns" for another key.
func (r *results) columnName(n int64) string {
	if r.x == sizeKey {
		return bytesName(n)
	}
	digits := strconv.FormatInt(n, 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits + " " + cell(r.x) + ", ns"
}

// bytesName formats a size as a whole number of the largest possible unit.
func bytesName(n int64) string {
	unit := ""
	for _, next := range []string{"Ki", "Mi", "Gi"} {
		if n%1024 != 0 {
			break
		}
		n, unit = n/1024, next
	}
	return fmt.Sprintf("%d %sB", n, unit)
}

// threeDigits formats GB/s or ns with three significant digits.
func threeDigits(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 0.01:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

// These are positions in the chart, in SVG units.
const (
	width, height = 860, 440
	left, right   = 64, 640 // left and right edge of the plots; the legend is to their right
	top, bottom   = 64, 380
	timesRight    = 270
	rateLeft      = 360
)

// svg returns the chart as SVG. It plots throughput by size, and at its left the time for inputs of
// up to timesTo bytes. It fails if the chart has too many lines to distinguish.
func (r *results) svg(title string, log bool, timesTo int64) ([]byte, error) {
	if r.x != sizeKey {
		return nil, errors.New("only sizes can be drawn; -table prints others")
	}
	if title == "" {
		title = "Throughput"
		if timesTo > 0 {
			title = "Time of short inputs, throughput of long ones"
		}
	}
	page := chart.New(title, width, height, len(r.series))
	page.Text(left, 26, chart.Title, title)
	page.Text(left, 46, chart.Soft, r.cpu)
	columns := r.columns()
	short, _ := slices.BinarySearch(columns, timesTo+1)
	if timesTo > 0 && (short == 0 || short == len(columns)) {
		return nil, fmt.Errorf("-ns %d: want sizes on both sides of this limit", timesTo)
	}
	rates := r.plot(columns[short:], "GB/s", log, point.rate)
	if short > 0 {
		times := r.plot(columns[:short], "ns", log, func(p point) float64 { return p.times[1] })
		times.Right, times.Legend = timesRight, false
		rates.Left = rateLeft
		if err := page.Draw(&times); err != nil {
			return nil, err
		}
	}
	if err := page.Draw(&rates); err != nil {
		return nil, err
	}
	return page.Bytes(), nil
}

// plot plots the value of each series at the given sizes. The vertical axis is either linear from
// 0, or logarithmic in whole decades.
func (r *results) plot(sizes []int64, unit string, log bool, value func(point) float64) chart.Plot {
	low, high := math.Inf(1), 0.0
	plot := chart.Plot{Left: left, Right: right, Top: top, Bottom: bottom, Legend: true}
	for _, s := range r.series {
		line := chart.Line{Name: s.name}
		for _, p := range s.points {
			if !slices.Contains(sizes, p.n) {
				continue
			}
			y := value(p)
			low, high = min(low, y), max(high, y)
			label := fmt.Sprintf("%s, %s: %s %s", s.name, bytesName(p.n), threeDigits(y), unit)
			line.Points = append(line.Points, chart.Point{X: float64(p.n), Y: y, Label: label})
		}
		plot.Lines = append(plot.Lines, line)
	}
	plot.X = chart.Axis{Name: "input size (logarithmic)", Log: true, Label: func(size float64) string { return bytesName(int64(size)) }}
	for _, size := range sizes {
		plot.X.Marks = append(plot.X.Marks, float64(size))
	}
	plot.Y = chart.Axis{Name: unit, Log: log, Label: func(y float64) string { return fmt.Sprintf("%.4g", y) }}
	if log {
		plot.Y.Name, plot.Y.Marks = unit+" (logarithmic)", chart.Decades(low, high)
	} else {
		plot.Y.Marks = chart.Steps(high)
	}
	return plot
}
