package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/process"
	"github.com/assetcook/assetcook/cook/internal/runaction"
)

// asChild runs what this program does as a process that another cook has started, and reports
// whether args ask for that. The words are no verbs: neither help nor completion lists them.
func (c command) asChild(ctx context.Context, args []string, stdout, stderr io.Writer) (code int, ok bool) {
	switch {
	case args[0] == remote.RunAction && len(args) == 1:
		return c.runAction(ctx, stderr), true
	case args[0] == remote.Serve && len(args) > 1:
		return process.Serve(ctx, args[1:], os.Stdin, stdout, stderr), true
	case args[0] == attachedView && len(args) > 1:
		return c.runAttachedView(ctx, args[1:], stdout, stderr), true
	}
	return 0, false
}

// runAction cooks the action in the working directory for another machine. Servers start it for
// -remote-exec.
func (c command) runAction(ctx context.Context, stderr io.Writer) int {
	if err := runaction.Run(ctx, ".", c.recipes...); err != nil {
		fmt.Fprintf(stderr, "cook: %v\n", err)
		return exitFailed
	}
	return exitOK
}
