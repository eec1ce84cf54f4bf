package tools

import (
	"context"
	"flag"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/process"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/internal/frontend"
)

const remoteText = `usage: cook remote check [flags]

Tries the server of -remote, or of [remote] in cook.toml: whether it answers and accepts your
credentials, which features it has, how long an answer takes, how fast blobs are uploaded and
downloaded, and whether its clock agrees. Exit status 1 means that results cannot be shared.

A server keeps results for a team: if one machine has cooked an asset, no other machine cooks it
again. Any cache server for Bazel will do. Results are checked by their content when they
arrive. cook help -all lists the flags that share results.

Example:
	cook remote check -remote grpc://cache.example.com:9092
	cook -dir assets -remote grpc://cache.example.com:9092
`

// Remote is the verb "cook remote".
var Remote = cmdline.Verb{
	Name: "remote", Synopsis: "remote check [flags]", Summary: "test the connection to a server that shares results", Text: remoteText,
	Takes: cmdline.Argument{Words: remoteVerbs},
	New:   cmdline.HandlerOf((*remoteOptions).remoteFlags, (*remoteOptions).runRemote),
}

// remoteVerbs returns the words that may follow "cook remote".
func remoteVerbs() []string { return []string{"check"} }

type remoteOptions struct{ project cook.Project }

func (r *remoteOptions) remoteFlags(fs *flag.FlagSet) {
	fs.StringVar(&r.project.Dir, "dir", "", "`directory` of the source assets; its cook.toml may name the server")
	cmdline.RemoteFlags(fs, &r.project.Remote)
}

func (r *remoteOptions) runRemote(ctx context.Context, c *cmdline.Call, words []string) int {
	to := &r.project.Remote
	switch {
	case len(words) != 1 || words[0] != "check":
		return c.Wrong("remote: unknown verb %q; want check", strings.Join(words, " "))
	case to.URL == "":
		return c.Wrong("%v", cmdline.ErrNoServer)
	}
	opt, err := remote.OptionsOf(rules.Remote(*to))
	if err != nil {
		return c.Wrong("%v", err)
	}
	if err := process.Check(ctx, opt.Args, c.Stdout); err != nil {
		return c.Fail(ctx, err)
	}
	return frontend.OK
}
