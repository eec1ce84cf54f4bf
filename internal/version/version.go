// Package version identifies the build of the running program. It uses the data that the Go
// toolchain embeds in the program, so that no linker flags are needed.
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

const module = "github.com/assetcook/assetcook"

// A Build identifies the source of a program. Empty fields are unknown.
type Build struct {
	Version  string // version such as "v0.1.0", or "(devel)"
	Commit   string // full hash of the commit
	Date     string // date of the commit, such as "2006-01-02"
	Modified bool   // set if the working tree had uncommitted changes
}

// Read returns the build of the running program.
func Read() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Build{Version: "(unknown version)"}
	}
	return Of(info)
}

// Of returns the build that info describes. The version is the version of this module, which may
// be a dependency of the program. Commit and date describe the program's repository.
func Of(info *debug.BuildInfo) Build {
	b := Build{Version: "(devel)"}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == module && m.Version != "" {
			b.Version = m.Version
			break
		}
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value[:min(len("2006-01-02"), len(s.Value))]
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// Dependency returns the version of a module in the running program, or "" if unknown.
func Dependency(module string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == module {
			return m.Version
		}
	}
	return ""
}

// Line returns one line that names a program and its build.
func (b Build) Line(program string) string {
	var from []string
	if b.Commit != "" {
		from = append(from, "commit "+b.Commit[:min(12, len(b.Commit))])
	}
	if b.Date != "" {
		from = append(from, b.Date)
	}
	if b.Modified {
		from = append(from, "modified")
	}
	built := ""
	if len(from) > 0 {
		built = " (" + strings.Join(from, ", ") + ")"
	}
	return fmt.Sprintf("%s %s%s %s %s/%s\n", program, b.Version, built, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
