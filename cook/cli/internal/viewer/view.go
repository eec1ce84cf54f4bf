// Package viewer shows assets, recordings and runs as pages in a browser: the verb "cook view", and
// the process that shows a run with -http.
package viewer

import (
	"context"
	"flag"
	"os"
	"os/signal"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/inspect"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/profile/view"
	viewcommand "github.com/assetcook/assetcook/profile/view/command"
)

// Attached is the hidden word that starts this program as the viewer of a run with -http. The
// viewer reads the stream of the run from standard input and ends with it.
const Attached = "view-attached"

const viewText = `usage: cook view [flags] [FILE ... | HOST:PORT | -]

Shows recordings of -trace (.events) and of -memreport (.json), and runs with -feed, as
pages in a browser. In a project, it shows the assets as well.

Example:
	cook view
	cook view run.events
	cook view 127.0.0.1:7357
`

// View is "cook view".
var View = cmdline.Verb{
	Name: "view", Synopsis: "view [FILE ... | HOST:PORT]", Summary: "show assets, recordings, or a run with -feed, as pages", Text: viewText,
	Takes: cmdline.Argument{Files: true},
	New:   func() cmdline.Handler { return new(viewOptions).handler() },
}

// viewOptions are the options of a command line of cook view.
type viewOptions struct {
	project cook.Project
	viewer  viewcommand.Viewer
}

func (r *viewOptions) handler() cmdline.Handler {
	return cmdline.Handler{Flags: r.viewFlags, Run: r.runView}
}

func (r *viewOptions) viewFlags(fs *flag.FlagSet) {
	cmdline.FolderFlags(fs, &r.project)
	cmdline.RuleFlags(fs, &r.project, cmdline.TargetsToCook)
	r.viewer.Flags(fs)
}

// RunAttached serves the pages of a run whose stream is on standard input. The run handles Ctrl-C.
func RunAttached(ctx context.Context, c *cmdline.Call) int {
	signal.Ignore(os.Interrupt)
	r := viewOptions{viewer: viewcommand.Viewer{Attached: true}}
	return c.Do(ctx, &View, r.handler())
}

// runView serves until the user or the run ends it.
func (r *viewOptions) runView(ctx context.Context, c *cmdline.Call, files []string) int {
	v := &r.viewer
	v.Files, v.Stdin, v.Stdout, v.Stderr = files, os.Stdin, c.Stdout, c.Stderr
	if r.project.Dir != "" {
		tab, err := assetsTab(c, &r.project)
		if err != nil {
			return c.Fail(ctx, &cook.ConfigError{Err: err})
		}
		v.Tabs = append(v.Tabs, tab)
		if v.Title == "" && len(files) == 0 {
			v.Title = r.project.Dir
		}
	}
	if len(v.Files) == 0 && len(v.Tabs) == 0 {
		return c.Wrong("view: nothing to show; name an asset directory, recordings, a HOST:PORT or -")
	}
	if err := v.Run(ctx); err != nil {
		c.Wrong("view: %v", err)
		return frontend.Failed
	}
	if ctx.Err() != nil {
		return frontend.Interrupted
	}
	return frontend.OK
}

// assetsTab returns the tab that shows the assets of a project.
func assetsTab(c *cmdline.Call, p *cook.Project) (view.Tab, error) {
	self, err := os.Executable()
	if err != nil {
		return view.Tab{}, err
	}
	place := cook.Project{Cache: p.Cache, Config: p.Config, Targets: p.Targets}
	return inspect.Tab(inspect.Options{Dir: p.Dir, Out: p.Out, Program: self, Flags: projectArgs(&place), Recipes: c.Recipes})
}
