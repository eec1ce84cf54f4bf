package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/report"
)

func runWhy(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var opt cook.Options
	fs := flag.NewFlagSet("cook why", flag.ContinueOnError)
	folders(fs, &opt)
	choices(fs, &opt)
	paths, code, ok := parse(fs, args, stderr)
	if !ok {
		return code
	}
	if opt.Dir == "" || len(paths) == 0 {
		fmt.Fprintln(stderr, "cook: want an asset folder and a path; try: cook why -dir assets textures/wood.png")
		return exitUsage
	}
	opt.Observer = &report.Text{Out: io.Discard, Err: stderr}
	for _, p := range paths {
		all, err := cook.Why(ctx, opt, p)
		if errors.Is(err, cook.ErrNoAsset) {
			fmt.Fprintf(stderr, "cook: %v\n", err)
			return exitUsage
		}
		if err != nil {
			return fail(ctx, stderr, err)
		}
		for i := range all {
			all[i].WriteTo(stdout)
		}
	}
	return exitOK
}

func runTrim(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var opt cook.Options
	fs := flag.NewFlagSet("cook trim", flag.ContinueOnError)
	cacheFlags(fs, &opt)
	words, code, ok := parse(fs, args, stderr)
	if !ok {
		return code
	}
	if len(words) > 0 {
		fmt.Fprintf(stderr, "cook: trim takes no words, have %q\n", words)
		return exitUsage
	}
	stats, err := cook.Trim(ctx, opt)
	if err != nil {
		return fail(ctx, stderr, err)
	}
	fmt.Fprintf(stdout, "cook: store: %s before, %s after, %d files removed\n",
		report.Bytes(stats.Before), report.Bytes(stats.After), stats.Removed)
	return exitOK
}

func runClean(ctx context.Context, atWork func(), args []string, stdout, stderr io.Writer) int {
	var opt cook.Options
	fs := flag.NewFlagSet("cook clean", flag.ContinueOnError)
	folders(fs, &opt)
	words, code, ok := parse(fs, args, stderr)
	if !ok {
		return code
	}
	if opt.Dir == "" || len(words) > 0 {
		fmt.Fprintln(stderr, "cook: want an asset folder and nothing else; try: cook clean -dir assets")
		return exitUsage
	}
	opt.Observer = &report.Text{Out: io.Discard, Err: stderr}
	atWork()
	removed, err := cook.Clean(ctx, opt)
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

const usageText = `cook turns a folder of source assets into a folder of shippable ones,
and does only the work that is needed.

	cook -dir assets [flags] [pattern ...]   bring everything, or what matches, up to date
	cook why -dir assets [flags] PATH        say what happens to one asset, and why
	cook verify -dir assets [flags]          prove that the outputs are what they should be
	cook trim [flags]                        shrink the store to its limit
	cook clean -dir assets [flags]           remove what cook made
	cook help [RECIPE]                       this text, or the options of a recipe

Flags:
`

const exitText = `
Exit status: 0 all is well, 1 an asset failed, 2 wrong usage or configuration,
3 verify found a difference, 4 another cook works on the same output folder,
130 interrupted.
`

func usage(w io.Writer) {
	fmt.Fprint(w, usageText)
	var opt cook.Options
	var s show
	var keepGoing bool
	fs := cookFlags(&opt, &s, &keepGoing)
	fs.SetOutput(w)
	fs.PrintDefaults()
	fmt.Fprintf(w, "\nRecipes: %s\n%s", strings.Join(cook.Recipes().Names(), ", "), exitText)
}

func runHelp(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		usage(stdout)
		return exitOK
	}
	r, ok := cook.Recipes().Lookup(args[0])
	if !ok {
		fmt.Fprintf(stderr, "cook: no recipe %q; have %s\n", args[0], strings.Join(cook.Recipes().Names(), ", "))
		return exitUsage
	}
	c := r.New()
	fmt.Fprintf(stdout, "recipe %s, version %d\n", r.Name, r.Version)
	for _, out := range c.Outputs() {
		fmt.Fprintf(stdout, "  output: %s\n", out)
	}
	defaults := map[string]string{}
	for _, f := range recipe.Fields(c) {
		defaults[f.Key] = f.Value
	}
	for _, o := range recipe.Options(c) {
		fmt.Fprintf(stdout, "\n  %s: %s", o.Key, o.Want)
		if d, ok := defaults[o.Key]; ok {
			fmt.Fprintf(stdout, "; default %s", d)
		}
		fmt.Fprintf(stdout, "\n      %s\n", o.Doc)
	}
	return exitOK
}
