package main

import (
	"fmt"
	"slices"
	"strings"
)

// markdown returns a table of GB/s: a row for each series, a column for each size.
func (r *results) markdown(key string) []byte {
	sizes := r.sizes()
	var b strings.Builder
	b.WriteString("| " + cell(key))
	for _, size := range sizes {
		b.WriteString(" | " + bytesName(size))
	}
	b.WriteString(" |\n|---" + strings.Repeat("|---:", len(sizes)) + "|\n")
	for _, s := range r.series {
		b.WriteString("| " + cell(s.name))
		for _, size := range sizes {
			b.WriteString(" | ")
			if at := slices.IndexFunc(s.points, func(p point) bool { return p.size == size }); at >= 0 {
				b.WriteString(rateName(s.points[at].median))
			}
		}
		b.WriteString(" |\n")
	}
	return []byte(b.String())
}

// cell escapes a name for a table cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// sizes returns the sizes of all series, ascending.
func (r *results) sizes() []int64 {
	var sizes []int64
	for _, s := range r.series {
		for _, p := range s.points {
			sizes = append(sizes, p.size)
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// bytesName writes a whole number of KiB, MiB or GiB as such.
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

// rateName writes GB/s with three digits.
func rateName(rate float64) string {
	switch {
	case rate >= 100:
		return fmt.Sprintf("%.0f", rate)
	case rate >= 10:
		return fmt.Sprintf("%.1f", rate)
	case rate >= 0.01:
		return fmt.Sprintf("%.2f", rate)
	}
	return fmt.Sprintf("%.2g", rate)
}
