package overview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/assetcook/assetcook/cook/internal/stats"
	"github.com/assetcook/assetcook/internal/human"
)

func growthTable(key, title string) *Table {
	return &Table{Key: key, Title: title, Columns: []Column{
		{"path", "asset", Name, false}, {"target", "target", Name, false}, {"before", "before", Bytes, true}, {"after", "after", Bytes, true},
		{"growth", "growth", Bytes, true}, {"what", "", Text, false},
	}}
}

// growthSinceRun lists the size changes in the latest run.
func growthSinceRun(r *Report) *Table {
	t := growthTable("growth_run", "Growth in the last cook")
	if r.last != nil {
		addGrowth(t, r.in.Runs[len(r.in.Runs)-1:])
	}
	return t
}

// growthSinceDay lists the size changes in the runs of the last day.
func growthSinceDay(r *Report) *Table {
	t := growthTable("growth_day", "Growth in a day")
	if r.last == nil {
		return t
	}
	from := dayBefore(r.in.Runs)
	t.Title = "Growth since yesterday"
	if from == 0 && len(r.in.Runs) > 1 {
		from, t.Title = 1, "Growth since the first cook in the history"
	}
	addGrowth(t, r.in.Runs[from:])
	return t
}

// dayBefore returns the index of the first run in the 24 hours before the latest run.
func dayBefore(runs []stats.Past) int {
	end := runs[len(runs)-1].At.Add(-24 * time.Hour)
	from := len(runs) - 1
	for from > 0 && runs[from-1].At.After(end) {
		from--
	}
	return from
}

// A sizeChange is the change in size of an asset's artifacts, in bytes.
type sizeChange struct {
	path, target  string
	before, after int64
	what          string // "new", "gone" or ""
}

// growth returns the change of size, negative if the artifacts shrank.
func (c *sizeChange) growth() int64 { return c.after - c.before }

// sizeChanges returns the size changes in some runs, the largest first. It omits changes that the
// history does not list.
func sizeChanges(runs []stats.Past) []*sizeChange {
	type key struct{ path, target string }
	byAsset := map[key]*sizeChange{}
	for i := range runs {
		if runs[i].Detail == nil {
			continue
		}
		for _, s := range runs[i].Detail.Sizes {
			k := key{string(s.Path), s.Target}
			c := byAsset[k]
			if c == nil {
				c = &sizeChange{path: k.path, target: k.target, before: s.Before}
				byAsset[k] = c
			}
			c.after = s.After
		}
	}
	var changes []*sizeChange
	for _, c := range byAsset {
		switch {
		case c.before < 0 && c.after < 0:
			continue
		case c.before < 0:
			c.what = "new"
		case c.after < 0:
			c.what = "gone"
		}
		c.before, c.after = max(0, c.before), max(0, c.after)
		if c.growth() != 0 || c.what != "" {
			changes = append(changes, c)
		}
	}
	slices.SortFunc(changes, func(a, b *sizeChange) int {
		x, y := a.growth(), b.growth()
		return cmp.Or(cmp.Compare(max(y, -y), max(x, -x)), strings.Compare(a.path, b.path), strings.Compare(a.target, b.target))
	})
	return changes
}

// addGrowth adds the size changes in some runs to a table, the largest first.
func addGrowth(t *Table, runs []stats.Past) {
	var restBefore, restAfter int64
	rest, silent := 0, 0
	for i := range runs {
		d := runs[i].Detail
		if d == nil {
			silent++
			continue
		}
		rest += d.Rest.Assets
		restBefore += d.Rest.Before
		restAfter += d.Rest.After
	}
	for _, c := range sizeChanges(runs) {
		t.addTableRow(c.path, c.target, c.before, c.after, c.growth(), c.what)
	}
	if rest > 0 {
		t.addTableRow(fmt.Sprintf("(%s of other assets)", countOf(rest, "smaller change")), "", restBefore, restAfter, restAfter-restBefore, "")
	}
	if len(runs) > 0 {
		t.Note = fmt.Sprintf("%s, from %s to %s UTC.", countOf(len(runs), "cook"), Moment.showCell(runs[0].At), Moment.showCell(runs[len(runs)-1].At))
	}
	if silent > 0 {
		t.Note += fmt.Sprintf(" The history has no details of %d of them any more.", silent)
	}
}

// signedBytes formats a size change.
func signedBytes(n int64) string {
	if n < 0 {
		return Bytes.showCell(n)
	}
	return "+" + human.Bytes(n)
}

// grown returns the sum of the changes in a table, in bytes.
func grown(t *Table) int64 { return cellAs[int64](t, t.columnSums(t.Rows), "growth") }

// warningsTable lists warnings by cause. A warning is listed until a run works on its asset again.
func warningsTable(r *Report) *Table {
	t := &Table{Key: "warnings", Title: "Warnings by cause", Columns: []Column{
		{"cause", "warning", Text, false}, {"warnings", "warnings", Number, true}, {"path", "such as", Name, false}, {"paths", "and", Text, false}}}
	const examples = 4
	worked := map[string]time.Time{}
	recipes := map[string]bool{} // assets whose warnings are not in the history
	for i := range r.in.Assets {
		a := &r.in.Assets[i]
		if a.Last.At.After(worked[a.Path]) {
			worked[a.Path] = a.Last.At
		}
		if a.Warned && !a.Failed {
			recipes[a.Path] = true
		}
	}
	type group struct {
		text     string
		warnings int64
		paths    []string // examples of paths with the warning
	}
	byCause, unlisted := map[string]*group{}, 0
	var groups []*group
	add := func(path, text string) {
		key := warningCause(text)
		g := byCause[key]
		if g == nil {
			g = &group{text: text}
			byCause[key] = g
			groups = append(groups, g)
		}
		g.warnings++
		switch {
		case g.warnings <= examples:
			g.paths = append(g.paths, path)
		case g.warnings == examples+1:
			g.paths = append(g.paths, "…")
		}
	}
	for i := range r.in.Runs {
		d := r.in.Runs[i].Detail
		if d == nil {
			continue
		}
		unlisted += d.Unlisted
		for _, w := range d.Warnings {
			if worked[string(w.Path)].Equal(r.in.Runs[i].At) {
				add(string(w.Path), w.Text)
				delete(recipes, string(w.Path))
			}
		}
	}
	for i := range r.in.Assets {
		if a := &r.in.Assets[i]; recipes[a.Path] {
			delete(recipes, a.Path)
			add(a.Path, "a warning from a run that is no longer in the history; cook why PATH prints it")
		}
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Compare(b.warnings, a.warnings) })
	for _, g := range groups {
		t.addTableRow(g.text, g.warnings, g.paths[0], strings.Join(g.paths[1:], "; "))
	}
	if unlisted > 0 {
		t.Note = fmt.Sprintf("The history has no room for %s more.", countOf(unlisted, "warning"))
	}
	return t
}

// warningCause returns a warning without its numbers and quoted words, which differ between
// warnings with the same cause.
func warningCause(text string) string {
	var b strings.Builder
	quoted := false
	for _, c := range text {
		switch {
		case c == '"':
			quoted = !quoted
			b.WriteRune(c)
		case quoted:
		case unicode.IsDigit(c):
			if s := b.String(); !strings.HasSuffix(s, "0") {
				b.WriteByte('0')
			}
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// failuresTable lists the assets that failed.
func failuresTable(r *Report) *Table {
	t := &Table{Key: "failures", Title: "Failed assets", Columns: []Column{
		{"path", "asset", Name, false}, {"target", "target", Name, false}, {"recipe", "recipe", Name, false}, {"error", "error", Text, false}, {"at", "since (UTC)", Moment, false}}}
	for i := range r.in.Assets {
		a := &r.in.Assets[i]
		if !a.Failed {
			continue
		}
		why := ""
		if n := len(a.Last.Reasons); n > 0 {
			why = strings.TrimPrefix(a.Last.Reasons[n-1], "error: ")
		}
		t.addTableRow(a.Path, a.Target, a.Method.Recipe, why, moment(a.Last.At))
	}
	return t
}
