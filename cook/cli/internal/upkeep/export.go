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
	New: func() cmdline.Handler {
		r := new(exportOptions)
		return cmdline.Handler{Flags: r.exportFlags, Run: r.runExport}
	},
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
		c.Warn(fmt.Sprintf("%s is not exported any more, and was edited; it stays", pathname.Show(name)))
	}
	would := ""
	if r.dryRun {
		would = "would be "
	}
	fmt.Fprintf(c.Stdout, "cook: %s of %s, %d %swritten, %d %sremoved\n", human.Count(done.Files, "file"), human.Bytes(done.Bytes), done.Written, would, done.Removed, would)
	return frontend.OK
}
