package main

import (
	"fmt"
	"math"

	"github.com/assetcook/assetcook/bench/internal/svgplot"
)

// Places in the picture, in SVG's units.
const (
	width, height = 860, 440
	left, right   = 64, 640 // of the plot; the legend stands to the right of it
	top, bottom   = 64, 380
)

// svg returns the chart. It fails if there are more lines than a reader can distinguish.
func (r *results) svg(title string, log bool) ([]byte, error) {
	var sizes []float64
	for _, size := range r.sizes() {
		sizes = append(sizes, float64(size))
	}
	plot := svgplot.Plot{
		Left: left, Right: right, Top: top, Bottom: bottom, Legend: true,
		X: svgplot.Axis{Name: "input size (logarithmic)", Log: true, Marks: sizes, Label: func(size float64) string { return bytesName(int64(size)) }},
		Y: r.rates(log),
	}
	for _, s := range r.series {
		line := svgplot.Line{Name: s.name}
		for _, p := range s.points {
			label := fmt.Sprintf("%s, %s: %s GB/s", s.name, bytesName(p.size), rateName(p.median))
			line.Points = append(line.Points, svgplot.Point{X: float64(p.size), Y: p.median, Label: label})
		}
		plot.Lines = append(plot.Lines, line)
	}
	page := svgplot.New(title, width, height, len(plot.Lines))
	page.Text(left, 26, svgplot.Title, title)
	page.Text(left, 46, svgplot.Soft, r.cpu)
	if err := page.Draw(&plot); err != nil {
		return nil, err
	}
	return page.Bytes(), nil
}

// rates returns an axis for all medians: linear from 0, or logarithmic in whole decades.
func (r *results) rates(log bool) svgplot.Axis {
	low, high := math.Inf(1), 0.0
	for _, s := range r.series {
		for _, p := range s.points {
			low, high = min(low, p.median), max(high, p.median)
		}
	}
	y := svgplot.Axis{Name: "GB/s", Log: log, Label: func(rate float64) string { return fmt.Sprintf("%.4g", rate) }}
	if log {
		y.Name, y.Marks = "GB/s (logarithmic)", svgplot.Decades(low, high)
	} else {
		y.Marks = svgplot.Steps(high)
	}
	return y
}
