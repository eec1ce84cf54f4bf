package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/profile/guid"
)

const idText = `usage: cook id RUN ...

Decodes IDs of runs, as -stats, recordings and the history have them: when and by which
process a run was made, and on which machine, as a number that does not name it.

Example:
	cook id 34eq8572hkc005lovh014pt85n
`

func runID(_ context.Context, _ func(), args []string, stdout, stderr io.Writer) int {
	words, code, ok := parse(newFlags("id", idText), args, stdout, stderr)
	if !ok {
		return code
	}
	if len(words) == 0 {
		wrong(stderr, "want the ID of a run; see cook help id")
		return exitUsage
	}
	for _, word := range words {
		id, err := guid.Parse(word)
		if err != nil {
			wrong(stderr, "%v", err)
			return exitUsage
		}
		fmt.Fprintf(stdout, "%s: %s\n", id, id.Describe())
	}
	return exitOK
}
