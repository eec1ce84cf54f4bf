package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/diagnosis"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/profile/memory"
)

// A Captured is a memory snapshot to diagnose.
type Captured struct {
	Name string // name of the file, for commands
	*memory.Capture
}

// DiagnoseMemory returns the budgets that were exceeded, the largest groups and places, and the highest
// peak of a memory snapshot.
func (c *Captured) DiagnoseMemory() diagnosis.Diagnosis {
	d := diagnosis.Diagnosis{Kind: diagnosis.Memory, Subjects: []string{c.Name}}
	next := diagnosis.ShellCommand("cook", "view", diagnosis.FileArgument(c.Name))
	add := func(kind string, severity diagnosis.Severity, amount int64, unit diagnosis.Unit, where diagnosis.Place, format string, args ...any) {
		d.Findings = append(d.Findings, diagnosis.Finding{
			Kind: kind, Severity: severity, Text: fmt.Sprintf(format, args...), Amount: float64(amount), Unit: unit, Where: where, Next: next,
		})
	}
	groups := slices.Clone(c.Snapshot.Groups)
	slices.SortStableFunc(groups, func(a, b memory.GroupRow) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Peak, a.Peak))
	})
	for _, g := range groups {
		if g.Exceeded+g.Refused > 0 {
			add("budget", diagnosis.Warning, g.Exceeded+g.Refused, diagnosis.Count, diagnosis.Place{Scope: g.Name},
				"group %s exceeded its budget of %s %s and was refused memory %s; its peak is %s", pathname.Show(g.Name), human.Bytes(g.Budget),
				human.Count(int(g.Exceeded), "time"), human.Count(int(g.Refused), "time"), human.Bytes(g.Peak))
		}
	}
	if n := c.Snapshot.Untracked; n > 0 {
		add("untracked", diagnosis.Warning, n, diagnosis.Count, diagnosis.Place{}, "%s are not tracked, because the tracker's option Live is too small", human.Count(int(n), "allocation"))
	}
	if len(groups) > 0 && groups[0].Bytes > 0 {
		g := groups[0]
		add("largest_group", diagnosis.Note, g.Bytes, diagnosis.Bytes, diagnosis.Place{Scope: g.Name}, "group %s holds most: %s in %s, %s at its peak",
			pathname.Show(g.Name), human.Bytes(g.Bytes), human.Count(int(g.Count), "allocation"), human.Bytes(g.Peak))
	}
	if places := c.List.Places(); len(places) > 0 {
		p := &places[0]
		add("largest_place", diagnosis.Note, p.Bytes, diagnosis.Bytes, placeOfMemory(p), "%s holds %s in %s", poolLabel(p), human.Bytes(p.Bytes), human.Count(int(p.Count), "allocation"))
	}
	if len(groups) > 0 {
		g := slices.MaxFunc(groups, func(a, b memory.GroupRow) int { return cmp.Compare(a.Peak, b.Peak) })
		d.Verdict = fmt.Sprintf(", %s at the peak of group %s", human.Bytes(g.Peak), pathname.Show(g.Name))
		if g.Peak > g.Bytes {
			add("peak", diagnosis.Note, g.Peak, diagnosis.Bytes, diagnosis.Place{Scope: g.Name}, "group %s has the highest peak: %s; it holds %s now",
				pathname.Show(g.Name), human.Bytes(g.Peak), human.Bytes(g.Bytes))
		}
	}
	if rows := c.Snapshot.Rows; len(rows) > 0 {
		r := slices.MaxFunc(rows, func(a, b memory.Row) int { return cmp.Compare(a.Peak, b.Peak) })
		if r.Peak > 0 {
			scope := cmp.Or(r.Scope, "no scope")
			add("peak_scope", diagnosis.Note, r.Peak, diagnosis.Bytes, diagnosis.Place{Scope: r.Scope, Worker: r.Worker}, "%s needed most memory of group %s at one time: %s",
				pathname.Show(scope), pathname.Show(r.Group), human.Bytes(r.Peak))
		}
	}
	d.Verdict = fmt.Sprintf("%s held in %s%s", human.Bytes(c.Usage.Bytes), human.Count(int(c.Usage.Count), "allocation"), d.Verdict)
	if len(groups) > 0 && groups[0].Bytes > 0 {
		d.Verdict += fmt.Sprintf("; most in group %s: %s", pathname.Show(groups[0].Name), human.Bytes(groups[0].Bytes))
	}
	return d
}

// CompareMemory returns the leaks between two snapshots of one run. For snapshots of different
// runs, whose allocations cannot be compared, it returns the groups that grew.
func CompareMemory(before, after *Captured) diagnosis.Diagnosis {
	d := diagnosis.Diagnosis{Kind: diagnosis.MemoryChanges, Subjects: []string{before.Name, after.Name}}
	next := diagnosis.ShellCommand("cook", "view", diagnosis.FileArgument(before.Name), diagnosis.FileArgument(after.Name))
	grown := after.Usage.Bytes - before.Usage.Bytes
	d.Verdict = fmt.Sprintf("%s held, before %s: %s", human.Bytes(after.Usage.Bytes), human.Bytes(before.Usage.Bytes), changeText(before.Usage.Bytes, after.Usage.Bytes))
	if before.Tracker == after.Tracker {
		leaks := after.List.Sub(before.List).Leaks.Places()
		d.Verdict += fmt.Sprintf("; %s", human.Count(len(leaks), "place")+" may leak")
		for i := range leaks {
			p := &leaks[i]
			d.Findings = append(d.Findings, diagnosis.Finding{
				Kind: "leak", Severity: diagnosis.Warning, Text: fmt.Sprintf("%s in %s of %s were allocated after the first snapshot and not freed", human.Bytes(p.Bytes), human.Count(int(p.Count), "allocation"), poolLabel(p)),
				Amount: float64(p.Bytes), Unit: diagnosis.Bytes, Where: placeOfMemory(p), Next: next,
			})
		}
		return d
	}
	d.Verdict += "; the snapshots are from different runs, so only groups are compared"
	pairs := after.Snapshot.GroupPairs(before.Snapshot)
	difference := func(p [2]memory.GroupRow) int64 { return p[0].Bytes - p[1].Bytes }
	slices.SortStableFunc(pairs, func(a, b [2]memory.GroupRow) int { return cmp.Compare(difference(b), difference(a)) })
	for _, p := range pairs {
		if n := difference(p); n > 0 {
			d.Findings = append(d.Findings, diagnosis.Finding{
				Kind: "group_grew", Severity: diagnosis.Note, Text: fmt.Sprintf("group %s grew by %s to %s: %s", pathname.Show(p[0].Name), human.Bytes(n), human.Bytes(p[0].Bytes), growthShare(n, grown)),
				Amount: float64(n), Unit: diagnosis.Bytes, Where: diagnosis.Place{Scope: p[0].Name}, Next: next,
			})
		}
	}
	return d
}

// growthShare compares the growth of a group with the growth of all memory.
func growthShare(part, whole int64) string {
	if whole <= 0 {
		return "all memory together did not grow"
	}
	return percentOf(part, whole) + " of the growth"
}

// poolLabel names the pool of a place, as reports of package memory do.
func poolLabel(p *memory.Place) string {
	return pathname.Show(strings.TrimSuffix(p.Group+"/"+p.Name, "/"))
}

// placeOfMemory returns the position of the code that allocated, and its scope.
func placeOfMemory(p *memory.Place) diagnosis.Place {
	where := diagnosis.Place{Scope: p.Scope, File: p.Site}
	if i := strings.LastIndexByte(p.Site, ':'); i > 0 {
		if line, err := strconv.Atoi(p.Site[i+1:]); err == nil && line > 0 {
			where.File, where.Line = p.Site[:i], line
		}
	}
	return where
}
