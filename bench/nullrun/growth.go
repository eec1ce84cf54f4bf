package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A curve is the medians of a contestant over the number of files.
type curve struct {
	row, name string
	at        map[int]*Entry // by number of files
}

// curves returns the sizes of the trees, ascending, and a curve for each contestant with figures,
// grouped by row.
func (r *Report) curves() (sizes []int, curves []*curve) {
	for i := range r.Sections {
		section := &r.Sections[i]
		for k := range section.Rows {
			row := &section.Rows[k]
			for j := range row.Entries {
				e := row.Entry(row.Entries[j].Name)
				if section.Files == 0 || e == nil {
					continue
				}
				sizes = append(sizes, section.Files)
				at := slices.IndexFunc(curves, func(c *curve) bool { return c.row == row.Row && c.name == e.Name })
				if at < 0 {
					at = len(curves)
					curves = append(curves, &curve{row.Row, e.Name, map[int]*Entry{}})
				}
				curves[at].at[section.Files] = e
			}
		}
	}
	var rows []string
	for _, c := range curves {
		if !slices.Contains(rows, c.row) {
			rows = append(rows, c.row)
		}
	}
	slices.SortStableFunc(curves, func(a, b *curve) int {
		return cmp.Compare(slices.Index(rows, a.row), slices.Index(rows, b.row))
	})
	slices.Sort(sizes)
	return slices.Compact(sizes), curves
}

// writeGrowth writes the factors by which the medians grow from one size to the next, if there
// are several.
func (r *Report) writeGrowth(b *strings.Builder) {
	sizes, curves := r.curves()
	if len(sizes) < 2 {
		return
	}
	fmt.Fprint(b, "\n## Growth\n\nBy what factors wall time and peak memory, as medians, grow from one size to the next. Memory that is no more than that of the process that started the contestant has none.\n\n| row | contestant |")
	for i, size := range sizes[1:] {
		fmt.Fprintf(b, " %s to %s: wall | memory |", thousands(sizes[i]), thousands(size))
	}
	fmt.Fprintf(b, "\n|---|---|%s\n", strings.Repeat("---:|---:|", len(sizes)-1))
	last := ""
	for _, c := range curves {
		name := c.row
		if name == last {
			name = ""
		}
		last = c.row
		fmt.Fprintf(b, "| %s | %s |", cell(name), cell(c.name))
		for i, size := range sizes[1:] {
			from, to := c.at[sizes[i]], c.at[size]
			wall, memory := "", ""
			if from != nil && to != nil {
				wall = factor(float64(from.Wall), float64(to.Wall))
				if !from.AtMost && !to.AtMost {
					memory = factor(float64(from.MaxRSS), float64(to.MaxRSS))
				}
			}
			fmt.Fprintf(b, " %s | %s |", wall, memory)
		}
		fmt.Fprintln(b)
	}
}

func factor(from, to float64) string {
	if from <= 0 {
		return ""
	}
	return digits(to/from) + "x"
}
