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

Removes from the output directory what cook made. Other files, the store and the assets
stay. With -extra it is the other way round: the files that nothing makes are removed
and named, and all else stays. If cook did not make the directory, that takes -force.

Example:
	cook clean -dir assets -out build/data
	cook clean -dir assets -extra -n
`

// Clean is "cook clean".
var Clean = cmdline.Verb{
	Name: "clean", Synopsis: "clean -dir assets [flags]", Summary: "remove what cook made", Text: cleanText,
	Takes: cmdline.Argument{Folders: true},
	New: func() cmdline.Handler {
		r := new(cleanOptions)
		return cmdline.Handler{Flags: r.cleanFlags, Run: r.runClean}
	},
}

// cleanOptions are the options of a command line of cook clean.
type cleanOptions struct {
	project              cook.Project
	extra, dryRun, force bool
}

func (r *cleanOptions) cleanFlags(fs *flag.FlagSet) {
	cmdline.FolderFlags(fs, &r.project)
	fs.BoolVar(&r.extra, "extra", false, "remove only the files that nothing makes")
	fs.BoolVar(&r.dryRun, "n", false, "with -extra: name them and remove nothing")
	fs.BoolVar(&r.force, "force", false, "with -extra: remove them also from a directory that cook did not make")
}

func (r *cleanOptions) runClean(ctx context.Context, c *cmdline.Call, words []string) int {
	r.project.Recipes = c.Recipes
	switch {
	case r.project.Dir == "" || len(words) > 0:
		return c.Wrong("want an asset directory and nothing else; try: cook clean -dir assets")
	case r.dryRun && !r.extra:
		return c.Wrong("-n goes with -extra only; try: cook clean -dir assets -extra -n")
	case r.force && !r.extra:
		return c.Wrong("-force goes with -extra only; try: cook clean -dir assets -extra -force")
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
		return c.Interrupted(fmt.Sprintf("interrupted; %s %s, not all", human.Count(n, what), did))
	}
	if err != nil {
		return c.Fail(ctx, err)
	}
	fmt.Fprintf(c.Stdout, "cook: %s %s\n", human.Count(n, what), did)
	return frontend.OK
}
