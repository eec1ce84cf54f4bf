package cli

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/pathname"
)

// The verbs in this file answer from what the last run left: they look neither at the
// assets nor at their outputs, take no lock and change nothing.

const listText = `usage: cook list -dir assets [flags] [pattern ...]

Lists the assets as the last run left them: how each was cooked, what came of it, and the
sizes of source and outputs.

Example:
	cook list -dir assets -sort out -lines 20 '*.png'
`

const depsText = `usage: cook deps -dir assets [flags] PATH ...

Lists the files that assets read besides their sources, and those that they looked for and
that are not there, in the last run. A path may be that of an output.

Example:
	cook deps -dir assets models/kart.gltf
`

const usesText = `usage: cook uses -dir assets [flags] PATH ...

Lists the assets that read files, or looked for them, in the last run. Of an output, it
names the asset that it was made of.

Example:
	cook uses -dir assets textures/wood.png
`

const sizeText = `usage: cook size -dir assets [flags] [pattern ...]

Shows what is big: the sizes of sources and outputs by kind of file, by recipe or by
folder, the biggest outputs first, and by how much the last run that did something made
the outputs larger or smaller.

Example:
	cook size -dir assets -by folder
`

const graphText = `usage: cook graph -dir assets [flags] [pattern ...]

Prints sources, the files they read and their outputs as a graph in the language DOT, or
its edges as JSON.

Example:
	cook graph -dir assets models | dot -Tsvg > models.svg
`

// A queryRun is a command line of a verb that asks what the last run left.
type queryRun struct {
	project cook.Project
	json    bool
	sort    string
	columns names
	lines   int
	by      string
}

func (r *queryRun) start(verb, text string) *flag.FlagSet {
	fs := newFlags(verb, text)
	placeFlags(fs, &r.project)
	return fs
}

func (r *queryRun) listFlags() *flag.FlagSet {
	fs := r.start("list", listText)
	idsFlag(fs, &r.project)
	storeFlag(fs, &r.project.Cache)
	fs.BoolVar(&r.json, "json", false, "print each asset as one line of JSON")
	fs.StringVar(&r.sort, "sort", "path", "sort by this `column`; numbers and times begin with the largest")
	fs.Var(&r.columns, "columns", "`names` of columns, separated by commas: "+strings.Join(columnNames(), ", "))
	fs.IntVar(&r.lines, "lines", 0, "print at most this `number` of assets; 0 is all")
	return fs
}

func (r *queryRun) depsFlags() *flag.FlagSet {
	fs := r.start("deps", depsText)
	fs.BoolVar(&r.json, "json", false, "print each asset as one line of JSON")
	return fs
}

func (r *queryRun) usesFlags() *flag.FlagSet {
	fs := r.start("uses", usesText)
	fs.BoolVar(&r.json, "json", false, "print each file as one line of JSON")
	return fs
}

func (r *queryRun) sizeFlags() *flag.FlagSet {
	fs := r.start("size", sizeText)
	fs.BoolVar(&r.json, "json", false, "print each group as one line of JSON")
	fs.StringVar(&r.by, "by", "kind", "sum up by `what`: kind, recipe or folder")
	fs.IntVar(&r.lines, "lines", 20, "print at most this `number` of groups; 0 is all")
	return fs
}

func (r *queryRun) graphFlags() *flag.FlagSet {
	fs := r.start("graph", graphText)
	fs.BoolVar(&r.json, "json", false, "print each edge as one line of JSON, and each asset without any")
	return fs
}

// assets returns what the last run left of the assets that patterns choose.
func (r *queryRun) assets(patterns []string) ([]survey.Asset, error) {
	out, err := survey.OutputFolder(r.project.Dir, r.project.Out)
	if err != nil {
		return nil, err
	}
	var chosen glob.List
	for _, p := range patterns {
		if err := chosen.Add(filepath.ToSlash(p)); err != nil {
			return nil, &cook.ConfigError{Err: err}
		}
	}
	list, err := survey.List(out)
	if err != nil {
		return nil, err
	}
	if err := r.identify(list); err != nil {
		return nil, err
	}
	if chosen.Len() == 0 {
		return list, nil
	}
	list = slices.DeleteFunc(list, func(a survey.Asset) bool { return !chosen.Match(a.Path, path.Base(a.Path)) })
	if len(list) == 0 {
		return nil, &cook.ConfigError{Err: fmt.Errorf("no asset matches %s", pathname.Show(strings.Join(patterns, " ")))}
	}
	return list, nil
}

// query parses a command line and answers it. A verb that takes paths needs one.
func query(ctx context.Context, r *queryRun, fs *flag.FlagSet, args []string, stdout, stderr io.Writer, needs bool, answer func(words []string, w io.Writer) error) int {
	words, code, ok := parse(fs, args, stdout, stderr)
	if !ok {
		return code
	}
	verb := strings.TrimPrefix(fs.Name(), "cook ")
	if r.project.Dir == "" && r.project.Out == "" || needs && len(words) == 0 {
		what := "an asset folder"
		if needs {
			what += " and a path"
		}
		wrong(stderr, "want %s; see cook help %s", what, verb)
		return exitUsage
	}
	if err := answer(words, stdout); err != nil {
		return fail(ctx, stderr, err)
	}
	return exitOK
}

// A column is one figure of an asset.
type column struct {
	name string
	text func(*survey.Asset) string
	// number sorts, the largest first; nil sorts by the text.
	number func(*survey.Asset) int64
}

var columns = []column{
	{"path", func(a *survey.Asset) string { return pathname.Show(a.Path) }, nil},
	{"target", func(a *survey.Asset) string { return pathname.Show(a.Target) }, nil},
	{"id", func(a *survey.Asset) string { return a.ID }, nil},
	{"recipe", func(a *survey.Asset) string { return a.Method.Recipe }, nil},
	{"outcome", func(a *survey.Asset) string { return outcomeOf(a) }, nil},
	{"in", func(a *survey.Asset) string { return human.Bytes(a.In) }, func(a *survey.Asset) int64 { return a.In }},
	{"out", func(a *survey.Asset) string { return human.Bytes(a.Out()) }, (*survey.Asset).Out},
	{"time", func(a *survey.Asset) string { return human.Duration(a.CookTime) }, func(a *survey.Asset) int64 { return int64(a.CookTime) }},
	{"when", func(a *survey.Asset) string { return a.Last.At.Format(time.DateTime) }, func(a *survey.Asset) int64 { return a.Last.At.UnixNano() }},
	{"from", func(a *survey.Asset) string { return fromOf(a) }, nil},
	{"outputs", func(a *survey.Asset) string { return shownPaths(outputsOf(a)) }, nil},
	{"why", func(a *survey.Asset) string { return pathname.Escape(strings.Join(a.Last.Reasons, "; ")) }, nil},
}

func columnNames() (all []string) {
	for _, c := range columns {
		all = append(all, c.name)
	}
	return all
}

func findColumn(name string) (*column, error) {
	for i := range columns {
		if columns[i].name == name {
			return &columns[i], nil
		}
	}
	end := "; have " + strings.Join(columnNames(), ", ")
	if w := nearest.Word(name, columnNames()); w != "" {
		end = fmt.Sprintf("; did you mean %q?", w)
	}
	return nil, &cook.ConfigError{Err: fmt.Errorf("there is no column %q%s", name, end)}
}

// outcomeOf is how an asset fared when it was last worked on.
func outcomeOf(a *survey.Asset) string {
	if a.Failed {
		return "failed"
	}
	return string(a.Last.Outcome)
}

// fromOf is where the artifacts came from, "" if they were cooked on this machine.
func fromOf(a *survey.Asset) string {
	if a.Last.Origin.IsZero() {
		return ""
	}
	return remote.Describe(a.Last.Origin, a.CookTime)
}

func outputsOf(a *survey.Asset) (all []string) {
	for _, o := range a.Outputs {
		all = append(all, o.Path)
	}
	return all
}

func shownPaths(list []string) string {
	shown := make([]string, len(list))
	for i, p := range list {
		shown[i] = pathname.Show(p)
	}
	return strings.Join(shown, ", ")
}

func runList(ctx context.Context, _ func(), args []string, stdout, stderr io.Writer) int {
	var r queryRun
	return query(ctx, &r, r.listFlags(), args, stdout, stderr, false, r.list)
}

func (r *queryRun) list(patterns []string, w io.Writer) error {
	by, err := findColumn(r.sort)
	if err != nil {
		return err
	}
	if len(r.columns) == 0 {
		r.columns = names{"path", "recipe", "outcome", "in", "out"}
	}
	var shown []*column
	for _, name := range r.columns {
		c, err := findColumn(name)
		if err != nil {
			return err
		}
		shown = append(shown, c)
	}
	list, err := r.assets(patterns)
	if err == nil && (by.name == "from" || slices.Contains(r.columns, "from")) {
		err = r.trace(list)
	}
	if err != nil {
		return err
	}
	if r.sort != "path" { // which they are sorted by
		slices.SortStableFunc(list, func(a, b survey.Asset) int {
			if by.number != nil {
				return cmp.Compare(by.number(&b), by.number(&a))
			}
			return cmp.Compare(by.text(&a), by.text(&b))
		})
	}
	if r.lines > 0 {
		list = list[:min(r.lines, len(list))]
	}
	if r.json {
		return eachJSON(w, list, func(a *survey.Asset) any { return assetRecord(a) })
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i := range list {
		for k, c := range shown {
			if k > 0 {
				fmt.Fprint(t, "\t")
			}
			text := c.text(&list[i])
			if c.name == "path" && list[i].Target != "" {
				text += " [" + pathname.Show(list[i].Target) + "]"
			}
			fmt.Fprint(t, text)
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// trace fills in where assets came from.
func (r *queryRun) trace(list []survey.Asset) error {
	out, err := survey.OutputFolder(r.project.Dir, r.project.Out)
	if err != nil {
		return err
	}
	return survey.Trace(out, r.project.Cache, list)
}

// eachJSON prints a line of JSON for each item.
func eachJSON[T any](w io.Writer, list []T, record func(*T) any) error {
	lines := report.NewJSON(w)
	defer lines.Flush()
	for i := range list {
		if err := lines.Line(record(&list[i])); err != nil {
			return err
		}
	}
	return nil
}

// An assetJSON is an asset in the output of the verbs that list.
type assetJSON struct {
	Path       string        `json:"path"`
	PathBase64 string        `json:"path_base64,omitempty"` // if that is not UTF-8
	Target     string        `json:"target,omitempty"`
	ID         string        `json:"id,omitempty"` // if assets have IDs
	Recipe     string        `json:"recipe,omitempty"`
	Outcome    string        `json:"outcome"`
	In         int64         `json:"bytes_in"`
	Out        int64         `json:"bytes_out"`
	Took       time.Duration `json:"cook_ns"`
	At         time.Time     `json:"at"`
	Why        []string      `json:"why"`
	Outputs    []outputJSON  `json:"outputs"`
	Origin     store.Origin  `json:"origin,omitzero"` // if the column from is asked for
}

type outputJSON struct {
	Path       string `json:"path"`
	PathBase64 string `json:"path_base64,omitempty"`
	Bytes      int64  `json:"bytes"`
}

func assetRecord(a *survey.Asset) assetJSON {
	rec := assetJSON{
		Path: a.Path, PathBase64: report.UnlessUTF8(a.Path), Target: a.Target, ID: a.ID, Recipe: a.Method.Recipe, Outcome: outcomeOf(a), In: a.In, Out: a.Out(), Took: a.CookTime,
		At: a.Last.At, Why: a.Last.Reasons, Outputs: []outputJSON{}, Origin: a.Last.Origin,
	}
	for _, o := range a.Outputs {
		rec.Outputs = append(rec.Outputs, outputJSON{o.Path, report.UnlessUTF8(o.Path), o.Size})
	}
	return rec
}

func runDeps(ctx context.Context, _ func(), args []string, stdout, stderr io.Writer) int {
	var r queryRun
	return query(ctx, &r, r.depsFlags(), args, stdout, stderr, true, r.deps)
}

// A filesJSON is a file with others that it is about.
type filesJSON struct {
	Path       string   `json:"path"`
	PathBase64 string   `json:"path_base64,omitempty"`
	Target     string   `json:"target,omitempty"`
	Reads      []string `json:"reads,omitempty"`
	Missing    []string `json:"missing,omitempty"`
	Takes      []string `json:"takes,omitempty"`
	MadeOf     string   `json:"made_of,omitempty"`
	UsedBy     []string `json:"used_by,omitempty"`

	Again int           `json:"assets,omitempty"`  // that an edit cooks again
	Took  time.Duration `json:"cook_ns,omitempty"` // by all of them, last time
}

func (r *queryRun) deps(paths []string, w io.Writer) error {
	for _, given := range paths {
		found, err := r.find(given)
		if err != nil {
			return err
		}
		switch {
		case found.Name == "":
			return r.unknown(given, found.Known)
		case len(found.Assets) == 0:
			return &cook.ConfigError{Err: fmt.Errorf("%s: is no asset; cook uses names those that read it", pathname.Show(given))}
		}
		err = r.each(w, found.Assets, func(a *survey.Asset) (record any, lines []string) {
			rec := filesJSON{Path: a.Path, PathBase64: report.UnlessUTF8(a.Path), Target: a.Target, Missing: a.Missing, Takes: a.Takes}
			for _, d := range a.Dependencies {
				if slices.Contains(a.Missing, d) {
					lines = append(lines, pathname.Show(d)+" (is not there)")
				} else {
					rec.Reads = append(rec.Reads, d)
					lines = append(lines, pathname.Show(d))
				}
			}
			for _, o := range a.Takes {
				lines = append(lines, pathname.Show(o)+" (cooked)")
			}
			return rec, lines
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// each prints what there is to say of each asset, as JSON or below its name.
func (r *queryRun) each(w io.Writer, list []survey.Asset, say func(*survey.Asset) (record any, lines []string)) error {
	if r.json {
		return eachJSON(w, list, func(a *survey.Asset) any { record, _ := say(a); return record })
	}
	for i := range list {
		a := &list[i]
		_, lines := say(a)
		name := pathname.Show(a.Path)
		if a.Target != "" {
			name += " [" + pathname.Show(a.Target) + "]"
		}
		if len(lines) == 0 {
			fmt.Fprintf(w, "%s: nothing else\n", name)
			continue
		}
		fmt.Fprintf(w, "%s\n", name)
		for _, line := range lines {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	return nil
}

// find looks for what a person typed: a path in the asset or output folder, as it is or from
// the working directory.
func (r *queryRun) find(given string) (survey.Found, error) {
	out, err := survey.OutputFolder(r.project.Dir, r.project.Out)
	if err != nil {
		return survey.Found{}, err
	}
	names := []string{path.Clean(filepath.ToSlash(given))}
	for _, dir := range []string{r.project.Dir, out} {
		if rel, ok := below(dir, given); ok && dir != "" {
			names = append(names, rel)
		}
	}
	return survey.Find(out, names)
}

// unknown is the error for a path that the last run knew nothing of.
func (r *queryRun) unknown(given string, known []string) error {
	end := ""
	if w := nearest.Word(path.Clean(filepath.ToSlash(given)), known); w != "" {
		end = fmt.Sprintf("; did you mean %s?", pathname.Show(w))
	}
	return &cook.ConfigError{Err: fmt.Errorf("%s: the last run knew no such file%s", pathname.Show(given), end)}
}

func runUses(ctx context.Context, _ func(), args []string, stdout, stderr io.Writer) int {
	var r queryRun
	return query(ctx, &r, r.usesFlags(), args, stdout, stderr, true, r.uses)
}

func (r *queryRun) uses(paths []string, w io.Writer) error {
	for _, given := range paths {
		found, err := r.find(given)
		if err != nil {
			return err
		}
		if found.Name == "" {
			return r.unknown(given, found.Known)
		}
		rec := filesJSON{Path: found.Name, UsedBy: found.Users, Again: found.Again.Assets, Took: found.Again.Took}
		if found.Output != "" {
			rec.MadeOf, rec.Path = found.Name, given
		}
		rec.PathBase64 = report.UnlessUTF8(rec.Path)
		if r.json {
			err := eachJSON(w, []filesJSON{rec}, func(f *filesJSON) any { return f })
			if err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(w, "%s", pathname.Show(rec.Path))
		if rec.MadeOf != "" {
			fmt.Fprintf(w, ": made of %s", pathname.Show(rec.MadeOf))
		} else if rec.UsedBy == nil {
			fmt.Fprint(w, ": read by no other asset")
		}
		fmt.Fprintln(w)
		for _, p := range rec.UsedBy {
			fmt.Fprintf(w, "  %s\n", pathname.Show(p))
		}
		fmt.Fprintf(w, "an edit cooks %s again, which took %s last time\n", human.Count(rec.Again, "asset"), human.Duration(rec.Took))
	}
	return nil
}

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

func runGraph(ctx context.Context, _ func(), args []string, stdout, stderr io.Writer) int {
	var r queryRun
	return query(ctx, &r, r.graphFlags(), args, stdout, stderr, false, r.graph)
}

// graph prints nodes "s:PATH" for files of the asset folder and "o:PATH" for outputs.
func (r *queryRun) graph(patterns []string, w io.Writer) error {
	list, err := r.assets(patterns)
	if err != nil {
		return err
	}
	if r.json {
		return graphJSON(list, w)
	}
	dot := bufio.NewWriter(w) // remembers the first error
	w = dot
	fmt.Fprint(w, "digraph assets {\n\trankdir=LR\n\tnode [shape=box]\n")
	edge := func(from, to, style string) { fmt.Fprintf(w, "\t%s -> %s%s\n", dotID(from), dotID(to), style) }
	for i := range list {
		a := &list[i]
		fmt.Fprintf(w, "\t%s [label=%s]\n", dotID("s:"+a.Path), dotID(a.Path))
		for _, d := range a.Dependencies {
			style := ""
			if slices.Contains(a.Missing, d) {
				style = " [style=dashed]"
			}
			edge("s:"+d, "s:"+a.Path, style)
		}
		for _, o := range a.Takes {
			edge("o:"+o, "s:"+a.Path, "")
		}
		for _, o := range a.Outputs {
			fmt.Fprintf(w, "\t%s [label=%s shape=ellipse]\n", dotID("o:"+o.Path), dotID(o.Path))
			edge("s:"+a.Path, "o:"+o.Path, "")
		}
	}
	fmt.Fprint(w, "}\n")
	return dot.Flush()
}

// An edgeJSON is an edge of the graph: an asset reads a file, looked for one that is not
// there, takes an output of another, or an output is made of it. An asset without any has an edge to nowhere.
type edgeJSON struct {
	Asset   string `json:"asset"`
	Target  string `json:"target,omitempty"`
	Reads   string `json:"reads,omitempty"`
	Missing string `json:"missing,omitempty"`
	Takes   string `json:"takes,omitempty"`
	Makes   string `json:"makes,omitempty"`
}

func graphJSON(list []survey.Asset, w io.Writer) error {
	var edges []edgeJSON
	for i := range list {
		a := &list[i]
		for _, d := range a.Dependencies {
			if slices.Contains(a.Missing, d) {
				edges = append(edges, edgeJSON{Asset: a.Path, Target: a.Target, Missing: d})
			} else {
				edges = append(edges, edgeJSON{Asset: a.Path, Target: a.Target, Reads: d})
			}
		}
		for _, o := range a.Takes {
			edges = append(edges, edgeJSON{Asset: a.Path, Target: a.Target, Takes: o})
		}
		for _, o := range a.Outputs {
			edges = append(edges, edgeJSON{Asset: a.Path, Target: a.Target, Makes: o.Path})
		}
		if len(a.Dependencies)+len(a.Takes)+len(a.Outputs) == 0 {
			edges = append(edges, edgeJSON{Asset: a.Path, Target: a.Target})
		}
	}
	return eachJSON(w, edges, func(e *edgeJSON) any { return e })
}

// dotID quotes a name for DOT as Go does, so that different names stay different, with what
// begins an escape doubled: labels have escapes of their own.
func dotID(name string) string {
	text := strconv.Quote(name)
	return `"` + strings.ReplaceAll(strings.ReplaceAll(text[1:len(text)-1], `\`, `\\`), `\\"`, `\"`) + `"`
}
