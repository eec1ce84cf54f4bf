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

// results are the medians of all benchmarks that were read.
type results struct {
	cpu    string   // as go test prints it, "" if it did not
	series []series // that with the highest last point first
}

// series is one line of the chart.
type series struct {
	name   string
	points []point // by size, which is distinct
}

type point struct {
	size   int64   // bytes, at least 1
	median float64 // GB/s, above 0
}

// maxLine is the longest line of input. Lines of go test are much shorter.
const maxLine = 64 << 10

// Limits of a chart; larger values are not output of a benchmark.
const (
	minRate, maxRate = 1e-6, 1e6 // GB/s
	maxSize          = 1 << 50   // bytes
	maxRuns          = 1 << 20
)

// parse reads the output of go test -bench. key is that of the series.
func parse(r io.Reader, key string) (*results, error) {
	res := &results{}
	runs := map[string]map[int64][]float64{} // by series and size
	others := ""
	count := 0
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, maxLine)
	for line := 1; scan.Scan(); line++ {
		text := scan.Text()
		if cpu, ok := strings.CutPrefix(text, "cpu: "); ok {
			res.cpu = strings.TrimSpace(cpu)
		}
		name, rate, ok, err := throughput(text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if !ok {
			continue
		}
		of, size, rest := take(name, key)
		if of == "" || size == "" {
			continue
		}
		n, err := strconv.ParseInt(size, 10, 64)
		if err != nil || n < 1 || n > maxSize {
			return nil, fmt.Errorf("line %d: size=%q: want 1 to %d", line, size, int64(maxSize))
		}
		if count++; count > maxRuns {
			return nil, fmt.Errorf("line %d: more than %d results", line, maxRuns)
		}
		if count > 1 && rest != others {
			return nil, fmt.Errorf("line %d: %q is of another kind than %q before it; select one", line, rest, others)
		}
		others = rest
		if runs[of] == nil {
			runs[of] = map[int64][]float64{}
		}
		runs[of][n] = append(runs[of][n], rate)
	}
	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if count == 0 {
		return nil, fmt.Errorf("no benchmark with %s=, size= and MB/s in the input", key)
	}
	for name, sizes := range runs {
		s := series{name: name}
		for size, rates := range sizes {
			s.points = append(s.points, point{size, median(rates)})
		}
		slices.SortFunc(s.points, func(a, b point) int { return cmp.Compare(a.size, b.size) })
		res.series = append(res.series, s)
	}
	slices.SortFunc(res.series, func(a, b series) int {
		return cmp.Or(cmp.Compare(b.last().median, a.last().median), strings.Compare(a.name, b.name))
	})
	return res, nil
}

func (s series) last() point { return s.points[len(s.points)-1] }

// throughput parses a result line; ok reports whether it is one.
func throughput(line string) (name string, rate float64, ok bool, err error) {
	if !strings.HasPrefix(line, "Benchmark") {
		return "", 0, false, nil
	}
	fields := strings.Fields(line)
	at := slices.Index(fields, "MB/s")
	if at < 3 {
		return "", 0, false, nil
	}
	rate, err = strconv.ParseFloat(fields[at-1], 64)
	rate /= 1000
	if err == nil && !(rate >= minRate && rate <= maxRate) || math.IsNaN(rate) {
		err = errors.New("out of range")
	}
	if err != nil {
		return "", 0, false, fmt.Errorf("%s MB/s: %w", fields[at-1], err)
	}
	return fields[0], rate, true, nil
}

// take returns the values of the series' key and of size in a benchmark's name, and the
// rest of the name, without the number of processors at the end.
func take(name, key string) (of, size, rest string) {
	if at := strings.LastIndexByte(name, '-'); at > 0 && strings.Trim(name[at+1:], "0123456789") == "" {
		name = name[:at]
	}
	parts := strings.Split(name, "/")
	kept := parts[:0]
	for _, part := range parts {
		switch k, v, _ := strings.Cut(part, "="); k {
		case key:
			of = v
		case "size":
			size = v
		default:
			kept = append(kept, part)
		}
	}
	return of, size, strings.Join(kept, "/")
}

// median of values, which it sorts.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
