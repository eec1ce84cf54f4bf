package query

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/report/overview"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/frontend"
)

const historyText = `usage: cook history -dir assets [flags]

Prints the last runs that did something, with a sparkline of each figure over all runs in
the history (at most 600) and the runs from which on a figure was different for good.

Example:
	cook history -dir assets
	cook history -dir assets -compare 1,7
`

// History is "cook history".
var History = cmdline.Verb{
	Name: "history", Synopsis: "history -dir assets [flags]", Summary: "print the last runs, or compare two", Text: historyText,
	Takes: cmdline.Argument{Folders: true},
	New: func() cmdline.Handler {
		r := new(historyOptions)
		return cmdline.Handler{Flags: r.historyFlags, Run: r.runHistory}
	},
}

// historyOptions are the options of a command line of cook history.
type historyOptions struct {
	project cook.Project
	lines   int
	pair    string // numbers of two runs to compare
}

func (r *historyOptions) historyFlags(fs *flag.FlagSet) {
	cmdline.PlaceFlags(fs, &r.project)
	fs.IntVar(&r.lines, "n", 20, "`number` of runs to print a line of")
	fs.StringVar(&r.pair, "compare", "", "compare two runs, given by their `numbers`: 1,7")
}

func (r *historyOptions) runHistory(ctx context.Context, c *cmdline.Call, words []string) int {
	if len(words) > 0 || r.project.Dir == "" && r.project.Out == "" || r.lines < 0 {
		return c.Wrong("want an asset directory and nothing else; try: cook history -dir assets")
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
	if r.pair == "" {
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
