package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

const whyText = `usage: cook why -dir assets [flags] PATH ...

Explains what the next cook would do with an asset and why, what the last one did,
and which rules, options and inputs decide that. Of a folder, or of all assets that a
pattern matches, it prints a line each. Changes nothing.

Example:
	cook why -dir assets textures/wood.png
	cook why -dir assets 'ui/*.png'
`

// A whyRun is a command line of cook why.
type whyRun struct {
	project cook.Project
	options cook.WhyOptions
	json    bool
	verbose bool
}

func (r *whyRun) flags() *flag.FlagSet {
	fs := newFlags("why", whyText)
	folderFlags(fs, &r.project)
	ruleFlags(fs, &r.project, targetsToCook)
	changeFlags(fs, &r.project, &r.options.IgnoreTimestamps, &r.options.OutputsByFolder)
	workerFlag(fs, &r.options.Workers)
	fs.BoolVar(&r.json, "json", false, "print each explanation as one line of JSON")
	fs.BoolVar(&r.verbose, "v", false, "print options that have their defaults, too")
	return fs
}

func (c command) runWhy(ctx context.Context, _ func(), args []string, stdout, stderr io.Writer) int {
	r := whyRun{project: cook.Project{Recipes: c.recipes}}
	paths, code, ok := parse(r.flags(), args, stdout, stderr)
	if !ok {
		return code
	}
	if r.project.Dir == "" || len(paths) == 0 {
		wrong(stderr, "want an asset folder and a path; try: cook why -dir assets textures/wood.png")
		return exitUsage
	}
	r.options.Observer = notes(&r.project, stderr)
	for _, path := range paths {
		if pattern := r.several(path); pattern != "" {
			if err := r.each(ctx, pattern, stdout, stderr); err != nil {
				return fail(ctx, stderr, err)
			}
			continue
		}
		all, err := cook.Why(ctx, r.project, path, r.options)
		if errors.Is(err, cook.ErrNoAsset) {
			err = &cook.ConfigError{Err: err}
		}
		if err != nil {
			return fail(ctx, stderr, err)
		}
		for i := range all {
			all[i].Err = addFlags(all[i].Err)
			if r.json {
				report.NewJSON(stdout).Explanation(&all[i])
			} else {
				report.WriteExplanation(stdout, &all[i], r.verbose)
			}
		}
	}
	return exitOK
}

// several returns the pattern of a word that is one, or that names a folder of assets, ""
// for the path of a file.
func (r *whyRun) several(word string) string {
	for _, name := range []string{filepath.Join(r.project.Dir, word), word} {
		if info, err := os.Stat(name); err == nil {
			if info.IsDir() {
				return asPattern(r.project.Dir, word, false)
			}
			return ""
		}
	}
	if strings.ContainsAny(word, "*?[{") {
		return word
	}
	return ""
}

// each prints what the next cook would do with the assets that match a pattern, a line
// each, and a sum.
func (r *whyRun) each(ctx context.Context, pattern string, stdout, stderr io.Writer) error {
	opt := cook.CookOptions{
		DryRun: true, EveryAsset: true, Patterns: []string{pattern},
		IgnoreTimestamps: r.options.IgnoreTimestamps, OutputsByFolder: r.options.OutputsByFolder, Limits: cook.Limits{Workers: r.options.Workers},
	}
	lines := report.NewJSON(stdout)
	lines.DryRun, lines.Dir = true, r.project.Dir
	if r.json {
		opt.Observer = flagging{cook.Observers{lines}}
	} else {
		opt.Observer = flagging{cook.Observers{&report.Reasons{Out: stdout, Text: report.Text{Out: io.Discard, Err: stderr, Dir: r.project.Dir, Style: styleOf(stderr, os.Getenv)}}}}
	}
	summary, err := cook.Cook(ctx, r.project, opt)
	if err != nil {
		return err
	}
	if r.json {
		lines.Flush()
	} else {
		fmt.Fprintf(stdout, "cook: %s\n", summary)
	}
	return nil
}

const trimText = `usage: cook trim [flags]

Removes the least recently used results from the store until it is below its size limit. With
-keep-last-run it removes all results except those that restore the outputs of one project as
its last run left them, for all targets: this is what CI should keep. The results of other
projects are removed as well, so this needs a store that is named (-cache, $COOKCACHE).

Example:
	cook trim -cache-size 4GiB
	cook trim -keep-last-run -dir assets -cache .store
`

// A trimRun is a command line of cook trim.
type trimRun struct {
	project     cook.Project
	size        int64
	keepLastRun bool
}

func (r *trimRun) flags() *flag.FlagSet {
	fs := newFlags("trim", trimText)
	folderFlags(fs, &r.project)
	sizeFlag(fs, &r.size)
	fs.BoolVar(&r.keepLastRun, "keep-last-run", false, "remove all that the last run of this project did not use, whatever its size")
	return fs
}

func (c command) runTrim(ctx context.Context, atWork func(), args []string, stdout, stderr io.Writer) int {
	run := trimRun{project: cook.Project{Recipes: c.recipes}}
	words, code, ok := parse(run.flags(), args, stdout, stderr)
	if !ok {
		return code
	}
	switch {
	case len(words) > 0:
		wrong(stderr, "trim takes no words, have %q", words)
		return exitUsage
	case run.keepLastRun && run.project.Dir == "":
		wrong(stderr, "-keep-last-run needs an asset folder; try: cook trim -keep-last-run -dir assets -cache .store")
		return exitUsage
	}
	atWork()
	trim := func() (cook.Trimmed, error) { return cook.Trim(ctx, run.project.Cache, run.size) }
	if run.keepLastRun {
		trim = func() (cook.Trimmed, error) {
			return cook.TrimToLastRun(ctx, run.project, notes(&run.project, stderr))
		}
	}
	stats, err := trim()
	if err != nil && ctx.Err() != nil {
		return interrupted(stderr, fmt.Sprintf("interrupted; %s removed, not all", human.Count(stats.Removed, "file")))
	}
	if err != nil {
		return fail(ctx, stderr, err)
	}
	fmt.Fprintf(stdout, "cook: store: %s before, %s after, %s removed\n",
		human.Bytes(stats.Before), human.Bytes(stats.After), human.Count(stats.Removed, "file"))
	return exitOK
}

const cleanText = `usage: cook clean -dir assets [flags]

Removes from the output folder what cook made. Other files, the store and the assets
stay. With -extra it is the other way round: the files that nothing makes are removed
and named, and all else stays. If cook did not make the folder, that takes -force.

Example:
	cook clean -dir assets -out build/data
	cook clean -dir assets -extra -n
`

// A cleanRun is a command line of cook clean.
type cleanRun struct {
	project              cook.Project
	extra, dryRun, force bool
}

func (r *cleanRun) flags() *flag.FlagSet {
	fs := newFlags("clean", cleanText)
	folderFlags(fs, &r.project)
	fs.BoolVar(&r.extra, "extra", false, "remove only the files that nothing makes")
	fs.BoolVar(&r.dryRun, "n", false, "with -extra: name them and remove nothing")
	fs.BoolVar(&r.force, "force", false, "with -extra: remove them also from a folder that cook did not make")
	return fs
}

func (c command) runClean(ctx context.Context, atWork func(), args []string, stdout, stderr io.Writer) int {
	run := cleanRun{project: cook.Project{Recipes: c.recipes}}
	words, code, ok := parse(run.flags(), args, stdout, stderr)
	if !ok {
		return code
	}
	switch {
	case run.project.Dir == "" || len(words) > 0:
		wrong(stderr, "want an asset folder and nothing else; try: cook clean -dir assets")
		return exitUsage
	case run.dryRun && !run.extra:
		wrong(stderr, "-n goes with -extra only; try: cook clean -dir assets -extra -n")
		return exitUsage
	case run.force && !run.extra:
		wrong(stderr, "-force goes with -extra only; try: cook clean -dir assets -extra -force")
		return exitUsage
	}
	what, did := "output", "removed"
	remove := func() (int, error) { return cook.Clean(ctx, run.project, notes(&run.project, stderr)) }
	if run.extra {
		if what = "extra file"; run.dryRun {
			did = "would be removed"
		}
		found := func(file string) { fmt.Fprintf(stdout, "%s: %s\n", did, pathname.Show(file)) }
		remove = func() (int, error) {
			return cook.Extra(ctx, run.project, cook.ExtraOptions{Remove: !run.dryRun, Force: run.force, Found: found, Observer: notes(&run.project, stderr)})
		}
	}
	atWork()
	n, err := remove()
	if err != nil && ctx.Err() != nil {
		return interrupted(stderr, fmt.Sprintf("interrupted; %s %s, not all", human.Count(n, what), did))
	}
	if err != nil {
		return fail(ctx, stderr, err)
	}
	fmt.Fprintf(stdout, "cook: %s %s\n", human.Count(n, what), did)
	return exitOK
}
