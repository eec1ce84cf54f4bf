package overview

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/stats"
	"github.com/assetcook/assetcook/internal/chart"
	"github.com/assetcook/assetcook/internal/texttable"
)

// WriteHistory prints a line for each of the last runs, the latest at the end. Then it prints
// sparklines over all runs, and lasting changes.
func WriteHistory(to io.Writer, runs []stats.Past, lines int) error {
	r := New(Input{Runs: runs})
	t := r.Table("runs")
	shown := []string{"run", "at", "took_ns", "found", "cooked", "restored", "unchanged", "failed", "removed", "up_to_date", "bytes_out", "saved_ns", "peak_rss"}
	w := texttable.New(to, texttable.Right)
	var columns []int
	var titles []any
	for k, c := range t.Columns {
		if slices.Contains(shown, c.Key) {
			columns, titles = append(columns, k), append(titles, c.Title)
		}
	}
	w.Row(titles...)
	for _, row := range slices.Backward(t.Rows[:min(lines, len(t.Rows))]) {
		var cells []any
		for _, k := range columns {
			cells = append(cells, t.Columns[k].Kind.showCell(row[k]))
		}
		w.Row(cells...)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(to)
	w = texttable.New(to, texttable.Left)
	for i := range r.series {
		s := &r.series[i]
		if len(s.Values) == 0 {
			continue
		}
		most := slices.Max(s.Values)
		about := fmt.Sprintf("median %s, highest %s in run %d, %s", s.showFigure(s.Summary.P50), s.showFigure(most), slices.Index(s.Values, most)+1, countOf(s.spikes(), "spike"))
		w.Row(s.Title, chart.Sparkline(s.Values, 60), about)
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

// WriteHistoryJSON prints the last runs, the latest at the end, each as one line of JSON with the
// columns of the table of runs.
func WriteHistoryJSON(to io.Writer, runs []stats.Past, lines int) error {
	t := New(Input{Runs: runs}).Table("runs")
	w := bufio.NewWriter(to)
	for _, row := range slices.Backward(t.Rows[:min(lines, len(t.Rows))]) {
		if err := t.writeRowJSON(w, row); err != nil {
			return err
		}
		w.WriteByte('\n')
	}
	return w.Flush()
}

// spikes returns the number of runs whose value is far above the usual level.
func (s *Series) spikes() (n int) {
	for i := range s.Values {
		if s.spike(i) {
			n++
		}
	}
	return n
}

// Compare prints the figures of two runs side by side. The runs are given by their numbers.
func Compare(to io.Writer, runs []stats.Past, a, b int) error {
	for _, n := range []int{a, b} {
		if n < 1 || n > len(runs) {
			return fmt.Errorf("there is no run %d; the history has 1 to %d", n, len(runs))
		}
	}
	t := New(Input{Runs: runs}).Table("runs")
	before, after := t.Rows[len(runs)-a], t.Rows[len(runs)-b]
	w := texttable.New(to, texttable.Right)
	w.Row("", fmt.Sprintf("run %d", a), fmt.Sprintf("run %d", b), "change")
	for k, c := range t.Columns {
		if c.Key == "run" || c.Kind == Text || c.Kind == Parts {
			continue
		}
		change := ""
		if c.Kind != Moment {
			change = Change(before[k], after[k])
		}
		w.Row(c.Title, c.Kind.showCell(before[k]), c.Kind.showCell(after[k]), change)
	}
	return w.Flush()
}

// summarized lists the tables of a Markdown summary, with the number of rows of each.
var summarized = [...]struct {
	key  string
	rows int
}{{"key", 20}, {"failures", 20}, {"warnings", 20}, {"slowest", 10}, {"largest", 10}}

// longestOfMarkdown limits a cell in a summary, in bytes.
const longestOfMarkdown = 300

// WriteMarkdown writes a summary for the page of a CI build: key figures, failures, warnings by
// cause, and the slowest and largest assets. Empty tables are omitted.
func (r *Report) WriteMarkdown(to io.Writer) error {
	w := bufio.NewWriter(to)
	fmt.Fprintln(w, "## Cooked assets")
	for _, s := range summarized {
		if t := r.Table(s.key); len(t.Rows) > 0 {
			t.writeMarkdown(w, s.rows)
		}
	}
	return w.Flush()
}

// writeMarkdown writes the first rows of a table. It omits columns that are empty in these rows,
// and figures that another column shows in readable form.
func (t *Table) writeMarkdown(w io.Writer, rows int) {
	shown := t.Rows[:min(rows, len(t.Rows))]
	fmt.Fprintf(w, "\n### %s\n\n", t.Title)
	var columns []int
	head, rule := "|", "|"
	for k, c := range t.Columns {
		filled := false
		for _, row := range shown {
			filled = filled || c.Kind.showCell(row[k]) != ""
		}
		if !filled || c.Key == "raw" {
			continue
		}
		columns = append(columns, k)
		head += " " + escapeMarkdownCell(c.Title) + " |"
		if c.Kind.isNumeric() {
			rule += "---:|"
		} else {
			rule += "---|"
		}
	}
	fmt.Fprintf(w, "%s\n%s\n", head, rule)
	for _, row := range shown {
		fmt.Fprint(w, "|")
		for _, k := range columns {
			fmt.Fprintf(w, " %s |", escapeMarkdownCell(cutText(t.Columns[k].Kind.showCell(row[k]), longestOfMarkdown)))
		}
		fmt.Fprintln(w)
	}
	if more := len(t.Rows) - len(shown); more > 0 {
		fmt.Fprintf(w, "\nand %d more\n", more)
	}
}

// escapeMarkdownCell escapes a text for a cell of a Markdown table.
func escapeMarkdownCell(text string) string {
	var b strings.Builder
	for _, c := range text {
		switch {
		case c < ' ':
			c = ' '
		case c < 0x80 && strings.ContainsRune("\\`*_[]<>|&#!~@", c):
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}
