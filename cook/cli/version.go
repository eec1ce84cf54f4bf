package cli

import (
	"context"
	"io"

	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/version"
)

const module = "github.com/assetcook/assetcook"

const versionText = `usage: cook version

Prints the version of this program, the commit, its date and the version of Go that it
was built from, and the system it is for.

Example:
	cook version
`

var versionVerb = cmdline.Verb{
	Name: "version", Synopsis: "version", Summary: "print the version of this program", Text: versionText,
	New: func() cmdline.Handler { return cmdline.Handler{Run: runVersion} },
}

// runVersion prints the program and its build.
func runVersion(_ context.Context, c *cmdline.Call, words []string) int {
	if len(words) > 0 {
		return c.Wrong("version takes no words, have %q", words)
	}
	io.WriteString(c.Stdout, version.Read().Line("cook"))
	return frontend.OK
}
