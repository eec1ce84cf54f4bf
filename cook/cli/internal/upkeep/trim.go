package upkeep

import (
	"context"
	"flag"
	"fmt"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/human"
)

const trimText = `usage: cook trim [flags]

Removes the least recently used results from the store until it is below its size limit. With
-keep-last-run it removes all results except the ones that restore the outputs of one project as
its last run left them, for all targets: this is what CI should keep. The results of other
projects are removed as well, so this needs a store that is named (-cache, $COOKCACHE).

Example:
	cook trim -cache-size 4GiB
	cook trim -keep-last-run -dir assets -cache .store
`

// Trim is "cook trim".
var Trim = cmdline.Verb{
	Name: "trim", Synopsis: "trim [flags]", Summary: "shrink the store to its size limit", Text: trimText,
	Takes: cmdline.Argument{Folders: true},
	New: func() cmdline.Handler {
		r := new(trimOptions)
		return cmdline.Handler{Flags: r.trimFlags, Run: r.runTrim}
	},
}

// trimOptions are the options of a command line of cook trim.
type trimOptions struct {
	project     cook.Project
	size        int64
	keepLastRun bool
}

func (r *trimOptions) trimFlags(fs *flag.FlagSet) {
	cmdline.FolderFlags(fs, &r.project)
	cmdline.SizeFlag(fs, &r.size)
	fs.BoolVar(&r.keepLastRun, "keep-last-run", false, "remove all that the last run of this project did not use, whatever its size")
}

func (r *trimOptions) runTrim(ctx context.Context, c *cmdline.Call, words []string) int {
	r.project.Recipes = c.Recipes
	switch {
	case len(words) > 0:
		return c.Wrong("trim takes no words, have %q", words)
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
		return c.Interrupted(fmt.Sprintf("interrupted; %s removed, not all", human.Count(stats.Removed, "file")))
	}
	if err != nil {
		return c.Fail(ctx, err)
	}
	fmt.Fprintf(c.Stdout, "cook: store: %s before, %s after, %s removed\n",
		human.Bytes(stats.Before), human.Bytes(stats.After), human.Count(stats.Removed, "file"))
	return frontend.OK
}
