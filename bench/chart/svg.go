package main

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/assetcook/assetcook/bench/internal/svgplot"
)

// Positions in the picture, in SVG units.
const (
	width, height = 860, 440
	left, right   = 64, 640 // of all plots; the legend is to the right
	top, bottom   = 64, 380
	timesRight    = 270 // of the plot of times, if any
	rateLeft      = 360 // of the plot of throughput beside it
)

// svg returns the chart: throughput by size, beside the time of inputs of up to timesTo bytes. It
// fails if there are more lines than a reader can distinguish.
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
	page := svgplot.New(title, width, height, len(r.series))
	page.Text(left, 26, svgplot.Title, title)
	page.Text(left, 46, svgplot.Soft, r.cpu)
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

// plot returns the plot of some sizes: linear from 0, or logarithmic in whole decades.
func (r *results) plot(sizes []int64, unit string, log bool, value func(point) float64) svgplot.Plot {
	low, high := math.Inf(1), 0.0
	plot := svgplot.Plot{Left: left, Right: right, Top: top, Bottom: bottom, Legend: true}
	for _, s := range r.series {
		line := svgplot.Line{Name: s.name}
		for _, p := range s.points {
			if !slices.Contains(sizes, p.n) {
				continue
			}
			y := value(p)
			low, high = min(low, y), max(high, y)
			label := fmt.Sprintf("%s, %s: %s %s", s.name, bytesName(p.n), threeDigits(y), unit)
			line.Points = append(line.Points, svgplot.Point{X: float64(p.n), Y: y, Label: label})
		}
		plot.Lines = append(plot.Lines, line)
	}
	plot.X = svgplot.Axis{Name: "input size (logarithmic)", Log: true, Label: func(size float64) string { return bytesName(int64(size)) }}
	for _, size := range sizes {
		plot.X.Marks = append(plot.X.Marks, float64(size))
	}
	plot.Y = svgplot.Axis{Name: unit, Log: log, Label: func(y float64) string { return fmt.Sprintf("%.4g", y) }}
	if log {
		plot.Y.Name, plot.Y.Marks = unit+" (logarithmic)", svgplot.Decades(low, high)
	} else {
		plot.Y.Marks = svgplot.Steps(high)
	}
	return plot
}
