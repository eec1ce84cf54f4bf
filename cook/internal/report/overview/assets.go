package overview

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/survey"
)

var assetColumns = []Column{
	{"path", "asset", Name, false}, {"target", "target", Name, false}, {"recipe", "recipe", Name, false},
	{"bytes_in", "source", Bytes, true}, {"bytes_out", "cooked", Bytes, true}, {"cook_ns", "cook time", Time, true},
	{"outcome", "last", Text, false}, {"at", "on (UTC)", Moment, false}, {"why", "why", Text, false},
	{"used_by", "used by", Text, false}, {"outputs", "makes", Text, false},
}

// assetsTable lists all assets. Each asset has a share of all bytes and a share of all time. The
// larger share determines the order.
func assetsTable(r *Report) *Table {
	t := &Table{Key: "assets", Title: "All assets", Columns: assetColumns}
	list := r.in.Assets
	var bytes, ns int64
	order := make([]int, len(list))
	for i := range list {
		order[i] = i
		bytes += list[i].Out()
		ns += int64(list[i].CookTime)
	}
	weight := func(i int) float64 {
		return max(float64(list[i].Out())/float64(max(1, bytes)), float64(list[i].CookTime)/float64(max(1, ns)))
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(weight(j), weight(i)) })
	for _, i := range order {
		t.Rows = append(t.Rows, r.assetRow(&list[i]))
	}
	return t
}

func (r *Report) assetRow(a *survey.Asset) []any {
	var outputs []string
	for _, o := range a.Outputs {
		outputs = append(outputs, o.Path)
	}
	return []any{
		a.Path, a.Target, a.Method.Recipe, a.In, a.Out(), a.CookTime, string(a.Last.Outcome), moment(a.Last.At), joinLines(a.Last.Reasons),
		r.usedBy(a.Path), joinLines(outputs),
	}
}

// moment returns the cell for a time, or nil if the time is zero.
func moment(t time.Time) any {
	if t.IsZero() || t.Unix() == 0 {
		return nil
	}
	return t
}

// usedBy lists the assets that read a file.
func (r *Report) usedBy(file string) string {
	const most = 3
	users := r.users[file]
	text := joinLines(users[:min(most, len(users))])
	if more := len(users) - most; more > 0 {
		text += " and " + countOf(more, "more")
	}
	return text
}

// top lists the assets with the largest value in a column.
func (r *Report) top(key string, all *Table) *Table {
	const most = 100
	t := &Table{Key: key, Title: "Largest assets", Columns: []Column{
		{"path", "asset", Name, false}, {"target", "target", Name, false}, {"bytes_out", "cooked", Bytes, true}, {"cook_ns", "cook time", Time, true},
		{"bytes_in", "source", Bytes, true}, {"recipe", "recipe", Name, false}, {"why", "why", Text, false}, {"used_by", "used by", Text, false},
	}}
	sorted := slices.Clone(all.Rows)
	took, size := all.column("cook_ns"), all.column("bytes_out")
	if key == "slowest" {
		t.Title, t.Note = "Slowest assets", "Sorted by the time of the recipe's last run, here or on the machine that filled the store."
		slices.SortStableFunc(sorted, func(a, b []any) int { return cmp.Compare(b[took].(time.Duration), a[took].(time.Duration)) })
	} else {
		slices.SortStableFunc(sorted, func(a, b []any) int { return cmp.Compare(b[size].(int64), a[size].(int64)) })
	}
	for _, row := range sorted[:min(most, len(sorted))] {
		cells := make([]any, len(t.Columns))
		for k, c := range t.Columns {
			cells[k] = row[all.column(c.Key)]
		}
		t.addTableRow(cells...)
	}
	return t
}

// groupTables sums up assets by recipe and by directory. The sums of a directory do not include its
// subdirectories.
func groupTables(r *Report) (recipes, folders *Table) {
	type group struct {
		name    string
		assets  int64
		in, out int64
		took    time.Duration
		worked  int64 // number of assets that the latest run worked on
		failed  int64
	}
	sum := func(of func(a *survey.Asset) string) []*group {
		byName, list := map[string]*group{}, []*group{}
		for i := range r.in.Assets {
			a := &r.in.Assets[i]
			name := of(a)
			g := byName[name]
			if g == nil {
				g = &group{name: name}
				byName[name] = g
				list = append(list, g)
			}
			g.assets++
			g.in += a.In
			g.out += a.Out()
			g.took += a.CookTime
			if r.ofLast(a) {
				g.worked++
			}
			if a.Failed {
				g.failed++
			}
		}
		slices.SortStableFunc(list, func(a, b *group) int { return cmp.Or(cmp.Compare(b.out, a.out), strings.Compare(a.name, b.name)) })
		return list
	}
	table := func(key, title, note, what string, list []*group) *Table {
		t := &Table{Key: key, Title: title, Note: note, Columns: []Column{
			{what, what, Name, false}, {"assets", "assets", Number, true}, {"bytes_in", "sources", Bytes, true}, {"bytes_out", "cooked", Bytes, true},
			{"share", "share", Percent, false}, {"cook_ns", "cook time", Time, true}, {"last_cook", "in the last cook", Number, true}, {"failed", "failed", Number, true},
		}}
		var all int64
		for _, g := range list {
			all += g.out
		}
		for _, g := range list {
			t.addTableRow(g.name, g.assets, g.in, g.out, float64(g.out)/float64(max(1, all)), g.took, g.worked, g.failed)
		}
		return t
	}
	byRecipe := sum(func(a *survey.Asset) string { return a.Method.Recipe })
	for i, g := range byRecipe {
		r.recipe[g.name] = i
	}
	return table("recipes", "By recipe", "", "recipe", byRecipe),
		table("folders", "By directory", "Sizes do not include subdirectories.", "folder", sum(func(a *survey.Asset) string { return path.Dir(a.Path) }))
}
