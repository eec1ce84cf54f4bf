package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/likeness"
	"github.com/assetcook/assetcook/cook/internal/report/overview"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
)

const reportText = `usage: cook report -dir assets [flags]

Writes a page about the output folder: what the last cook did, why, and what bounded it;
where bytes and time go, by folder and recipe; the slowest and largest assets; what
textures lost; what grew; warnings by cause; and the last 600 runs with spikes and steps.
The page is one file of at most 2 MB that needs no network. Changes nothing else.

Example:
	cook report -dir assets -o report.html
	cook report -dir assets -markdown -textures 0
`

// A reportRun is a command line of cook report.
type reportRun struct {
	project   cook.Project
	file      string
	json, csv bool
	markdown  bool
	table     string
	most      int // textures to compare
}

func (r *reportRun) flags() *flag.FlagSet {
	fs := newFlags("report", reportText)
	placeFlags(fs, &r.project)
	fs.StringVar(&r.file, "o", "", "`file` to write (default: cook-report.html; stdout with -json, -csv and -markdown)")
	fs.BoolVar(&r.json, "json", false, "write all tables as JSON instead")
	fs.BoolVar(&r.csv, "csv", false, "write one table as CSV instead, see -table")
	fs.BoolVar(&r.markdown, "markdown", false, "write a summary in Markdown instead, as for the page of a build")
	listedFlag(fs, &r.table, "table", "assets", "the `table` that -csv writes", tableNames)
	fs.IntVar(&r.most, "textures", 100_000, "`number` of textures to compare with their sources, the largest first; 0 for none")
	return fs
}

// tableNames lists the tables, which all reports have.
func tableNames() []string { return overview.New(overview.Input{}).Keys() }

func (c command) runReport(ctx context.Context, _ func(), args []string, stdout, stderr io.Writer) int {
	var run reportRun
	words, code, ok := parse(run.flags(), args, stdout, stderr)
	file := run.file
	switch {
	case !ok:
		return code
	case len(words) > 0 || run.project.Dir == "" && run.project.Out == "":
		wrong(stderr, "want an asset folder and nothing else; try: cook report -dir assets")
		return exitUsage
	case run.json && run.csv, run.markdown && (run.json || run.csv):
		wrong(stderr, "-json, -csv and -markdown are different forms; choose one")
		return exitUsage
	case run.most < 0:
		wrong(stderr, "-textures %d: want 0 or more", run.most)
		return exitUsage
	}
	r, err := c.makeReport(ctx, run.project, run.most, stderr)
	if err != nil {
		return fail(ctx, stderr, err)
	}
	write := r.WriteHTML
	switch {
	case run.json:
		write = r.WriteJSON
	case run.markdown:
		write = r.WriteMarkdown
	case run.csv:
		t := r.Table(run.table)
		if t == nil {
			wrong(stderr, "there is no table %q; have %s", run.table, strings.Join(r.Keys(), ", "))
			return exitUsage
		}
		write = t.WriteCSV
	case file == "":
		file = "cook-report.html"
	}
	if file == "" {
		err = write(stdout)
	} else if err = atomicfile.Write(file, 0o666, write); err == nil {
		fmt.Fprintf(stdout, "cook: report written to %s\n", pathname.Show(file))
	}
	if err != nil {
		return fail(ctx, stderr, err)
	}
	return exitOK
}

// makeReport reads all that a report is about.
func (c command) makeReport(ctx context.Context, project cook.Project, most int, stderr io.Writer) (*overview.Report, error) {
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
	var assets *confine.Dir
	if project.Dir != "" {
		if assets, err = confine.Open(project.Dir); err != nil {
			return nil, &cook.ConfigError{Err: fmt.Errorf("asset folder: %w", err)}
		}
		defer assets.Close()
	}
	set, err := recipe.NewSet(c.recipes...)
	if err != nil {
		return nil, err
	}
	cooked, err := confine.Open(out)
	if err != nil {
		return nil, err
	}
	defer cooked.Close()
	if n := overview.Textures(in.Assets); min(n, most) >= 200 && assets != nil {
		fmt.Fprintf(stderr, "cook: comparing %d textures with their sources; -textures compares fewer\n", min(n, most))
	}
	in.Textures, in.Unlooked, err = overview.Measure(ctx, likeness.NewJudge(assets, set), cooked, in.Assets, most, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, err
	}
	return overview.New(in), nil
}

const historyText = `usage: cook history -dir assets [flags]

Prints the last runs that did something, with a sparkline of each figure over all runs in
the history (at most 600) and the runs from which on a figure was different for good.

Example:
	cook history -dir assets
	cook history -dir assets -compare 1,7
`

func historyFlags(p *cook.Project, lines *int, pair *string) *flag.FlagSet {
	fs := newFlags("history", historyText)
	placeFlags(fs, p)
	fs.IntVar(lines, "n", 20, "`number` of runs to print a line of")
	fs.StringVar(pair, "compare", "", "compare two runs, given by their `numbers`: 1,7")
	return fs
}

func runHistory(ctx context.Context, _ func(), args []string, stdout, stderr io.Writer) int {
	var project cook.Project
	var lines int
	var pair string
	words, code, ok := parse(historyFlags(&project, &lines, &pair), args, stdout, stderr)
	if !ok {
		return code
	}
	if len(words) > 0 || project.Dir == "" && project.Out == "" || lines < 0 {
		wrong(stderr, "want an asset folder and nothing else; try: cook history -dir assets")
		return exitUsage
	}
	out, err := survey.OutputFolder(project.Dir, project.Out)
	if err != nil {
		return fail(ctx, stderr, err)
	}
	if _, err := os.Stat(out); err != nil {
		return fail(ctx, stderr, fmt.Errorf("output folder %s: %w", out, survey.ErrNotCooked))
	}
	runs, err := survey.Runs(out)
	if err != nil {
		return fail(ctx, stderr, err)
	}
	if pair == "" {
		err = overview.WriteHistory(stdout, runs, lines)
	} else if a, b, e := twoRuns(pair); e != nil {
		err = e
	} else {
		err = overview.Compare(stdout, runs, a, b)
	}
	if err != nil {
		return fail(ctx, stderr, err)
	}
	return exitOK
}

// twoRuns parses two numbers with a comma between them.
func twoRuns(pair string) (a, b int, err error) {
	first, second, _ := strings.Cut(pair, ",")
	a, err = strconv.Atoi(strings.TrimSpace(first))
	b, err2 := strconv.Atoi(strings.TrimSpace(second))
	if err != nil || err2 != nil {
		return 0, 0, &cook.ConfigError{Err: fmt.Errorf("-compare %s: want the numbers of two runs, such as 1,7", pair)}
	}
	return a, b, nil
}
