package cli

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

const sizeText = `usage: cook size -dir assets [flags] [pattern ...]

Shows what is big: the sizes of sources and outputs by kind of file, by recipe or by
folder, the biggest outputs first, and by how much the last run that did something made
the outputs larger or smaller.

Example:
	cook size -dir assets -by folder
`

func (r *queryRun) sizeFlags() *flag.FlagSet {
	fs := r.start("size", sizeText)
	fs.BoolVar(&r.json, "json", false, "print each group as one line of JSON")
	listedFlag(fs, &r.by, "by", "kind", "sum up by `what`: kind, recipe or folder", groupings)
	fs.IntVar(&r.lines, "lines", 20, "print at most this `number` of groups; 0 is all")
	return fs
}

// groupings are the values of -by.
func groupings() []string { return []string{"kind", "recipe", "folder"} }

func runSize(ctx context.Context, _ func(), args []string, stdout, stderr io.Writer) int {
	var r queryRun
	return query(ctx, &r, r.sizeFlags(), args, stdout, stderr, false, r.size)
}

// A groupJSON is assets that are summed up.
type groupJSON struct {
	Name   string        `json:"name"`
	Assets int           `json:"assets"`
	In     int64         `json:"bytes_in"`
	Out    int64         `json:"bytes_out"`
	More   int64         `json:"bytes_more"` // of outputs, by the last run that did something
	Took   time.Duration `json:"cook_ns"`
}

func (r *queryRun) size(patterns []string, w io.Writer) error {
	recipes := map[string]string{} // of assets, by path
	of := map[string]func(path string) string{
		"kind":   func(p string) string { return cmp.Or(recipe.Ext(p), "without an extension") },
		"recipe": func(p string) string { return cmp.Or(recipes[p], "none") },
		"folder": path.Dir,
	}[r.by]
	if of == nil {
		return &cook.ConfigError{Err: fmt.Errorf("-by %s: want kind, recipe or folder", pathname.Show(r.by))}
	}
	list, err := r.assets(patterns)
	if err != nil {
		return err
	}
	groups, all := map[string]*groupJSON{}, groupJSON{Name: "all"}
	group := func(p string) []*groupJSON {
		name := of(p)
		if groups[name] == nil {
			groups[name] = &groupJSON{Name: name}
		}
		return []*groupJSON{groups[name], &all}
	}
	for i := range list {
		a := &list[i]
		recipes[a.Path] = a.Method.Recipe
		for _, g := range group(a.Path) {
			g.Assets, g.In, g.Out, g.Took = g.Assets+1, g.In+a.In, g.Out+a.Out(), g.Took+a.CookTime
		}
	}
	changed, rest, err := r.changed(patterns)
	if err != nil {
		return err
	}
	all.More = rest
	for p, more := range changed {
		for _, g := range group(p) {
			g.More += more
		}
	}
	var rows []groupJSON
	for _, g := range groups {
		rows = append(rows, *g)
	}
	slices.SortFunc(rows, func(a, b groupJSON) int { return cmp.Or(cmp.Compare(b.Out, a.Out), cmp.Compare(a.Name, b.Name)) })
	if r.lines > 0 {
		rows = rows[:min(r.lines, len(rows))]
	}
	rows = append(rows, all)
	if r.json {
		return eachJSON(w, rows, func(g *groupJSON) any { return g })
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "assets\tsources\toutputs\tlast run\tcook time\t  %s\n", r.by)
	for _, g := range rows {
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t  %s\n", g.Assets, human.Bytes(g.In), human.Bytes(g.Out), signed(g.More), human.Duration(g.Took), pathname.Show(g.Name))
	}
	return t.Flush()
}

// signed shows a difference in bytes, "" for none.
func signed(n int64) string {
	switch {
	case n > 0:
		return "+" + human.Bytes(n)
	case n < 0:
		return "-" + human.Bytes(-n)
	}
	return ""
}

// changed is by how much the last run that did something made the outputs of each asset
// larger, of those that patterns choose, and what the history has of others as a sum.
func (r *queryRun) changed(patterns []string) (more map[string]int64, rest int64, err error) {
	out, err := survey.OutputFolder(r.project.Dir, r.project.Out)
	if err != nil {
		return nil, 0, err
	}
	runs, err := survey.Runs(out)
	if err != nil || len(runs) == 0 || runs[len(runs)-1].Detail == nil {
		return nil, 0, err
	}
	var chosen glob.List
	for _, p := range patterns {
		if err := chosen.Add(filepath.ToSlash(p)); err != nil {
			return nil, 0, &cook.ConfigError{Err: err}
		}
	}
	more = map[string]int64{}
	last := runs[len(runs)-1].Detail
	for _, s := range last.Sizes {
		if p := string(s.Path); chosen.Len() == 0 || chosen.Match(p, path.Base(p)) {
			more[p] += max(0, s.After) - max(0, s.Before)
		}
	}
	if chosen.Len() == 0 {
		rest = last.Rest.After - last.Rest.Before
	}
	return more, rest, nil
}
