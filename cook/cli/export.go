package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"runtime"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/export"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/cook/internal/statedir"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

const exportText = `usage: cook export [flags] FOLDER

Makes a folder the copy of what an engine loads: the artifacts, and manifest.json with its
parts. The state of cook, CACHEDIR.TAG and .gitignore stay in the output folder. Files that
differ are replaced, each as a whole, and shared with the output folder where the file system
can. Files that the last export wrote and that are gone are removed; other files stay. A
folder with files that is no export is refused. Cook the assets first.

Example:
	cook -dir assets
	cook export -dir assets public/assets
`

// An exportRun is a command line of cook export.
type exportRun struct {
	project cook.Project
	workers int
	dryRun  bool
}

func (r *exportRun) flags() *flag.FlagSet {
	fs := newFlags("export", exportText)
	placeFlags(fs, &r.project)
	workerFlag(fs, &r.workers)
	fs.BoolVar(&r.dryRun, "n", false, "dry run: count what would be written and removed, and change nothing")
	return fs
}

func runExport(ctx context.Context, atWork func(), args []string, stdout, stderr io.Writer) int {
	var run exportRun
	words, code, ok := parse(run.flags(), args, stdout, stderr)
	switch {
	case !ok:
		return code
	case len(words) != 1 || run.project.Dir == "" && run.project.Out == "":
		wrong(stderr, "want a project and one folder to export to; try: cook export -dir assets public/assets")
		return exitUsage
	}
	if run.workers <= 0 {
		run.workers = runtime.GOMAXPROCS(0)
	}
	out, err := survey.OutputFolder(run.project.Dir, run.project.Out)
	if err != nil {
		return fail(ctx, stderr, err)
	}
	atWork()
	r, err := export.Run(ctx, out, words[0], run.workers, run.dryRun)
	if err != nil {
		return fail(ctx, stderr, err)
	}
	for _, name := range r.Kept {
		report.Warn(stderr, fmt.Sprintf("%s is not exported any more, and was edited; it stays", pathname.Show(name)))
	}
	would := ""
	if run.dryRun {
		would = "would be "
	}
	fmt.Fprintf(stdout, "cook: %s of %s, %d %swritten, %d %sremoved\n", human.Count(r.Files, "file"), human.Bytes(r.Bytes), r.Written, would, r.Removed, would)
	return exitOK
}

// warnOfServed warns if the output folder is likely to be served together with the state in it.
func warnOfServed(p *cook.Project, stderr io.Writer) {
	out, err := survey.OutputFolder(p.Dir, p.Out)
	if err != nil {
		return
	}
	dir, err := filepath.Abs(p.Dir)
	if err != nil {
		return
	}
	if _, likely := statedir.Served(out, dir); likely && statedir.Home(out) == out {
		report.Warn(stderr, fmt.Sprintf("%s is likely to be served as it is, and its .cook has names of folders of this machine and the history of runs; name another folder for it: state = \"FOLDER\" in [project], or -state FOLDER", pathname.Show(pathname.FromHere(out))))
	}
}
