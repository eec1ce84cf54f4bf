package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

const module = "github.com/assetcook/assetcook"

// viewer is the program behind "cook view". It is apart from cook because every start of
// cook would pay for the web server in it.
const viewer = "cook-view"

// runView runs the viewer with the same arguments.
func runView(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	program, err := findViewer()
	if err != nil {
		wrong(stderr, "%v", err)
		return exitFailed
	}
	if self, err := os.Executable(); err == nil {
		args = append([]string{"-program", self}, args...) // that cooks what -dir shows
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Run()
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
func findViewer() (string, error) {
	name := viewer
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), name)
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
			return beside, nil
		}
	}
	found, err := exec.LookPath(viewer)
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("view needs the program %s, which is neither beside cook nor in PATH; install it with: go install %s", viewer, viewerPackage())
	}
	return found, err
}

// viewerPackage is what "go install" takes for the viewer of this version.
func viewerPackage() string {
	version := "latest"
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := versionOf(info); v != "(devel)" && !strings.Contains(v, "+") { // of what was edited there is no package
			version = v
		}
	}
	return module + "/cmd/" + viewer + "@" + version
}
