package tools

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/profile/guid"
)

const idText = `usage: cook id RUN ...

Decodes IDs of runs, as -stats, recordings and the history have them: when and by which
process a run was made, and on which machine, as a number that does not name it.

Example:
	cook id 34eq8572hkc005lovh014pt85n
`

// ID is "cook id".
var ID = cmdline.Verb{
	Name: "id", Synopsis: "id RUN ...", Summary: "decode IDs of runs", Text: idText,
	New: func() cmdline.Handler { return cmdline.Handler{Run: runID} },
}

func runID(_ context.Context, c *cmdline.Call, words []string) int {
	if len(words) == 0 {
		return c.Wrong("want the ID of a run; see cook help id")
	}
	for _, word := range words {
		id, err := guid.Parse(word)
		if err != nil {
			return c.Wrong("%v", err)
		}
		fmt.Fprintf(c.Stdout, "%s: %s\n", id, id.Describe())
	}
	return frontend.OK
}
