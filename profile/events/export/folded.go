package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// WriteFolded writes Brendan Gregg's folded stacks: a line for each stack of scopes,
//
//	worker;cook/asset textures/wall.png;cook/encode 51200
//
// with the nanoseconds that passed in the last scope and not in one within it. The
// lines are sorted. Marks, counters and flows have no place in it.
func WriteFolded(w io.Writer, rec Recording) error {
	t, failed := gather(rec)
	sums := map[string]int64{}
	for _, r := range t.rows {
		lines := map[*stack]string{nil: frame(r.name)}
		for _, s := range r.sumRowByStack(nil, map[stack]*stack{}) {
			text := t.names[s.name]
			if s.detail != 0 {
				text += " " + t.names[s.detail]
			}
			lines[s] = lines[s.under] + ";" + frame(text)
			sums[lines[s]] += s.self
		}
	}
	out := bufio.NewWriterSize(w, 64<<10)
	for _, line := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(out, "%s %d\n", line, sums[line])
	}
	return errors.Join(failed, out.Flush())
}

// frame keeps a name from falling apart at what separates frames.
func frame(name string) string { return strings.ReplaceAll(name, ";", ":") }
