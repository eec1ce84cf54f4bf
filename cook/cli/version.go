package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

// runVersion prints which build of which program this is.
func runVersion(stdout io.Writer) int {
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
