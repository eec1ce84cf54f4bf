package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/cook/internal/runaction"
)

// runAction cooks the action in the working directory for another machine. It is no verb: only
// servers that execute for -remote-exec start it.
func (c command) runAction(ctx context.Context, stderr io.Writer) int {
	if err := runaction.Run(ctx, ".", c.recipes...); err != nil {
		fmt.Fprintf(stderr, "cook: %v\n", err)
		return exitFailed
	}
	return exitOK
}
