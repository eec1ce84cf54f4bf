// Package cli provides the cook command for programs with recipes of their own:
//
//	func main() { cli.Main(append(recipes.All(), upper)...) }
//
// Such a program has all verbs and flags of the command that comes with this module;
// "cook help" prints them and the exit status, and docs/command.md has that text.
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

// A command is the cook command, with parts that tests can replace.
type command struct {
	cook    cmdline.CookFunc
	recipes []recipe.Recipe
}

func (c command) main() {
	ctx, interrupt := interruptible()
	os.Exit(c.runArguments(ctx, interrupt.listenForSignals, os.Args[1:], &frontend.Stream{File: os.Stdout}, &frontend.Stream{File: os.Stderr}))
}

// runArguments runs the command without the process around it. It calls atWork before it works
// on assets.
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
		query.List, query.IDs, query.Deps, query.Uses, query.Size, query.Graph,
		tools.Remote, query.Report, query.History, upkeep.Export, tools.Pak, tools.Smoke, tools.Events, viewer.View, tools.ID,
		setup.Schema, completionVerb, versionVerb, help,
	}
	return call
}

// asChild does the work of a process that another cook has started, and reports whether the
// command line asks for that. The words for this are not verbs: neither help nor completion
// lists them.
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
// -remote-exec.
func runAction(ctx context.Context, c *cmdline.Call) (status int) {
	if err := runaction.Run(ctx, ".", c.Recipes...); err != nil {
		fmt.Fprintf(c.Stderr, "cook: %v\n", err)
		return frontend.Failed
	}
	return frontend.OK
}

// deafFor is how long a run without work leaves interrupts to the system, which ends the
// process immediately. A person needs longer to press a key.
const deafFor = 10 * time.Millisecond

// An interrupt is Ctrl-C, a SIGTERM, or a closed terminal. The first interrupt ends the context, and
// asks the programs that recipes run to end. The second interrupt ends the process, at any instant:
// ARCHITECTURE.md says why that is safe. On Linux it also kills the programs.
//
// Listening takes two more threads and about a tenth of the time of a no-op run. It therefore
// begins only when there is work, or when the run takes longer than deafFor.
type interrupt struct {
	cancel context.CancelFunc
	once   sync.Once
}

// interruptible returns a context that an interrupt ends. It listens for interrupts after a
// short time, or earlier if the caller requests it.
func interruptible() (context.Context, *interrupt) {
	ctx, cancel := context.WithCancel(context.Background())
	i := &interrupt{cancel: cancel}
	time.AfterFunc(deafFor, i.listenForSignals)
	return ctx, i
}

// listenForSignals starts listening for interrupts.
func (i *interrupt) listenForSignals() {
	i.once.Do(func() {
		came := make(chan os.Signal, 2) // a second interrupt may come before the first is handled
		for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
			// The parent process may have set a signal to be ignored, as nohup does.
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
