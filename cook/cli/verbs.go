package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/internal/human"
)

func (c command) runWhy(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	project := cook.Project{Recipes: c.recipes}
	opt := cook.WhyOptions{Observer: notes(stderr)}
	fs := flag.NewFlagSet("cook why", flag.ContinueOnError)
	folderFlags(fs, &project)
	ruleFlags(fs, &project, targetsToCook)
	changeFlags(fs, &project, &opt.IgnoreTimestamps, &opt.OutputsByFolder)
	workerFlag(fs, &opt.Workers)
	paths, code, ok := parse(fs, args, stderr)
	if !ok {
		return code
	}
	if project.Dir == "" || len(paths) == 0 {
		fmt.Fprintln(stderr, "cook: want an asset folder and a path; try: cook why -dir assets textures/wood.png")
		return exitUsage
	}
	for _, path := range paths {
		all, err := cook.Why(ctx, project, path, opt)
		if errors.Is(err, cook.ErrNoAsset) {
			err = &cook.ConfigError{Err: err}
		}
		if err != nil {
			return fail(ctx, stderr, err)
		}
		for i := range all {
			all[i].Err = addFlags(all[i].Err)
			report.WriteExplanation(stdout, &all[i])
		}
	}
	return exitOK
}

func runTrim(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var cache string
	var size int64
	fs := flag.NewFlagSet("cook trim", flag.ContinueOnError)
	storeFlag(fs, &cache)
	sizeFlag(fs, &size)
	words, code, ok := parse(fs, args, stderr)
	if !ok {
		return code
	}
	if len(words) > 0 {
		fmt.Fprintf(stderr, "cook: trim takes no words, have %q\n", words)
		return exitUsage
	}
	stats, err := cook.Trim(ctx, cache, size)
	if err != nil {
		return fail(ctx, stderr, err)
	}
	fmt.Fprintf(stdout, "cook: store: %s before, %s after, %d files removed\n",
		human.Bytes(stats.Before), human.Bytes(stats.After), stats.Removed)
	return exitOK
}

func (c command) runClean(ctx context.Context, atWork func(), args []string, stdout, stderr io.Writer) int {
	project := cook.Project{Recipes: c.recipes}
	fs := flag.NewFlagSet("cook clean", flag.ContinueOnError)
	folderFlags(fs, &project)
	words, code, ok := parse(fs, args, stderr)
	if !ok {
		return code
	}
	if project.Dir == "" || len(words) > 0 {
		fmt.Fprintln(stderr, "cook: want an asset folder and nothing else; try: cook clean -dir assets")
		return exitUsage
	}
	atWork()
	removed, err := cook.Clean(ctx, project, notes(stderr))
	if err != nil && ctx.Err() != nil {
		fmt.Fprintf(stderr, "cook: interrupted; %d outputs removed, not all\n", removed)
		return exitInterrupted
	}
	if err != nil {
		return fail(ctx, stderr, err)
	}
	fmt.Fprintf(stdout, "cook: %d outputs removed\n", removed)
	return exitOK
}
