// Package viewer shows assets, recordings and runs in a browser, for "cook view" and for runs with
// -http. It also reports changed artifacts to programs with package cook/reload.
package viewer

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/inspect"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/cook/reload"
	"github.com/assetcook/assetcook/internal/child"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/view"
	viewcommand "github.com/assetcook/assetcook/profile/view/command"
)

// Attached is the hidden word that starts this program as the viewer of a run with -http. The
// viewer reads the stream of the run from standard input and exits at its end.
const Attached = "view-attached"

const viewText = `usage: cook view [flags] [FILE ... | HOST:PORT | -]

Shows recordings of -trace (.events) and of -memreport (.json), and runs with -feed, as
pages in a browser. In a project, it shows the assets as well, and serves /events and
/reload.js to programs that reload changed artifacts.

Example:
	cook view
	cook view run.events
	cook view 127.0.0.1:7357
`

// View is the verb "cook view".
var View = cmdline.Verb{
	Name: "view", Synopsis: "view [FILE ... | HOST:PORT]", Summary: "show assets, recordings, or a run with -feed, as pages", Text: viewText,
	Takes: cmdline.Argument{Files: true},
	New:   func() cmdline.Handler { return new(viewOptions).handler() },
}

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

// RunAttached serves the pages of a run whose stream is on standard input. It ignores Ctrl-C, which
// the process of the run handles.
func RunAttached(ctx context.Context, c *cmdline.Call) int {
	signal.Ignore(os.Interrupt)
	r := viewOptions{viewer: viewcommand.Viewer{Attached: true}}
	return c.Do(ctx, &View, r.handler())
}

func (r *viewOptions) runView(ctx context.Context, c *cmdline.Call, files []string) int {
	v := &r.viewer
	v.Files, v.Stdin, v.Stdout, v.Stderr = files, os.Stdin, c.Stdout, c.Stderr
	if r.project.Dir != "" {
		tab, err := assetsTab(c, &r.project)
		if err != nil {
			return c.Fail(ctx, &cook.ConfigError{Err: err})
		}
		v.Tabs = append(v.Tabs, tab)
		out, err := survey.OutputFolder(r.project.Dir, r.project.Out)
		if err != nil {
			return c.Fail(ctx, &cook.ConfigError{Err: err})
		}
		changes := reload.Handler(out)
		v.Beside = map[string]http.Handler{"/events": changes, "/reload.js": changes}
		if v.Title == "" && len(files) == 0 {
			v.Title = r.project.Dir
		}
	}
	if len(v.Files) == 0 && len(v.Tabs) == 0 {
		return c.Wrong("view: there is nothing to show; name an asset directory, recordings, a HOST:PORT or -")
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
	place := cook.Project{Cache: p.Cache, Config: p.Config, Engine: p.Engine, Targets: p.Targets, Manifest: p.Manifest, IDs: p.IDs}
	return inspect.Tab(inspect.Options{Dir: p.Dir, Out: p.Out, Program: self, Flags: projectArgs(&place), Recipes: c.Recipes})
}

// A Process is a viewer of a run with -http. It exits when its standard input is closed, and
// therefore never outlives this process.
type Process struct {
	Stream *events.Feed
	viewer *child.Process
	sent   chan struct{} // closed when the viewer has read the whole stream
}

// projectArgs returns the flags that select a project's directories, rules and targets.
func projectArgs(p *cook.Project) (args []string) {
	for _, f := range [][2]string{
		{"-dir", p.Dir}, {"-out", p.Out}, {"-cache", p.Cache}, {"-config", p.Config}, {"-engine", p.Engine},
		{"-target", strings.Join(p.Targets, ",")}, {"-manifest", p.Manifest},
	} {
		if f[1] != "" {
			args = append(args, f[:]...)
		}
	}
	if p.IDs {
		args = append(args, "-ids")
	}
	return args
}

// Start starts a viewer of a run. It returns when the viewer serves pages at addr.
func Start(addr string, p *cook.Project, stderr io.Writer) (*Process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := append([]string{Attached, "-http", addr}, projectArgs(p)...)
	cmd := exec.Command(program, append(args, "-")...)
	cmd.Stderr = frontend.Inherited(stderr)
	viewer, err := child.Start(cmd)
	if err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	address, err := viewerAddress(viewer)
	if err != nil {
		viewer.Kill()
		return nil, fmt.Errorf("pages: %w", err)
	}
	fmt.Fprint(stderr, address)
	v := &Process{Stream: events.NewFeed(), viewer: viewer, sent: make(chan struct{})}
	go io.Copy(io.Discard, viewer)
	go func() {
		defer close(v.sent)
		v.Stream.WriteStream(context.Background(), viewer) // fails only if the viewer has exited
	}()
	return v, nil
}

// startTime limits the time from the start of a viewer to its first response.
const startTime = 20 * time.Second

// viewerAddress returns the first line that a viewer prints, which is its address.
func viewerAddress(viewer *child.Process) (string, error) {
	late := time.AfterFunc(startTime, viewer.Kill)
	line, err := bufio.NewReaderSize(viewer, 4<<10).ReadSlice('\n')
	switch onTime := late.Stop(); {
	case !onTime:
		return "", fmt.Errorf("the viewer did not serve its pages within %v", startTime)
	case err != nil:
		return "", errors.New("the viewer did not start") // the viewer printed the cause to standard error
	}
	return string(line), nil
}

// Stay keeps the pages available after the run, until ctx ends or the viewer exits.
func (v *Process) Stay(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-v.sent:
		select {
		case <-ctx.Done():
		case <-v.viewer.Ended():
		}
	}
	v.viewer.Close()
}
