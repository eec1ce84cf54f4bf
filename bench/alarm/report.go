package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/assetcook/assetcook/internal/chart"
	"github.com/assetcook/assetcook/internal/smokerun"
)

// writeReport prints how often the comparisons were wrong and draws how the tests compare.
func writeReport(name, svg string, w io.Writer) error {
	all, err := readTrials(name)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "| planted | comparisons | alarms | missed | alarms for anything else | median rounds |\n|---|---:|---:|---:|---:|---:|")
	for _, c := range append([]change{unchanged}, changes...) {
		n, found, missed, other := 0, 0, 0, 0
		var rounds []float64
		for i := range all {
			t := &all[i]
			if t.Change != c.Name {
				continue
			}
			n++
			rounds = append(rounds, float64(t.Rounds))
			right := 0
			for _, trip := range t.Tripped {
				if trip.Figure == c.Figure {
					right++
				}
			}
			if right > 0 {
				found++
			} else if c.Figure != "" {
				missed++
			}
			if right < len(t.Tripped) {
				other++
			}
		}
		if n > 0 {
			fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %.0f |\n", c.Name, n, found, missed, other, middle(rounds))
		}
	}
	return judges(all, svg, w)
}

func middle(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// A judge scores two samples. The lower the score, the more certain it is that b is greater than a.
type judge struct {
	name  string
	score func(a, b []float64) float64
}

var judgesOf = []judge{
	{"U test", smokerun.UTest},
	{"Welch's t-test", func(a, b []float64) float64 { return -welch(a, b) }},
	{"signed ranks", func(a, b []float64) float64 { return -signedRanks(a, b) }},
	{"ratio of means", func(a, b []float64) float64 { return -mean(b) / mean(a) }},
}

// A view limits the number of processor times that a judge compares.
type view struct {
	name  string
	times int
}

var views = []view{{"all rounds", 0}, {"10 rounds", 10}, {"1 round", 1}}

// judges prints how well each judge detects a change from the times of the first measurement alone.
func judges(trials []trial, svg string, w io.Writer) error {
	fmt.Fprintln(w, "\n| judge of one measurement | growth | times | area under the curve | found with no false alarm | at 5 % false | at 20 % |\n|---|---|---|---:|---:|---:|---:|")
	page := chart.New("Processor time of two builds: judges of the same times", 860, 380, chart.MaxLines)
	page.Text(60, 24, chart.Title, "Growth found, by the part of unchanged builds that is called slower")
	plot := &chart.Plot{Left: 60, Right: 600, Top: 40, Bottom: 330, Legend: true}
	plot.X = chart.Axis{Name: "called slower though unchanged", Marks: []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5}, Label: inPercent}
	plot.Y = chart.Axis{Name: "found", Marks: []float64{0, 0.25, 0.5, 0.75, 1}, Label: inPercent}
	for _, planted := range []string{"processor time +3 %", "processor time +5 %"} {
		for _, v := range views {
			for _, j := range judgesOf {
				if v.times == 1 && j.name != "ratio of means" {
					continue // The other judges need at least two times.
				}
				none, grown := scores(trials, unchanged.Name, j, v), scores(trials, planted, j, v)
				if len(none) == 0 || len(grown) == 0 {
					return fmt.Errorf("no comparisons with %s", planted)
				}
				fmt.Fprintf(w, "| %s | %s | %s | %.4f | %.1f %% | %.1f %% | %.1f %% |\n", j.name, planted, v.name, area(none, grown),
					100*found(none, grown, 0), 100*found(none, grown, 0.05), 100*found(none, grown, 0.2))
				if planted != "processor time +3 %" || v.times == 0 && j.name == "signed ranks" {
					continue
				}
				line := chart.Line{Name: j.name + ", " + v.name}
				for x := 0.0; x <= 0.5; x += 0.0125 {
					line.Points = append(line.Points, chart.Point{X: x, Y: found(none, grown, x)})
				}
				plot.Lines = append(plot.Lines, line)
			}
		}
	}
	if svg == "" {
		return nil
	}
	if err := page.Draw(plot); err != nil {
		return err
	}
	return os.WriteFile(svg, page.Bytes(), 0o666)
}

// scores compares the processor times of each trial that has the given change, and returns the
// sorted scores.
func scores(trials []trial, change string, j judge, v view) []float64 {
	var list []float64
	for _, t := range trials {
		n := v.times
		if n == 0 {
			n = len(t.Before)
		}
		if t.Change == change {
			list = append(list, j.score(t.Before[:min(n, len(t.Before))], t.After[:min(n, len(t.After))]))
		}
	}
	slices.Sort(list)
	return list
}

// found returns the fraction of changed trials that are detected. The threshold is chosen so that
// at most the given fraction of unchanged trials raises a false alarm.
func found(none, grown []float64, false float64) float64 {
	limit := none[min(int(false*float64(len(none))), len(none)-1)] // Scores below the limit raise an alarm.
	n, _ := slices.BinarySearch(grown, limit)
	return float64(n) / float64(len(grown))
}

// area returns the probability that a changed trial gets a lower score than an unchanged one.
func area(none, grown []float64) float64 {
	sum := 0.0
	for _, g := range grown {
		for _, n := range none {
			switch {
			case g < n:
				sum++
			case g == n:
				sum += 0.5
			}
		}
	}
	return sum / float64(len(none)) / float64(len(grown))
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// welch returns the t statistic of Welch's test, which compares the means of a and b.
func welch(a, b []float64) float64 {
	variance := func(values []float64) float64 {
		m, sum := mean(values), 0.0
		for _, v := range values {
			sum += (v - m) * (v - m)
		}
		return sum / float64(len(values)-1) / float64(len(values))
	}
	return (mean(b) - mean(a)) / math.Sqrt(variance(a)+variance(b))
}

// signedRanks returns Wilcoxon's signed-rank statistic in standard deviations. Each pair is a[i]
// and b[i], because the two builds run alternately.
func signedRanks(a, b []float64) float64 {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = math.Log(b[i] / a[i])
	}
	slices.SortFunc(d, func(x, y float64) int { return cmp.Compare(math.Abs(x), math.Abs(y)) })
	sum, n := 0.0, float64(len(d))
	for i, v := range d {
		if v > 0 {
			sum += float64(i + 1)
		}
	}
	return (sum - n*(n+1)/4) / math.Sqrt(n*(n+1)*(2*n+1)/24)
}

func inPercent(v float64) string { return fmt.Sprintf("%g %%", 100*v) }
