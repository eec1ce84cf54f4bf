// Package mcp answers programs over the Model Context Protocol on the standard streams, for the
// verb "cook mcp". Each tool runs a read-only verb of cook in this process, with its JSON form, and
// returns what the verb prints.
//
// The protocol is implemented here, because only five of its messages are needed. The official
// library makes 890 allocations at each start of cook, which makes 1,970 without it.
package mcp

import (
	"context"
	"flag"
	"io"
	"os"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/internal/frontend"
)

const mcpText = `usage: cook mcp -dir assets [flags] [DIR ...]

Answers programs, such as assistants in editors, over the Model Context Protocol on standard
input and output: list, why, uses, size, history, report, diagnose and counters. The tools
read only the asset directory, its outputs, and the other directories on the command line.
They cook nothing and write nothing. The program ends with its input.

Example:
	cook mcp -dir assets
	cook mcp -dir assets recordings
`

// MCP is the verb "cook mcp".
var MCP = cmdline.Verb{
	Name: "mcp", Synopsis: "mcp -dir assets [flags] [DIR ...]", Summary: "answer programs over the Model Context Protocol", Text: mcpText,
	Takes: cmdline.Argument{Folders: true},
	New:   cmdline.HandlerOf((*mcpOptions).mcpFlags, (*mcpOptions).runMCP),
}

type mcpOptions struct{ project cook.Project }

func (r *mcpOptions) mcpFlags(fs *flag.FlagSet) { cmdline.PlaceFlags(fs, &r.project) }

func (r *mcpOptions) runMCP(ctx context.Context, c *cmdline.Call, words []string) int {
	if r.project.Dir == "" {
		return c.Wrong("want an asset directory; try: cook mcp -dir assets")
	}
	tools, err := newToolbox(c, r.project, words)
	if err != nil {
		return c.Fail(ctx, &cook.ConfigError{Err: err})
	}
	c.AtWork()
	s := &server{tools: tools, out: c.Stdout}
	switch err := s.serveClient(ctx, io.Reader(os.Stdin)); {
	case ctx.Err() != nil:
		return frontend.Interrupted
	case err != nil:
		return c.Fail(ctx, err)
	}
	return frontend.OK
}
