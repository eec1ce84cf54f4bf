package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/assetcook/assetcook/bench/internal/svgplot"
	"github.com/assetcook/assetcook/internal/human"
)

// markdown renders the figures as ratios to the first kind, and waits as absolute times.
func markdown(results map[setting]result, svg string) string {
	var md strings.Builder
	fmt.Fprintf(&md, "# What waiting for a lock costs\n\n%s, %s/%s, %d processors. Medians, taken in turns:\n\n```\ngo run ./bench/locks\n```\n\n![locks](%s)\n\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), svg)
	fmt.Fprintf(&md, "Each cell: critical sections a second / processor time for each, both as multiples of %s's, / the longest wait.\n\n| steps in the section | goroutines |", kinds[0].name)
	for _, k := range kinds {
		fmt.Fprintf(&md, " %s |", k.name)
	}
	md.WriteString("\n|---|---|" + strings.Repeat("---|", len(kinds)) + "\n")
	for _, length := range lengths {
		for _, crowd := range crowds {
			fmt.Fprintf(&md, "| %d | %d |", length, crowd)
			base := results[setting{kinds[0].name, length, crowd}]
			for _, k := range kinds {
				r := results[setting{k.name, length, crowd}]
				fmt.Fprintf(&md, " %s / %s / %s |", ratio(r.throughput, base.throughput), ratio(r.cpu, base.cpu), nanos(r.longest))
			}
			md.WriteByte('\n')
		}
	}
	return md.String()
}

// ratio renders a/b, or a dash if unknown.
func ratio(a, b float64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", a/b)
}

// pictured is the length of critical sections in the picture.
const pictured = 100

// picture draws throughput, processor time and waits over the number of goroutines.
func picture(results map[setting]result) ([]byte, error) {
	const left, right, height, gap, top = 90, 560, 170, 80, 80
	title := fmt.Sprintf("Waiting for a lock: sections of %d steps", pictured)
	page := svgplot.New(title, 760, top+3*(height+gap), len(kinds))
	page.Text(left, 26, svgplot.Title, title)
	page.Text(left, 46, svgplot.Soft, "all axes are logarithmic; goroutines from left to right")
	for i, what := range []struct {
		name  string
		label func(float64) string
		value func(result) float64
	}{
		{"sections a second", func(v float64) string { return fmt.Sprintf("%.0f", v) }, func(r result) float64 { return r.throughput }},
		{"processor time of each", nanos, func(r result) float64 { return r.cpu }},
		{"longest wait", nanos, func(r result) float64 { return r.longest }},
	} {
		y := top + i*(height+gap)
		plot := svgplot.Plot{Left: left, Right: right, Top: y, Bottom: y + height, Legend: i == 0}
		plot.X = svgplot.Axis{Log: true, Label: func(v float64) string { return fmt.Sprint(v) }}
		for _, crowd := range crowds {
			plot.X.Marks = append(plot.X.Marks, float64(crowd))
		}
		low, high := 0.0, 1.0
		for _, k := range kinds {
			line := svgplot.Line{Name: k.name}
			for _, crowd := range crowds {
				v := max(what.value(results[setting{k.name, pictured, crowd}]), 1)
				if low == 0 || v < low {
					low = v
				}
				high = max(high, v)
				line.Points = append(line.Points, svgplot.Point{X: float64(crowd), Y: v,
					Label: fmt.Sprintf("%s, %d goroutines: %s", k.name, crowd, what.label(v))})
			}
			plot.Lines = append(plot.Lines, line)
		}
		page.Text(left, float64(y-14), "", what.name)
		plot.Y = svgplot.Axis{Log: true, Marks: svgplot.Decades(low, high), Label: what.label}
		if err := page.Draw(&plot); err != nil {
			return nil, err
		}
	}
	return page.Bytes(), nil
}

func nanos(v float64) string {
	if v < 1000 {
		return fmt.Sprintf("%.0fns", v)
	}
	return human.Duration(time.Duration(v))
}
