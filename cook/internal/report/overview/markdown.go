package overview

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// summarized lists the tables of a summary in Markdown, and their numbers of rows.
var summarized = [...]struct {
	key  string
	rows int
}{{"key", 20}, {"failures", 20}, {"warnings", 20}, {"slowest", 10}, {"largest", 10}}

// longestOfMarkdown bounds the bytes of a cell in a summary.
const longestOfMarkdown = 300

// WriteMarkdown writes a summary for the page of a build: key figures, failures, warnings by cause,
// and the slowest and largest assets. It leaves out empty tables.
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

// writeMarkdown writes the first rows of a table. It leaves out columns that are empty there, and
// raw figures beside readable ones.
func (t *Table) writeMarkdown(w io.Writer, rows int) {
	shown := t.Rows[:min(rows, len(t.Rows))]
	fmt.Fprintf(w, "\n### %s\n\n", t.Title)
	var columns []int
	head, rule := "|", "|"
	for k, c := range t.Columns {
		filled := false
		for _, row := range shown {
			filled = filled || c.Kind.show(row[k]) != ""
		}
		if !filled || c.Key == "raw" {
			continue
		}
		columns = append(columns, k)
		head += " " + escapeMarkdown(c.Title) + " |"
		if c.Kind.numeric() {
			rule += "---:|"
		} else {
			rule += "---|"
		}
	}
	fmt.Fprintf(w, "%s\n%s\n", head, rule)
	for _, row := range shown {
		fmt.Fprint(w, "|")
		for _, k := range columns {
			fmt.Fprintf(w, " %s |", escapeMarkdown(cut(t.Columns[k].Kind.show(row[k]), longestOfMarkdown)))
		}
		fmt.Fprintln(w)
	}
	if more := len(t.Rows) - len(shown); more > 0 {
		fmt.Fprintf(w, "\nand %d more\n", more)
	}
}

// escapeMarkdown escapes a text for a cell of a table in Markdown.
func escapeMarkdown(text string) string {
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
