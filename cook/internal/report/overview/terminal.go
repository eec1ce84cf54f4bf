package overview

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/assetcook/assetcook/cook/internal/stats"
)

// WriteHistory prints the last runs for a terminal, the latest last: a line for each of so
// many, sparklines of all, and steps.
func WriteHistory(to io.Writer, runs []stats.Past, lines int) error {
	r := New(Input{Runs: runs})
	t := r.Table("runs")
	shown := []string{"run", "at", "took_ns", "found", "cooked", "restored", "unchanged", "failed", "removed", "up_to_date", "bytes_out", "saved_ns", "peak_rss"}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	var columns []int
	for k, c := range t.Columns {
		if slices.Contains(shown, c.Key) {
			columns = append(columns, k)
			fmt.Fprintf(w, "%s\t", c.Title)
		}
	}
	fmt.Fprintln(w)
	for _, row := range slices.Backward(t.Rows[:min(lines, len(t.Rows))]) {
		for _, k := range columns {
			fmt.Fprintf(w, "%s\t", t.Columns[k].Kind.show(row[k]))
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(to)
	w = tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for i := range r.series {
		s := &r.series[i]
		if len(s.Values) == 0 {
			continue
		}
		most := slices.Max(s.Values)
		fmt.Fprintf(w, "%s\t%s\tmedian %s, highest %s in run %d, %s\n", s.Title, sparkline(s.Values, 60), s.show(s.Summary.P50), s.show(most), slices.Index(s.Values, most)+1, count(s.spikes(), "spike"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	steps := r.Table("steps")
	for _, row := range steps.Rows {
		text := func(key string) string { return cellAs[string](steps, row, key) }
		fmt.Fprintf(to, "since run %d: %s %s, was %s\n", cellAs[int64](steps, row, "run"), text("figure"), text("after"), text("before"))
	}
	return nil
}

// spikes counts the runs that are far above what is usual.
func (s *Series) spikes() (n int) {
	for i := range s.Values {
		if s.spike(i) {
			n++
		}
	}
	return n
}

// sparkline draws values in so many letters at most, each the highest of those it stands
// for.
func sparkline(values []float64, most int) string {
	const bars = "▁▂▃▄▅▆▇█"
	all := []rune(bars)
	high := slices.Max(values)
	n := min(most, len(values))
	var b strings.Builder
	for i := range n {
		v := slices.Max(values[i*len(values)/n : max(i*len(values)/n+1, (i+1)*len(values)/n)])
		at := 0
		if high > 0 {
			at = min(len(all)-1, int(max(0, v)/high*float64(len(all))))
		}
		b.WriteRune(all[at])
	}
	return b.String()
}

// Compare prints two runs side by side, by their numbers.
func Compare(to io.Writer, runs []stats.Past, a, b int) error {
	for _, n := range []int{a, b} {
		if n < 1 || n > len(runs) {
			return fmt.Errorf("there is no run %d; the history has 1 to %d", n, len(runs))
		}
	}
	t := New(Input{Runs: runs}).Table("runs")
	before, after := t.Rows[len(runs)-a], t.Rows[len(runs)-b]
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\trun %d\trun %d\tchange\t\n", a, b)
	for k, c := range t.Columns {
		if c.Key == "run" || c.Key == "id" {
			continue
		}
		change := ""
		if c.Kind != Moment {
			change = Change(before[k], after[k])
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t\n", c.Title, c.Kind.show(before[k]), c.Kind.show(after[k]), change)
	}
	return w.Flush()
}
