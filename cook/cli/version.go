package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

const module = "github.com/assetcook/assetcook"

const versionText = `usage: cook version

Prints the version of this program, the commit and the version of Go that it was built
from, and the system it is for.

Example:
	cook version
`

// runVersion prints which build of which program this is.
func runVersion(_ context.Context, _ func(), args []string, stdout, stderr io.Writer) int {
	words, code, ok := parse(newFlags("version", versionText), args, stdout, stderr)
	if !ok {
		return code
	}
	if len(words) > 0 {
		wrong(stderr, "version takes no words, have %q", words)
		return exitUsage
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		fmt.Fprintf(stdout, "cook (unknown version) %s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return exitOK
	}
	fmt.Fprintf(stdout, "cook %s%s %s %s/%s\n", versionOf(info), revisionOf(info), info.GoVersion, runtime.GOOS, runtime.GOARCH)
	return exitOK
}

// versionOf is the version of this module, which may be a dependency of the program.
func versionOf(info *debug.BuildInfo) string {
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == module && m.Version != "" {
			return m.Version
		}
	}
	return "(devel)"
}

// revisionOf is the commit that the program was built from, if that is known.
func revisionOf(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	commit := settings["vcs.revision"]
	if commit == "" {
		return ""
	}
	text := " (commit " + commit[:min(12, len(commit))]
	if settings["vcs.modified"] == "true" {
		text += ", modified"
	}
	return text + ")"
}
