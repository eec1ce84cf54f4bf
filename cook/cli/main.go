// Package cli provides the cook command for programs with recipes of their own:
//
//	func main() { cli.Main(append(recipes.All(), upper)...) }
//
// Such a program has all verbs and flags of the cook command in this module; docs/command.md
// describes them.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/cli/internal/mcp"
	"github.com/assetcook/assetcook/cook/cli/internal/query"
	"github.com/assetcook/assetcook/cook/cli/internal/run"
	"github.com/assetcook/assetcook/cook/cli/internal/setup"
	"github.com/assetcook/assetcook/cook/cli/internal/tools"
	"github.com/assetcook/assetcook/cook/cli/internal/upkeep"
	"github.com/assetcook/assetcook/cook/cli/internal/viewer"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/process"
	"github.com/assetcook/assetcook/cook/internal/runaction"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/frontend"
)

// Main runs the command line of this process with the given recipes and exits.
func Main(recipes ...recipe.Recipe) { command{cook.Cook, recipes}.main() }

// A command is the cook command, with functions that tests can replace.
type command struct {
	cook    cmdline.CookFunc
	recipes []recipe.Recipe
}

func (c command) main() {
	ctx, interrupt := interruptible()
	os.Exit(c.runArguments(ctx, interrupt.listenForSignals, os.Args[1:], &frontend.Stream{File: os.Stdout}, &frontend.Stream{File: os.Stderr}))
}

// runArguments runs the command with the given arguments and output streams. It calls atWork before
// it works on assets.
func (c command) runArguments(ctx context.Context, atWork func(), args []string, stdout, stderr io.Writer) (status int) {
	call := c.newCall(args)
	checked := &frontend.Checked{W: stdout}
	call.AtWork, call.Stdout, call.Stderr = atWork, checked, stderr
	call.RecordErrors(checked)
	status, ok := asChild(ctx, call)
	if !ok {
		status = call.Dispatch(ctx)
	}
	if checked.Err != nil && status == frontend.OK {
		fmt.Fprintf(call.Stderr, "cook: not all output could be printed: %v\n", checked.Err)
		return frontend.Failed
	}
	return status
}

// newCall returns a command line with all verbs, in the order of the help.
func (c command) newCall(args []string) *cmdline.Call {
	if len(args) > 0 && (args[0] == "-version" || args[0] == "--version") {
		args = append([]string{versionVerb.Name}, args[1:]...)
	}
	call := &cmdline.Call{Recipes: c.recipes, Cook: c.cook, Args: args}
	withoutVerb, help := run.Cook, helpVerb
	withoutVerb.Help = shortHelp
	withoutVerb.Takes.Words = call.Names
	help.Takes.Words = func() []string { return subjects(call) }
	call.Verbs = []cmdline.Verb{
		withoutVerb, setup.Init, setup.Fix, query.Why, run.Verify, upkeep.Trim, query.Cache, upkeep.Clean,
		query.List, query.IDs, query.Deps, query.Uses, query.Size, query.Graph, query.Diagnose,
		tools.Remote, query.Report, query.History, upkeep.Export, upkeep.Snapshot, run.Serve, tools.Pak, tools.Smoke, tools.Events, viewer.View, mcp.MCP, tools.ID,
		setup.Schema, completionVerb, versionVerb, help,
	}
	return call
}

// asChild handles the hidden words that start this program as a child process. It reports whether
// the command line has such a word. Help and completion do not list these words.
func asChild(ctx context.Context, c *cmdline.Call) (status int, ok bool) {
	if len(c.Args) == 0 {
		return 0, false
	}
	word, rest := c.Args[0], c.Args[1:]
	switch {
	case word == remote.RunAction && len(rest) == 0:
		return runAction(ctx, c), true
	case word == remote.Serve && len(rest) > 0:
		return process.Serve(ctx, rest, os.Stdin, c.Stdout, c.Stderr), true
	case word == viewer.Attached && len(rest) > 0:
		c.Args = rest
		return viewer.RunAttached(ctx, c), true
	}
	return 0, false
}

// runAction cooks the action in the working directory for another machine. Servers start it for
// clients with -remote-exec.
func runAction(ctx context.Context, c *cmdline.Call) (status int) {
	if err := runaction.Run(ctx, ".", c.Recipes...); err != nil {
		fmt.Fprintf(c.Stderr, "cook: %v\n", err)
		return frontend.Failed
	}
	return frontend.OK
}

// deafFor is how long a new run does not listen for interrupts. Until then, an interrupt kills the
// process. A person cannot press a key that soon.
const deafFor = 10 * time.Millisecond

// An interrupt is Ctrl-C, a SIGTERM, or a closed terminal. The first interrupt cancels the context,
// and asks programs started by recipes to exit. The second interrupt ends the process at once;
// ARCHITECTURE.md says why that is safe. On Linux it also kills the programs.
//
// Listening for signals takes two threads and about a tenth of the time of a no-op run. It
// therefore begins only when there is work, or when the run takes longer than deafFor.
type interrupt struct {
	cancel context.CancelFunc
	once   sync.Once
}

// interruptible returns a context that an interrupt cancels. It listens for interrupts after
// deafFor, or when the caller calls listenForSignals.
func interruptible() (context.Context, *interrupt) {
	ctx, cancel := context.WithCancel(context.Background())
	i := &interrupt{cancel: cancel}
	time.AfterFunc(deafFor, i.listenForSignals)
	return ctx, i
}

func (i *interrupt) listenForSignals() {
	i.once.Do(func() {
		came := make(chan os.Signal, 2) // a second interrupt may arrive before the first is handled
		for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
			// A signal that the parent process ignores, as nohup does, stays ignored.
			if !signal.Ignored(sig) {
				signal.Notify(came, sig)
			}
		}
		go func() {
			<-came
			i.cancel()
			<-came
			os.Exit(frontend.Interrupted)
		}()
	})
}
