package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook"
)

const module = "github.com/assetcook/assetcook"

// viewer is the program behind "cook view". It is apart from cook because every start of
// cook would pay for the web server in it.
const viewer = "cook-view"

const viewText = `usage: cook view [flags] [FILE ... | HOST:PORT | -]

Shows recordings of -trace (.events) and of -memreport (.json), and runs with -feed, as
pages in a browser; without a word the assets of the project. Needs the program cook-view, which has these flags.

Example:
	cook view run.events
	cook view 127.0.0.1:7357
`

// viewFlags returns the flags of the viewer, as its help has them; none if it is not there.
func viewFlags() *flag.FlagSet {
	fs := newFlags("view", viewText)
	program, err := findViewer()
	if err != nil {
		return fs
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	asking := exec.CommandContext(ctx, program, "-h")
	asking.WaitDelay = time.Second
	help, err := asking.Output()
	if err == nil {
		declare(fs, string(help))
	}
	return fs
}

// declare declares the flags that a help text lists, as package flag writes it.
func declare(fs *flag.FlagSet, help string) {
	for _, f := range declarations(help) {
		if f.value == "" {
			fs.Bool(f.name, false, f.doc)
		} else {
			fs.String(f.name, "", strings.Replace(f.doc, f.value, "`"+f.value+"`", 1))
		}
	}
}

// runView runs the viewer with the same arguments.
func runView(ctx context.Context, _ func(), args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && asksForHelp(args[0]) {
		fs := viewFlags()
		fs.SetOutput(stdout)
		fs.Usage()
		return exitOK
	}
	program, err := findViewer()
	if err != nil {
		wrong(stderr, "%v", err)
		return exitFailed
	}
	if len(args) == 0 {
		project, _, err := cook.FindProject(".")
		if err != nil {
			printError(stderr, err)
			return exitUsage
		}
		if project.Dir != "" {
			args = projectArgs(&project)
		}
	}
	if self, err := os.Executable(); err == nil {
		args = append([]string{"-program", self}, args...) // that cooks what -dir shows
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, inherited(stderr)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	return exitOf(ctx, cmd.Run(), stderr)
}

// exitOf returns the exit code for how a program ended that did all of the work.
func exitOf(ctx context.Context, err error, stderr io.Writer) int {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, &exit):
		return exit.ExitCode()
	case err != nil:
		wrong(stderr, "%v", err)
		return exitFailed
	}
	return exitOK
}

// findViewer returns the viewer that lies beside this program, or that in PATH.
func findViewer() (string, error) { return findBeside(viewer, "view") }

// findBeside returns a program that is apart from cook: the one that lies beside this program,
// or that in PATH. For what it is needed goes into the error.
func findBeside(name, what string) (string, error) {
	file := name
	if runtime.GOOS == "windows" {
		file += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), file)
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
			return beside, nil
		}
	}
	found, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%s needs the program %s, which is neither beside cook nor in PATH; install it with: go install %s", what, name, packageOf(name))
	}
	return found, err
}

// packageOf is what "go install" takes for a program of this version.
func packageOf(program string) string {
	version := "latest"
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := versionOf(info); v != "(devel)" && !strings.Contains(v, "+") { // of what was edited there is no package
			version = v
		}
	}
	return module + "/cmd/" + program + "@" + version
}
