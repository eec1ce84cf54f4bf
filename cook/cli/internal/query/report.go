package query

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/likeness"
	"github.com/assetcook/assetcook/cook/internal/report/overview"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/recipeset"
)

const reportText = `usage: cook report -dir assets [flags]

Writes a page about the output directory: what the last cook did, why, and what limited it;
where bytes and time go, by directory and recipe; the slowest and largest assets; what
textures lost; what grew; warnings by cause; and the last 600 runs with spikes and steps.
The page is one file of at most 2 MB that needs no network. Changes nothing else.

Example:
	cook report -dir assets -o report.html
	cook report -dir assets -markdown -textures 0
`

// Report is the verb "cook report".
var Report = cmdline.Verb{
	Name: "report", Synopsis: "report -dir assets [flags]", Summary: "write a page about the last cook and all runs", Text: reportText,
	Takes: cmdline.Argument{Folders: true},
	New:   cmdline.HandlerOf((*reportOptions).reportFlags, (*reportOptions).runReport),
}

type reportOptions struct {
	project   cook.Project
	file      string
	json, csv bool
	markdown  bool
	table     string
	most      int
}

func (r *reportOptions) reportFlags(fs *flag.FlagSet) {
	cmdline.PlaceFlags(fs, &r.project)
	fs.StringVar(&r.file, "o", "", "`file` to write (default: cook-report.html; stdout with -json, -csv and -markdown)")
	fs.BoolVar(&r.json, "json", false, "write all tables as JSON instead")
	fs.BoolVar(&r.csv, "csv", false, "write one table as CSV instead, see -table")
	fs.BoolVar(&r.markdown, "markdown", false, "write a Markdown summary instead, for the result page of a CI job")
	cmdline.ListedFlag(fs, &r.table, "table", "assets", "the `table` that -csv writes", tableNames)
	fs.IntVar(&r.most, "textures", 100_000, "`number` of textures to compare with their sources, the largest first; 0 for none")
}

func tableNames() []string { return overview.New(overview.Input{}).Keys() }

func (r *reportOptions) runReport(ctx context.Context, c *cmdline.Call, words []string) int {
	file := r.file
	switch {
	case len(words) > 0 || r.project.Dir == "" && r.project.Out == "":
		return c.Wrong("want an asset directory and nothing else; try: cook report -dir assets")
	case r.json && r.csv, r.markdown && (r.json || r.csv):
		return c.Wrong("-json, -csv and -markdown are different forms; choose one")
	case r.most < 0:
		return c.Wrong("-textures %d: want 0 or more", r.most)
	}
	made, err := r.makeReport(ctx, c)
	if err != nil {
		return c.Fail(ctx, err)
	}
	write := made.WriteHTML
	switch {
	case r.json:
		write = made.WriteJSON
	case r.markdown:
		write = made.WriteMarkdown
	case r.csv:
		t := made.Table(r.table)
		if t == nil {
			return c.Wrong("there is no table %q; have %s", r.table, strings.Join(made.Keys(), ", "))
		}
		write = t.WriteCSV
	case file == "":
		file = "cook-report.html"
	}
	if file == "" {
		err = write(c.Stdout)
	} else if err = atomicfile.Write(file, 0o666, write); err == nil {
		fmt.Fprintf(c.Stdout, "cook: report written to %s\n", pathname.Show(file))
	}
	if err != nil {
		return c.Fail(ctx, err)
	}
	return frontend.OK
}

// makeReport makes a report from the state of the last run and the history, and compares textures
// with their sources.
func (r *reportOptions) makeReport(ctx context.Context, c *cmdline.Call) (*overview.Report, error) {
	project, most := r.project, r.most
	out, err := survey.OutputFolder(project.Dir, project.Out)
	if err != nil {
		return nil, err
	}
	in := overview.Input{Out: out, Now: time.Now()}
	if in.Assets, err = survey.List(out); err != nil {
		return nil, err
	}
	if in.Runs, err = survey.Runs(out); err != nil {
		return nil, err
	}
	textures := overview.Candidates(in.Assets)
	if n := min(len(textures), most); n >= 200 && project.Dir != "" {
		fmt.Fprintf(c.Stderr, "cook: comparing %d textures with their sources; -textures compares fewer\n", n)
	}
	in.Textures, err = measureTextures(ctx, c, project.Dir, out, textures, most)
	if err != nil {
		return nil, err
	}
	in.Unlooked = len(textures) - len(in.Textures)
	return overview.New(in), nil
}

// measureTextures compares textures of an output directory with their sources. The parameter most
// limits the number of textures. dir is the asset directory, or "" if it is unknown.
func measureTextures(ctx context.Context, c *cmdline.Call, dir, out string, textures []overview.Candidate, most int) ([]overview.Texture, error) {
	var assets *confine.Dir
	if dir != "" {
		var err error
		if assets, err = confine.Open(dir); err != nil {
			return nil, &cook.ConfigError{Err: fmt.Errorf("asset directory: %w", err)}
		}
		defer assets.Close()
	}
	set, err := recipeset.New(c.Recipes...)
	if err != nil {
		return nil, err
	}
	cooked, err := confine.Open(out)
	if err != nil {
		return nil, err
	}
	defer cooked.Close()
	return overview.MeasureAll(ctx, likeness.NewJudge(assets, set), cooked, textures, most, runtime.GOMAXPROCS(0))
}

const historyText = `usage: cook history -dir assets [flags]

Prints the last runs that did work, a sparkline of each figure over all runs in the history
(at most 600), and the runs in which a figure changed permanently.

Example:
	cook history -dir assets
	cook history -dir assets -compare 1,7
`

// History is the verb "cook history".
var History = cmdline.Verb{
	Name: "history", Synopsis: "history -dir assets [flags]", Summary: "print the last runs, or compare two", Text: historyText,
	Takes: cmdline.Argument{Folders: true},
	New:   cmdline.HandlerOf((*historyOptions).historyFlags, (*historyOptions).runHistory),
}

type historyOptions struct {
	project cook.Project
	lines   int
	pair    string
	json    bool
}

func (r *historyOptions) historyFlags(fs *flag.FlagSet) {
	cmdline.PlaceFlags(fs, &r.project)
	fs.IntVar(&r.lines, "n", 20, "`number` of runs to print, one on each line")
	fs.BoolVar(&r.json, "json", false, "print each run as one line of JSON")
	fs.StringVar(&r.pair, "compare", "", "compare two runs, given by their `numbers`: 1,7")
}

func (r *historyOptions) runHistory(ctx context.Context, c *cmdline.Call, words []string) int {
	switch {
	case len(words) > 0 || r.project.Dir == "" && r.project.Out == "" || r.lines < 0:
		return c.Wrong("want an asset directory and nothing else; try: cook history -dir assets")
	case r.json && r.pair != "":
		return c.Wrong("-json prints runs, and -compare two of them as text; choose one")
	}
	out, err := survey.OutputFolder(r.project.Dir, r.project.Out)
	if err != nil {
		return c.Fail(ctx, err)
	}
	if _, err := os.Stat(out); err != nil {
		return c.Fail(ctx, fmt.Errorf("output directory %s: %w", out, survey.ErrNotCooked))
	}
	runs, err := survey.Runs(out)
	if err != nil {
		return c.Fail(ctx, err)
	}
	if r.json {
		err = overview.WriteHistoryJSON(c.Stdout, runs, r.lines)
	} else if r.pair == "" {
		err = overview.WriteHistory(c.Stdout, runs, r.lines)
	} else if a, b, e := twoRuns(r.pair); e != nil {
		err = e
	} else {
		err = overview.Compare(c.Stdout, runs, a, b)
	}
	if err != nil {
		return c.Fail(ctx, err)
	}
	return frontend.OK
}

// twoRuns parses two run numbers separated by a comma.
func twoRuns(pair string) (a, b int, err error) {
	first, second, _ := strings.Cut(pair, ",")
	a, err = strconv.Atoi(strings.TrimSpace(first))
	b, err2 := strconv.Atoi(strings.TrimSpace(second))
	if err != nil || err2 != nil {
		return 0, 0, &cook.ConfigError{Err: fmt.Errorf("-compare %s: want the numbers of two runs, such as 1,7", pair)}
	}
	return a, b, nil
}
