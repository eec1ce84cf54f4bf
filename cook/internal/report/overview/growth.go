package overview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/assetcook/assetcook/cook/internal/pass"
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
func dayBefore(runs []pass.Past) int {
	end := runs[len(runs)-1].At.Add(-24 * time.Hour)
	from := len(runs) - 1
	for from > 0 && runs[from-1].At.After(end) {
		from--
	}
	return from
}

// grow adds what some runs have made larger or smaller, the greatest change first.
func (r *Report) grow(t *Table, runs []pass.Past) {
	type key struct{ path, target string }
	rows := map[key][]any{}
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
			row := rows[k]
			if row == nil {
				row = []any{k.path, k.target, s.Before, s.After, int64(0), ""}
				rows[k] = row
			}
			row[3] = s.After
		}
	}
	for _, row := range rows {
		before, after := row[2].(int64), row[3].(int64)
		switch {
		case before < 0 && after < 0:
			continue
		case before < 0:
			row[5] = "new"
		case after < 0:
			row[5] = "gone"
		}
		before, after = max(0, before), max(0, after)
		if row[2], row[3], row[4] = before, after, after-before; before != after || row[5] != "" {
			t.Rows = append(t.Rows, row)
		}
	}
	slices.SortFunc(t.Rows, func(a, b []any) int {
		x, y := a[4].(int64), b[4].(int64)
		return cmp.Or(cmp.Compare(max(y, -y), max(x, -x)), strings.Compare(a[0].(string), b[0].(string)), strings.Compare(a[1].(string), b[1].(string)))
	})
	if rest > 0 {
		t.add(fmt.Sprintf("(%s of other assets)", count(rest, "smaller change")), "", restBefore, restAfter, restAfter-restBefore, "")
	}
	if len(runs) > 0 {
		t.Note = fmt.Sprintf("%s, from %s to %s UTC.", count(len(runs), "cook"), Moment.show(runs[0].At), Moment.show(runs[len(runs)-1].At))
	}
	if silent > 0 {
		t.Note += fmt.Sprintf(" The history has no details of %d of them any more.", silent)
	}
}

// grown returns how many bytes a table of growth comes to.
func grown(t *Table) int64 { return t.sums(t.Rows)[4].(int64) }

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
	rows, unlisted := map[string]int{}, 0
	add := func(path, text string) {
		key := cause(text)
		at, known := rows[key]
		if !known {
			at = len(t.Rows)
			rows[key] = at
			t.add(text, int64(0), path, "")
		}
		row := t.Rows[at]
		n := row[1].(int64) + 1
		row[1] = n
		switch {
		case n > 1 && n <= examples:
			row[3] = strings.TrimPrefix(row[3].(string)+"; "+path, "; ")
		case n == examples+1:
			row[3] = row[3].(string) + "; …"
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
	slices.SortStableFunc(t.Rows, func(a, b []any) int { return cmp.Compare(b[1].(int64), a[1].(int64)) })
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
		t.add(a.Path, a.Target, a.Method.Recipe, why, moment(a.Last.At))
	}
	return t
}
