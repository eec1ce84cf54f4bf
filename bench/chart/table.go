package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// markdown returns a table with a row for each series and a column for each value of x. Cells
// are GB/s, or ns for short inputs and for columns other than sizes.
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
			if r.x == sizeKey && n > o.timesTo { // the shortest time is the highest throughput
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

// columns returns the columns of all series, ascending.
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

// columnName returns "64 KiB" for a size and "10,000 names, ns" for another key.
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

// bytesName writes a size in the largest unit that gives a whole number.
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

// threeDigits writes GB/s or ns with three digits.
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
