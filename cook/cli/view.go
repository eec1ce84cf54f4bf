package cli

import (
	"context"
	"flag"
	"io"
	"os"
	"os/signal"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/inspect"
	"github.com/assetcook/assetcook/profile/view"
	viewcommand "github.com/assetcook/assetcook/profile/view/command"
)

// attachedView is the hidden word with which -http starts this program as the viewer of a run.
// The viewer reads the run's stream from standard input and ends with it.
const attachedView = "view-attached"

const viewText = `usage: cook view [flags] [FILE ... | HOST:PORT | -]

Shows recordings of -trace (.events) and of -memreport (.json), and runs with -feed, as
pages in a browser. In a project, it shows the assets as well.

Example:
	cook view
	cook view run.events
	cook view 127.0.0.1:7357
`

// A viewRun is a command line of cook view.
type viewRun struct {
	project cook.Project
	viewer  viewcommand.Viewer
}

func (r *viewRun) flags() *flag.FlagSet {
	fs := newFlags("view", viewText)
	folderFlags(fs, &r.project)
	ruleFlags(fs, &r.project, targetsToCook)
	r.viewer.Flags(fs)
	return fs
}

func (c command) runView(ctx context.Context, _ func(), args []string, stdout, stderr io.Writer) int {
	return c.view(ctx, &viewRun{}, args, stdout, stderr)
}

// runAttachedView serves the pages of a run whose stream is on standard input. Ctrl-C is for
// the run.
func (c command) runAttachedView(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	signal.Ignore(os.Interrupt)
	return c.view(ctx, &viewRun{viewer: viewcommand.Viewer{Attached: true}}, args, stdout, stderr)
}

// view parses a command line of the viewer and serves until the user or the run ends that.
func (c command) view(ctx context.Context, r *viewRun, args []string, stdout, stderr io.Writer) int {
	files, code, ok := parse(r.flags(), args, stdout, stderr)
	if !ok {
		return code
	}
	v := &r.viewer
	v.Files, v.Stdin, v.Stdout, v.Stderr = files, os.Stdin, stdout, stderr
	if r.project.Dir != "" {
		tab, err := c.assetsTab(&r.project)
		if err != nil {
			return fail(ctx, stderr, &cook.ConfigError{Err: err})
		}
		v.Tabs = append(v.Tabs, tab)
		if v.Title == "" && len(files) == 0 {
			v.Title = r.project.Dir
		}
	}
	if len(v.Files) == 0 && len(v.Tabs) == 0 {
		wrong(stderr, "view: nothing to show; name an asset folder, recordings, a HOST:PORT or -")
		return exitUsage
	}
	if err := v.Run(ctx); err != nil {
		wrong(stderr, "view: %v", err)
		return exitFailed
	}
	if ctx.Err() != nil {
		return exitInterrupted
	}
	return exitOK
}

// assetsTab returns the tab that shows the assets of a project.
func (c command) assetsTab(p *cook.Project) (view.Tab, error) {
	self, err := os.Executable()
	if err != nil {
		return view.Tab{}, err
	}
	place := cook.Project{Cache: p.Cache, Config: p.Config, Targets: p.Targets}
	return inspect.Tab(inspect.Options{Dir: p.Dir, Out: p.Out, Program: self, Flags: projectArgs(&place), Recipes: c.recipes})
}
