// Package upkeep holds the verbs of cook that change or pass on results of earlier runs: "cook
// clean", "cook trim", "cook export" and "cook snapshot".
package upkeep

import (
	"context"
	"flag"
	"fmt"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

const cleanText = `usage: cook clean -dir assets [flags]

Removes the outputs of cook from the output directory, and keeps other files, the store and
the assets. With -extra, removes only the files that no asset makes, and prints their names.
In a directory that cook did not make, -extra needs -force.

Example:
	cook clean -dir assets -out build/data
	cook clean -dir assets -extra -n
`

// Clean is the verb "cook clean".
var Clean = cmdline.Verb{
	Name: "clean", Synopsis: "clean -dir assets [flags]", Summary: "remove the outputs", Text: cleanText,
	Takes: cmdline.Argument{Folders: true},
	New:   cmdline.HandlerOf((*cleanOptions).cleanFlags, (*cleanOptions).runClean),
}

type cleanOptions struct {
	project              cook.Project
	extra, dryRun, force bool
}

func (r *cleanOptions) cleanFlags(fs *flag.FlagSet) {
	cmdline.FolderFlags(fs, &r.project)
	fs.BoolVar(&r.extra, "extra", false, "remove only the files that no asset makes")
	fs.BoolVar(&r.dryRun, "n", false, "dry run, with -extra: print the files, and remove nothing")
	fs.BoolVar(&r.force, "force", false, "with -extra: remove files also from a directory that cook did not make")
}

func (r *cleanOptions) runClean(ctx context.Context, c *cmdline.Call, words []string) int {
	r.project.Recipes = c.Recipes
	switch {
	case r.project.Dir == "" || len(words) > 0:
		return c.Wrong("want an asset directory and nothing else; try: cook clean -dir assets")
	case r.dryRun && !r.extra:
		return c.Wrong("-n needs -extra; try: cook clean -dir assets -extra -n")
	case r.force && !r.extra:
		return c.Wrong("-force needs -extra; try: cook clean -dir assets -extra -force")
	}
	what, did := "output", "removed"
	remove := func() (int, error) { return cook.Clean(ctx, r.project, c.Notes(r.project.Dir)) }
	if r.extra {
		if what = "extra file"; r.dryRun {
			did = "would be removed"
		}
		found := func(file string) { fmt.Fprintf(c.Stdout, "%s: %s\n", did, pathname.Show(file)) }
		remove = func() (int, error) {
			return cook.Extra(ctx, r.project, cook.ExtraOptions{Remove: !r.dryRun, Force: r.force, Found: found, Observer: c.Notes(r.project.Dir)})
		}
	}
	c.AtWork()
	n, err := remove()
	if err != nil && ctx.Err() != nil {
		return c.Interrupted(fmt.Sprintf("interrupted; %s %s so far", human.Count(n, what), did))
	}
	if err != nil {
		return c.Fail(ctx, err)
	}
	fmt.Fprintf(c.Stdout, "cook: %s %s\n", human.Count(n, what), did)
	return frontend.OK
}

const trimText = `usage: cook trim [flags]

Removes the least recently used results from the store until it is below its size limit. With
-keep-last-run it removes all results except the ones that restore the outputs of one project as
its last run left them, for all targets: CI should keep these results. The results of other
projects are removed as well, so -keep-last-run needs a named store (-cache, $COOKCACHE).

Example:
	cook trim -cache-size 4GiB
	cook trim -keep-last-run -dir assets -cache .store
`

// Trim is the verb "cook trim".
var Trim = cmdline.Verb{
	Name: "trim", Synopsis: "trim [flags]", Summary: "shrink the store to its size limit", Text: trimText,
	Takes: cmdline.Argument{Folders: true},
	New:   cmdline.HandlerOf((*trimOptions).trimFlags, (*trimOptions).runTrim),
}

type trimOptions struct {
	project     cook.Project
	size        int64
	keepLastRun bool
}

func (r *trimOptions) trimFlags(fs *flag.FlagSet) {
	cmdline.FolderFlags(fs, &r.project)
	cmdline.SizeFlag(fs, &r.size)
	fs.BoolVar(&r.keepLastRun, "keep-last-run", false, "remove all results that the last run of this project did not use, regardless of the size limit")
}

func (r *trimOptions) runTrim(ctx context.Context, c *cmdline.Call, words []string) int {
	r.project.Recipes = c.Recipes
	switch {
	case len(words) > 0:
		return c.Wrong("trim takes no arguments, have %q", words)
	case r.keepLastRun && r.project.Dir == "":
		return c.Wrong("-keep-last-run needs an asset directory; try: cook trim -keep-last-run -dir assets -cache .store")
	}
	c.AtWork()
	trim := func() (cook.Trimmed, error) { return cook.Trim(ctx, r.project.Cache, r.size) }
	if r.keepLastRun {
		trim = func() (cook.Trimmed, error) {
			return cook.TrimToLastRun(ctx, r.project, c.Notes(r.project.Dir))
		}
	}
	stats, err := trim()
	if err != nil && ctx.Err() != nil {
		return c.Interrupted(fmt.Sprintf("interrupted; %s removed so far", human.Count(stats.Removed, "file")))
	}
	if err != nil {
		return c.Fail(ctx, err)
	}
	fmt.Fprintf(c.Stdout, "cook: store: %s before, %s after, %s removed\n",
		human.Bytes(stats.Before), human.Bytes(stats.After), human.Count(stats.Removed, "file"))
	return frontend.OK
}
