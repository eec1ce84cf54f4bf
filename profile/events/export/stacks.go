package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/profile/events"
)

// A stack is a scope name with the names of the enclosing scopes. It holds the sums over all scopes
// with this stack.
type stack struct {
	under        *stack // stack of the enclosing scopes; nil for an outermost scope
	name, detail uint32
	calls, self  int64 // number of scopes, and nanoseconds spent outside their inner scopes
}

// sumRowByStack adds the times of a row to its stacks. It looks up stacks in the map known. It adds
// a missing stack to the map and to the returned list.
func (r *row) sumRowByStack(all []*stack, known map[stack]*stack) []*stack {
	var open []*stack
	top := func() *stack {
		if len(open) == 0 {
			return nil
		}
		return open[len(open)-1]
	}
	enter := func(place int) {
		s := &r.spans[place]
		if s.kind != events.Scope {
			return
		}
		key := stack{under: top(), name: s.name, detail: s.detail}
		k := known[key]
		if k == nil {
			k = &stack{under: key.under, name: key.name, detail: key.detail}
			known[key] = k
			all = append(all, k)
		}
		k.calls++
		k.self += s.end - s.begin
		if k.under != nil {
			k.under.self -= s.end - s.begin
		}
		open = append(open, k)
	}
	leave := func(int) { open = open[:len(open)-1] }
	r.walk(enter, leave)
	return all
}

// writeFolded writes Brendan Gregg's folded stacks, with a line for each stack of scopes:
//
//	worker;cook/asset textures/wall.png;cook/encode 51200
//
// The number is the nanoseconds spent in the last scope, without the scopes inside it. The lines
// are sorted. Marks, counters and flows are omitted.
func writeFolded(w io.Writer, rec Recording) error {
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

// frame returns a name with the frame separator replaced.
func frame(name string) string { return strings.ReplaceAll(name, ";", ":") }
