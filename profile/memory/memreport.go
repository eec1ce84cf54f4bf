package memory

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/sysmem"
	"github.com/assetcook/assetcook/internal/texttable"
)

// mostRows is the maximum number of scopes in a report.
const mostRows = 20

// WriteReport writes the memory use of the process as readable text. It begins with the system's
// figures for current and peak memory, and how much of that is tracked; the untracked part is
// mainly the program itself. Then it lists the groups, the pools with their types, and the 20
// largest scopes. A nil tracker writes nothing.
func (t *Tracker) WriteReport(w io.Writer) error {
	if t == nil {
		return nil
	}
	s, u := t.Snapshot(), t.Usage()
	out := bufio.NewWriter(w)
	if now, peak := sysmem.RSS(), sysmem.PeakRSS(); now > 0 {
		fmt.Fprintf(out, "process: %s used, %s peak\n", human.Bytes(now), human.Bytes(max(now, peak)))
	} else if peak > 0 {
		fmt.Fprintf(out, "process: %s peak\n", human.Bytes(peak))
	}
	fmt.Fprintf(out, "tracked: %s held in %s", human.Bytes(u.Bytes), allocations(u.Count))
	if t.tally != nil {
		fmt.Fprintf(out, ", %s peak, %s at most", human.Bytes(u.Peak), allocations(u.PeakCount))
	}
	fmt.Fprintf(out, "\npools: %s from the system, %s of that kept for reuse, %s by rounding to sizes\n", human.Bytes(u.Held), human.Bytes(u.Warm), human.Bytes(u.Rounding))
	fmt.Fprintf(out, "tables: %s\n", human.Bytes(u.Tables))
	if s.Untracked > 0 {
		fmt.Fprintf(out, "untracked: %s, because Live is too small\n", allocations(s.Untracked))
	}
	if s.Unprotected > 0 {
		fmt.Fprintf(out, "unprotected: %s, in which bad accesses do not fault, because the slices are too large or the system has no more mappings\n", allocations(s.Unprotected))
	}
	if s.Coarse > 0 {
		fmt.Fprintf(out, "coarse: %s recorded in the enclosing scope, because Scopes is too small\n", human.Count(int(s.Coarse), "scope"))
	}
	if len(s.Groups) > 0 {
		fmt.Fprintln(out, "\ngroups")
		s.writeGroups(out)
		fmt.Fprintln(out, "\npools")
		u.writePools(out)
		s.writeLargest(out)
	}
	return out.Flush()
}

func allocations(n int64) string { return human.Count(int(n), "allocation") }

// writeGroups writes the report's table of groups. The names of the enclosing groups follow each
// group.
func (s *Snapshot) writeGroups(w io.Writer) error {
	table := texttable.New(w, texttable.RightThenName)
	table.Row("held", "count", "peak", "budget", "exceeded", "refused", "waited", "group")
	for _, g := range s.Groups {
		budget := "none"
		if g.Budget != 0 {
			budget = human.Bytes(g.Budget)
		}
		table.Row(human.Bytes(g.Bytes), g.Count, human.Bytes(g.Peak), budget, g.Exceeded, g.Refused, g.Waited, g.label())
	}
	return table.Flush()
}

func (u *Usage) writePools(w io.Writer) {
	table := texttable.New(w, texttable.RightThenName)
	table.Row("held", "count", "rounding", "pool")
	for _, p := range u.Pools {
		name := Key{Group: p.Group, Name: p.Name}.label()
		if about := strings.TrimSpace(p.Type + " " + string(p.Lifetime)); about != "" {
			name += " (" + about + ")"
		}
		table.Row(human.Bytes(p.Bytes), p.Count, human.Bytes(p.Rounding), name)
	}
	table.Flush()
}

// writeLargest lists the rows with the most bytes. Among rows with equal bytes, a higher peak comes
// first.
func (s *Snapshot) writeLargest(w io.Writer) {
	rows := slices.Clone(s.Rows)
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Peak, a.Peak), a.compare(b.Key))
	})
	if len(rows) == 0 {
		return
	}
	more := len(rows) - mostRows
	rows = rows[:min(len(rows), mostRows)]
	fmt.Fprintln(w, "\nlargest scopes")
	table := texttable.New(w, texttable.RightThenName)
	table.Row("held", "count", "peak", "scope")
	for _, r := range rows {
		scope := cmp.Or(r.Worker, "(no worker)")
		if r.Scope != "" {
			scope += ";" + r.Scope
		}
		table.Row(human.Bytes(r.Bytes), r.Count, human.Bytes(r.Peak), fmt.Sprintf("%s: %s", scope, r.label()))
	}
	table.Flush()
	if more > 0 {
		fmt.Fprintf(w, "and %d more\n", more)
	}
}
