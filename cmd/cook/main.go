// Command cook turns a folder of source assets into a folder of shippable ones
// and does only the work that is needed.
//
//	cook -dir assets [flags] [pattern ...]   bring everything, or what matches, up to date
//	cook why [flags] PATH                    say what happens to one asset, and why
//	cook verify -dir assets [flags]          prove that the outputs are what they should be
//	cook trim [flags]                        shrink the store to its limit
//	cook clean [flags]                       remove what cook made
//	cook help [RECIPE]
//
// Exit status: 0 all is well, 1 an asset failed, 2 wrong usage or
// configuration, 3 verify found a difference, 4 another cook has the lock, 130
// interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitDifferent   = 3
	exitLocked      = 4
	exitInterrupted = 130
)

func main() { command{cook.Cook}.main() }

// A command is the command with what it cooks with, which tests replace.
type command struct {
	cook func(context.Context, cook.Options) (report.Summary, error)
}

func (c command) main() {
	ctx, interrupt := interruptible()
	os.Exit(c.run(ctx, interrupt.listen, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the command without the process around it. It calls atWork before it works
// on assets.
func (c command) run(ctx context.Context, atWork func(), args []string, stdout, stderr io.Writer) int {
	out := &watched{w: stdout}
	code := c.verb(ctx, atWork, args, out, stderr)
	if out.err != nil && code == exitOK {
		fmt.Fprintf(stderr, "cook: not all could be printed: %v\n", out.err)
		return exitFailed
	}
	return code
}

// A watched writer remembers that writing failed.
type watched struct {
	w   io.Writer
	err error
}

func (w *watched) Write(b []byte) (int, error) {
	n, err := w.w.Write(b)
	if err != nil && w.err == nil {
		w.err = err
	}
	return n, err
}

func (c command) verb(ctx context.Context, atWork func(), args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		switch args[0] {
		case "why":
			return runWhy(ctx, args[1:], stdout, stderr)
		case "verify":
			return runVerify(ctx, atWork, args[1:], stdout, stderr)
		case "trim":
			return runTrim(ctx, args[1:], stdout, stderr)
		case "clean":
			return runClean(ctx, atWork, args[1:], stdout, stderr)
		case "help":
			return runHelp(args[1:], stdout, stderr)
		}
	}
	return c.runCook(ctx, atWork, args, stdout, stderr)
}

// fail prints an error and returns the exit code it stands for.
func fail(ctx context.Context, stderr io.Writer, err error) int {
	var config *cook.ConfigError
	var locked *cook.LockedError
	if ctx.Err() != nil {
		fmt.Fprintln(stderr, "cook: interrupted; what was finished is kept")
		return exitInterrupted
	}
	for line := range strings.Lines(pathname.Escape(err.Error()) + "\n") {
		fmt.Fprint(stderr, "cook: "+line)
	}
	switch {
	case errors.As(err, &config):
		return exitUsage
	case errors.As(err, &locked):
		return exitLocked
	}
	return exitFailed
}
