package query

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"path"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/texttable"
)

const sizeText = `usage: cook size -dir assets [flags] [pattern ...]

Shows what is big: the sizes of sources and outputs by kind of file, by recipe or by
directory, the biggest outputs first, and by how much the last run with work made the outputs
larger or smaller.

Example:
	cook size -dir assets -by folder
`

// Size is the verb "cook size".
var Size = cmdline.Verb{
	Name: "size", Synopsis: "size -dir assets [flags] [pattern ...]", Summary: "show what is big, by kind, recipe or directory", Text: sizeText,
	Takes: cmdline.Argument{Files: true},
	New:   cmdline.HandlerOf((*sizeOptions).sizeFlags, (*sizeOptions).runSize),
}

type sizeOptions struct {
	lastRun
	by    string
	lines int
}

func (r *sizeOptions) sizeFlags(fs *flag.FlagSet) {
	cmdline.PlaceFlags(fs, &r.project)
	fs.BoolVar(&r.json, "json", false, "print each group as one line of JSON")
	cmdline.ListedFlag(fs, &r.by, "by", "kind", "group by `what`: kind, recipe or folder", groupings)
	fs.IntVar(&r.lines, "lines", 20, "print at most this `number` of groups; 0 is all")
}

// groupings returns the values of -by.
func groupings() []string { return []string{"kind", "recipe", "folder"} }

func (r *sizeOptions) runSize(ctx context.Context, c *cmdline.Call, words []string) int {
	return r.answerQuery(ctx, c, "size", false, words, r.printSizes)
}

// A groupJSON is a group of assets and its totals, in JSON.
type groupJSON struct {
	Name   string        `json:"name"`
	Assets int           `json:"assets"`
	In     int64         `json:"bytes_in"`
	Out    int64         `json:"bytes_out"`
	More   int64         `json:"bytes_more"` // growth of the outputs in the last run that had work
	Took   time.Duration `json:"cook_ns"`
}

func (r *sizeOptions) printSizes(patterns []string, w io.Writer) error {
	recipes := map[string]string{}
	of := map[string]func(path string) string{
		"kind":   func(p string) string { return cmp.Or(recipe.Ext(p), "without an extension") },
		"recipe": func(p string) string { return cmp.Or(recipes[p], "none") },
		"folder": path.Dir,
	}[r.by]
	if of == nil {
		return &cook.ConfigError{Err: fmt.Errorf("-by %s: want kind, recipe or folder", pathname.Show(r.by))}
	}
	groups, all := map[string]*groupJSON{}, groupJSON{Name: "all"}
	group := func(p string) []*groupJSON {
		name := of(p)
		if groups[name] == nil {
			groups[name] = &groupJSON{Name: name}
		}
		return []*groupJSON{groups[name], &all}
	}
	err := r.eachAsset(survey.EachWithoutInputs, patterns, func(a *survey.Asset) bool {
		recipes[a.Path] = a.Method.Recipe
		for _, g := range group(a.Path) {
			g.Assets, g.In, g.Out, g.Took = g.Assets+1, g.In+a.In, g.Out+a.Out(), g.Took+a.CookTime
		}
		return true
	})
	if err != nil {
		return err
	}
	changed, rest, err := r.changedSizes(patterns)
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
	t := texttable.New(w, texttable.RightThenName)
	t.Row("assets", "sources", "outputs", "last run", "cook time", r.by)
	for _, g := range rows {
		t.Row(g.Assets, human.Bytes(g.In), human.Bytes(g.Out), signedBytes(g.More), human.Duration(g.Took), pathname.Show(g.Name))
	}
	return t.Flush()
}

// signedBytes formats a difference in bytes, or returns "" for zero.
func signedBytes(n int64) string {
	switch {
	case n > 0:
		return "+" + human.Bytes(n)
	case n < 0:
		return "-" + human.Bytes(-n)
	}
	return ""
}

// changedSizes returns how much the outputs of each matching asset grew in the last run that had
// work. The second result is the growth of assets that the history does not list individually.
func (r *sizeOptions) changedSizes(patterns []string) (more map[string]int64, rest int64, err error) {
	out, err := survey.OutputFolder(r.project.Dir, r.project.Out)
	if err != nil {
		return nil, 0, err
	}
	runs, err := survey.Runs(out)
	if err != nil || len(runs) == 0 || runs[len(runs)-1].Detail == nil {
		return nil, 0, err
	}
	chosen, err := patternList(patterns)
	if err != nil {
		return nil, 0, err
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
