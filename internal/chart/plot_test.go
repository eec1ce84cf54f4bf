package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

func TestMarks(t *testing.T) {
	const low = 1e-6
	for _, high := range []float64{low, 0.3, 0.99, 1, 1.01, 3.9, 4, 9.99, 57.9, 100, 1e6} {
		for _, log := range []bool{false, true} {
			axis := Axis{Log: log, Marks: Steps(high)}
			if log {
				axis.Marks = Decades(low, high)
			}
			plot := Plot{Top: 64, Bottom: 380, Y: axis}
			last := axis.Marks[len(axis.Marks)-1]
			if n := len(axis.Marks); n > 14 || !log && n < 5 || axis.Marks[0] > low || last < high*(1-1e-9) {
				t.Errorf("up to %g, log %v: marks %v", high, log, axis.Marks)
			}
			if at := plot.y(last); math.Abs(at-64) > 1e-6 {
				t.Errorf("up to %g, log %v: the highest mark is at %g, want 64", high, log, at)
			}
		}
	}
}

// TestPlaces checks that lines stay in the plot's rectangle. On a logarithmic axis, values with the
// same ratio must have the same distance.
func TestPlaces(t *testing.T) {
	plot := Plot{
		Left: 100, Right: 300, Top: 50, Bottom: 250,
		X: Axis{Log: true, Marks: []float64{10, 100, 1000}}, Y: Axis{Log: true, Marks: Decades(0.02, 3)},
	}
	for v, want := range map[float64]float64{10: 100, 100: 200, 1000: 300} {
		if at := plot.x(v); math.Abs(at-want) > 1e-6 {
			t.Errorf("x of %g is %g, want %g", v, at, want)
		}
	}
	for v, want := range map[float64]float64{0.01: 250, 0.1: 250 - 200.0/3, 10: 50} {
		if at := plot.y(v); math.Abs(at-want) > 1e-6 {
			t.Errorf("y of %g is %g, want %g", v, at, want)
		}
	}
	one := Plot{Left: 10, Right: 20, X: Axis{Log: true, Marks: []float64{7}}}
	if at := one.x(7); at != 15 {
		t.Errorf("the only mark is at %g, want the middle, 15", at)
	}
}

// TestWellFormed draws plots with arbitrary names and labels. The page must be well-formed XML, and
// the legend must list every line, even a line without points.
func TestWellFormed(t *testing.T) {
	label := func(v float64) string { return fmt.Sprint("<", v, "&\x01") }
	axis := Axis{Name: `a"<&`, Log: true, Marks: []float64{1, 10}, Label: label}
	lines := []Line{{Name: "]]>\xff"}, {Name: "two", Points: []Point{{1, 1, "<title>"}, {10, 10, "\x00"}}}}
	page := New("</title>", 400, 300, len(lines))
	page.Text(1, 2, Soft, "\ufffe")
	for _, left := range []int{50, 250} {
		if err := page.Draw(&Plot{Left: left, Right: left + 100, Top: 10, Bottom: 200, X: axis, Y: axis, Lines: lines, Legend: left > 50}); err != nil {
			t.Fatal(err)
		}
	}
	text := page.Bytes()
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
	}
	if n := strings.Count(string(text), "h30"); n != len(lines) {
		t.Errorf("%d lines in the legend, want %d", n, len(lines))
	}
	if n := strings.Count(string(text), "<circle"); n != len(lines)+2*2 {
		t.Errorf("%d dots", n)
	}
}

func TestDrawRejectsTooManyLines(t *testing.T) {
	axis := Axis{Marks: []float64{1, 2}, Label: func(float64) string { return "" }}
	err := New("", 1, 1, MaxLines+1).Draw(&Plot{X: axis, Y: axis, Lines: make([]Line, MaxLines+1)})
	if err == nil || !strings.Contains(err.Error(), "select at most") {
		t.Errorf("got %v", err)
	}
}
