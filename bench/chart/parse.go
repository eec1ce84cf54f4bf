package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// results holds the times of all benchmarks in the input.
type results struct {
	x      string   // benchmark key whose values are the columns of the table
	cpu    string   // processor name printed by go test; may be empty
	series []series // sorted by the last point, highest first
}

// series is one line of the chart.
type series struct {
	name   string
	points []point
}

// A point holds the results of one benchmark.
type point struct {
	n     int64      // value of the column key, at least 1
	times [3]float64 // quartiles of the times in ns
}

// rate returns the median throughput of n bytes in GB/s.
func (p point) rate() float64 { return float64(p.n) / p.times[1] }

// sizeKey is the benchmark key for the input size in bytes. Benchmarks with this key report MB/s.
const sizeKey = "size"

// maxLine is the longest line of input. go test's lines are much shorter.
const maxLine = 64 << 10

// These constants limit the values of a chart. Benchmarks do not exceed them.
const (
	minRate, maxRate = 1e-6, 1e6
	maxTime          = 1e15
	maxN             = 1 << 50
	maxRuns          = 1 << 20
)

// parse reads the output of go test -bench. It groups results into series by the values of key, and
// into columns by the values of x.
func parse(r io.Reader, key, x string) (*results, error) {
	res := &results{x: x}
	unit := "ns/op"
	if x == sizeKey {
		unit = "MB/s"
	}
	runs := map[string]map[int64][]float64{}
	others := ""
	count := 0
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, maxLine)
	for line := 1; scan.Scan(); line++ {
		text := scan.Text()
		if cpu, ok := strings.CutPrefix(text, "cpu: "); ok {
			res.cpu = strings.TrimSpace(cpu)
		}
		name, value, ok := measured(text, unit)
		if !ok {
			continue
		}
		of, column, rest := takeValues(name, key, x)
		if of == "" || column == "" {
			continue
		}
		n, err := strconv.ParseInt(column, 10, 64)
		if err != nil || n < 1 || n > maxN {
			return nil, fmt.Errorf("line %d: %s=%q: want 1 to %d", line, x, column, int64(maxN))
		}
		time, err := parseTime(value, unit, n)
		if err != nil {
			return nil, fmt.Errorf("line %d: %s %s: %w", line, value, unit, err)
		}
		if count++; count > maxRuns {
			return nil, fmt.Errorf("line %d: more than %d results", line, maxRuns)
		}
		if count > 1 && rest != others {
			return nil, fmt.Errorf("line %d: %q is of a different kind than %q before it; select one", line, rest, others)
		}
		others = rest
		if runs[of] == nil {
			runs[of] = map[int64][]float64{}
		}
		runs[of][n] = append(runs[of][n], time)
	}
	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if count == 0 {
		return nil, fmt.Errorf("no benchmark with %s=, %s= and %s in the input", key, x, unit)
	}
	for name, columns := range runs {
		s := series{name: name}
		for n, times := range columns {
			s.points = append(s.points, point{n, quartiles(times)})
		}
		slices.SortFunc(s.points, func(a, b point) int { return cmp.Compare(a.n, b.n) })
		res.series = append(res.series, s)
	}
	slices.SortFunc(res.series, func(a, b series) int {
		return cmp.Or(cmp.Compare(b.last().rate(), a.last().rate()), strings.Compare(a.name, b.name))
	})
	return res, nil
}

func (s series) last() point { return s.points[len(s.points)-1] }

// selectSeries keeps the named series, in the order of names; "" keeps all.
func (r *results) selectSeries(names string) error {
	if names == "" {
		return nil
	}
	var chosen []series
	for _, name := range strings.Split(names, ",") {
		at := slices.IndexFunc(r.series, func(s series) bool { return s.name == name })
		if at < 0 {
			return fmt.Errorf("-only: no results for %q", name)
		}
		chosen = append(chosen, r.series[at])
	}
	r.series = chosen
	return nil
}

// measured finds the value with the given unit in a result line. It returns the benchmark's name
// and the value; ok reports whether the line has both.
func measured(line, unit string) (name, value string, ok bool) {
	fields := strings.Fields(line)
	at := slices.Index(fields, unit)
	if at < 3 || !strings.HasPrefix(line, "Benchmark") {
		return "", "", false
	}
	return fields[0], fields[at-1], true
}

// parseTime returns the time in ns for an operation on n bytes.
func parseTime(value, unit string, n int64) (ns float64, err error) {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return 0, err
	}
	if unit == "MB/s" {
		rate := v / 1000
		if !(rate >= minRate && rate <= maxRate) {
			return 0, errors.New("out of range")
		}
		return float64(n) / rate, nil
	}
	if !(v > 0 && v <= maxTime) {
		return 0, errors.New("out of range")
	}
	return v, nil
}

// takeValues parses a benchmark's name. It returns the value of the series key, the value of the
// column key, and the name without both keys and without the number of processors.
func takeValues(name, key, x string) (of, column, rest string) {
	if at := strings.LastIndexByte(name, '-'); at > 0 && strings.Trim(name[at+1:], "0123456789") == "" {
		name = name[:at]
	}
	parts := strings.Split(name, "/")
	kept := parts[:0]
	for _, part := range parts {
		switch k, v, _ := strings.Cut(part, "="); k {
		case key:
			of = v
		case x:
			column = v
		default:
			kept = append(kept, part)
		}
	}
	return of, column, strings.Join(kept, "/")
}

// quartiles returns the interpolated quartiles of values. It sorts values in place.
func quartiles(values []float64) (q [3]float64) {
	slices.Sort(values)
	for i := range q {
		at := float64(i+1) / 4 * float64(len(values)-1)
		low, high := values[int(math.Floor(at))], values[int(math.Ceil(at))]
		q[i] = low + (at-math.Floor(at))*(high-low)
	}
	return q
}

// about describes where, when and how the benchmarks ran. It returns the first value of each
// configuration key in the output of go test, except for the keys of packages.
func about(benchmarks []byte) []byte {
	var list strings.Builder
	seen := map[string]bool{"goos": true, "goarch": true, "pkg": true}
	for line := range strings.Lines(string(benchmarks)) {
		key, value, found := strings.Cut(strings.TrimSpace(line), ": ")
		if found && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz") == "" && key != "" && !seen[key] {
			seen[key] = true
			fmt.Fprintf(&list, "- %s: %s\n", key, value)
		}
	}
	return []byte(list.String())
}
