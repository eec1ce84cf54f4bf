// Package upkeep holds the verbs of cook that change what earlier runs left: the store, the output
// directory, and copies of it.
package upkeep

import (
	"context"
	"flag"
	"fmt"
	"runtime"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/export"
	"github.com/assetcook/assetcook/cook/internal/survey"
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
	New:   cmdline.HandlerOf((*cleanOptions).cleanFlags, (*cleanOptions).runClean),
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
	New:   cmdline.HandlerOf((*trimOptions).trimFlags, (*trimOptions).runTrim),
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

const exportText = `usage: cook export [flags] DIR

Makes a directory the copy of what an engine loads: the artifacts, and manifest.json with its
parts. The state of cook, CACHEDIR.TAG and .gitignore stay in the output directory. Files that
differ are replaced, each as a whole, and shared with the output directory where the file system
can. Files that the last export wrote and that are gone are removed; other files stay. A
directory with files that is no export is refused. Cook the assets first.

Example:
	cook -dir assets
	cook export -dir assets public/assets
`

// Export is "cook export".
var Export = cmdline.Verb{
	Name: "export", Synopsis: "export [flags] DIR", Summary: "copy what an engine loads, and nothing else", Text: exportText,
	Takes: cmdline.Argument{Folders: true, Target: true},
	New:   cmdline.HandlerOf((*exportOptions).exportFlags, (*exportOptions).runExport),
}

// exportOptions are the options of a command line of cook export.
type exportOptions struct {
	project cook.Project
	workers int
	dryRun  bool
}

func (r *exportOptions) exportFlags(fs *flag.FlagSet) {
	cmdline.PlaceFlags(fs, &r.project)
	cmdline.WorkerFlag(fs, &r.workers)
	fs.BoolVar(&r.dryRun, "n", false, "dry run: count what would be written and removed, and change nothing")
}

func (r *exportOptions) runExport(ctx context.Context, c *cmdline.Call, words []string) int {
	if len(words) != 1 || r.project.Dir == "" && r.project.Out == "" {
		return c.Wrong("want a project and one directory to export to; try: cook export -dir assets public/assets")
	}
	if r.workers <= 0 {
		r.workers = runtime.GOMAXPROCS(0)
	}
	out, err := survey.OutputFolder(r.project.Dir, r.project.Out)
	if err != nil {
		return c.Fail(ctx, err)
	}
	c.AtWork()
	done, err := export.Run(ctx, out, words[0], r.workers, r.dryRun)
	if err != nil {
		return c.Fail(ctx, err)
	}
	for _, name := range done.Kept {
		c.Warn(fmt.Sprintf("%s was edited and is no longer exported; the file stays", pathname.Show(name)))
	}
	would := ""
	if r.dryRun {
		would = "would be "
	}
	fmt.Fprintf(c.Stdout, "cook: %s of %s, %d %swritten, %d %sremoved\n", human.Count(done.Files, "file"), human.Bytes(done.Bytes), done.Written, would, done.Removed, would)
	return frontend.OK
}
