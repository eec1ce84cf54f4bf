package cli

import (
	"context"
	"io"

	"github.com/assetcook/assetcook/internal/version"
)

const module = "github.com/assetcook/assetcook"

const versionText = `usage: cook version

Prints the version of this program, the commit, its date and the version of Go that it
was built from, and the system it is for.

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
	io.WriteString(stdout, version.Read().Line("cook"))
	return exitOK
}
