package overview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/assetcook/assetcook/cook/internal/stats"
)

func growthTable(key, title string) *Table {
	return &Table{Key: key, Title: title, Columns: []Column{
		{"path", "asset", Name, false}, {"target", "target", Name, false}, {"before", "before", Bytes, true}, {"after", "after", Bytes, true},
		{"growth", "growth", Bytes, true}, {"what", "", Text, false},
	}}
}

// growthSinceRun lists what the latest run made larger or smaller.
func (r *Report) growthSinceRun() *Table {
	t := growthTable("growth_run", "Growth in the last cook")
	if r.last != nil {
		r.grow(t, r.in.Runs[len(r.in.Runs)-1:])
	}
	return t
}

// growthSinceDay lists what the runs of the last day have made larger or smaller.
func (r *Report) growthSinceDay() *Table {
	t := growthTable("growth_day", "Growth in a day")
	if r.last == nil {
		return t
	}
	from := dayBefore(r.in.Runs)
	t.Title = "Growth since yesterday"
	if from == 0 && len(r.in.Runs) > 1 {
		from, t.Title = 1, "Growth since the first cook in the history"
	}
	r.grow(t, r.in.Runs[from:])
	return t
}

// dayBefore returns the first run of the day that ends with the latest one.
func dayBefore(runs []stats.Past) int {
	end := runs[len(runs)-1].At.Add(-24 * time.Hour)
	from := len(runs) - 1
	for from > 0 && runs[from-1].At.After(end) {
		from--
	}
	return from
}

// grow adds what some runs have made larger or smaller, the greatest change first.
func (r *Report) grow(t *Table, runs []stats.Past) {
	type key struct{ path, target string }
	type change struct {
		key
		before, after int64
		what          string
	}
	byAsset := map[key]*change{}
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
		for _, s := range d.Sizes {
			k := key{string(s.Path), s.Target}
			c := byAsset[k]
			if c == nil {
				c = &change{key: k, before: s.Before}
				byAsset[k] = c
			}
			c.after = s.After
		}
	}
	var changes []*change
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
		if c.before != c.after || c.what != "" {
			changes = append(changes, c)
		}
	}
	slices.SortFunc(changes, func(a, b *change) int {
		x, y := a.after-a.before, b.after-b.before
		return cmp.Or(cmp.Compare(max(y, -y), max(x, -x)), strings.Compare(a.path, b.path), strings.Compare(a.target, b.target))
	})
	for _, c := range changes {
		t.addRow(c.path, c.target, c.before, c.after, c.after-c.before, c.what)
	}
	if rest > 0 {
		t.addRow(fmt.Sprintf("(%s of other assets)", count(rest, "smaller change")), "", restBefore, restAfter, restAfter-restBefore, "")
	}
	if len(runs) > 0 {
		t.Note = fmt.Sprintf("%s, from %s to %s UTC.", count(len(runs), "cook"), Moment.show(runs[0].At), Moment.show(runs[len(runs)-1].At))
	}
	if silent > 0 {
		t.Note += fmt.Sprintf(" The history has no details of %d of them any more.", silent)
	}
}

// grown returns how many bytes a table of growth comes to.
func grown(t *Table) int64 { return cellAs[int64](t, t.sums(t.Rows), "growth") }

// warnings lists what was warned of, by cause. A warning holds until its asset is worked
// on again.
func (r *Report) warnings() *Table {
	t := &Table{Key: "warnings", Title: "Warnings by cause", Columns: []Column{
		{"cause", "warning", Text, false}, {"warnings", "warnings", Number, true}, {"path", "such as", Name, false}, {"paths", "and", Text, false}}}
	const examples = 4
	worked := map[string]time.Time{}
	recipes := map[string]bool{} // assets with warnings of their recipes whose text is not known yet
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
		paths    []string // the first ones
	}
	byCause, unlisted := map[string]*group{}, 0
	var groups []*group
	add := func(path, text string) {
		key := cause(text)
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
			add(a.Path, "a warning of the recipe, in a run that the history does not have any more; cook why shows it")
		}
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Compare(b.warnings, a.warnings) })
	for _, g := range groups {
		t.addRow(g.text, g.warnings, g.paths[0], strings.Join(g.paths[1:], "; "))
	}
	if unlisted > 0 {
		t.Note = fmt.Sprintf("%s more could not be kept.", count(unlisted, "warning"))
	}
	return t
}

// cause is what warnings have in common that differ in numbers and in what is quoted.
func cause(text string) string {
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

// failures lists the assets that failed.
func (r *Report) failures() *Table {
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
		t.addRow(a.Path, a.Target, a.Method.Recipe, why, moment(a.Last.At))
	}
	return t
}
