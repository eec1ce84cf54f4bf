// Package cli is the cook command, for programs with recipes of their own:
//
//	func main() { cli.Main(append(recipes.All(), upper)...) }
//
// Such a program has all verbs and flags of the command that comes with this module;
// "cook help" prints them and the exit status, and docs/command.md has that text.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/cook/recipe"
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

// Main runs the command line of this process with the given recipes and exits.
func Main(recipes ...recipe.Recipe) { command{cook.Cook, recipes}.main() }

type cookFunc func(context.Context, cook.Project, cook.CookOptions) (cook.Summary, error)

// A command is the command with what tests replace.
type command struct {
	cook    cookFunc
	recipes []recipe.Recipe
}

func (c command) main() {
	ctx, interrupt := interruptible()
	os.Exit(c.run(ctx, interrupt.listen, os.Args[1:], &stream{file: os.Stdout}, &stream{file: os.Stderr}))
}

// run is the command without the process around it. It calls atWork before it works
// on assets.
func (c command) run(ctx context.Context, atWork func(), args []string, stdout, stderr io.Writer) int {
	out := &checkedWriter{w: stdout}
	if c.wantsJSON(args, os.Getenv) {
		stderr = &eventStream{stderr, out}
	}
	code := c.verb(ctx, atWork, args, out, stderr)
	if out.err != nil && code == exitOK {
		fmt.Fprintf(stderr, "cook: not all could be printed: %v\n", out.err)
		return exitFailed
	}
	return code
}

// A checkedWriter remembers the first error of a writer.
type checkedWriter struct {
	w    io.Writer
	used bool // something was written
	err  error
}

func (w *checkedWriter) Write(b []byte) (int, error) {
	w.used = true
	n, err := w.w.Write(b)
	if err != nil && w.err == nil {
		w.err = err
	}
	return n, err
}

func (c command) verb(ctx context.Context, atWork func(), args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		return c.runCook(ctx, atWork, args, stdout, stderr)
	}
	name := args[0]
	if code, ok := c.asChild(ctx, args, stdout, stderr); ok {
		return code
	}
	if name == "-version" || name == "--version" {
		name = "version"
	}
	if v, ok := c.findVerb(name); ok {
		return v.run(ctx, atWork, args[1:], stdout, stderr)
	}
	return c.runCook(ctx, atWork, args, stdout, stderr)
}

// fail prints an error and returns its exit code.
func fail(ctx context.Context, stderr io.Writer, err error) int {
	var config *cook.ConfigError
	var locked *cook.LockedError
	if ctx.Err() != nil {
		return interrupted(stderr, "interrupted; what was finished is kept")
	}
	printError(stderr, err)
	switch {
	case errors.As(err, &config):
		if n := fixes(err); n > 0 {
			fmt.Fprintf(stderr, "cook: cook fix puts %d of these right\n", n)
		}
		return exitUsage
	case errors.As(err, &locked):
		return exitLocked
	}
	return exitFailed
}

// interrupted prints what is left by an interrupt and returns the exit code of one.
func interrupted(stderr io.Writer, text string) int {
	writeEvents(stderr, errors.New(text))
	fmt.Fprintf(stderr, "cook: %s\n", text)
	return exitInterrupted
}

// printError prints each line of an error, and the flags for what it suggests. Lines that
// begin with a space show where the one before them is.
func printError(stderr io.Writer, err error) {
	writeEvents(stderr, err)
	report.WriteError(stderr, styleOf(stderr, os.Getenv), err, withFlags)
}
