package tools

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/push"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/dircache"
	"github.com/assetcook/assetcook/cook/internal/remote/process"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

const remoteText = `usage: cook remote check [flags]
       cook remote push [flags]
       cook remote trim [flags]

A server keeps results for a team: if one machine has cooked an asset, no other machine cooks it
again. Any cache server for Bazel will do. Results are checked by their content when they
arrive. cook help -all lists the flags that share results.

check tries the server of -remote, or of [remote] in cook.toml: whether it answers and accepts
your credentials, which features it has, how long an answer takes, how fast blobs are uploaded
and downloaded, and whether its clock agrees. Exit status 1 means that results cannot be shared:
the server cannot be used, or it accepts no uploads although runs on this machine upload results
(-remote-upload always, or ci where the variable CI is set).

push uploads the results of the last run that the store has and the server lacks, for a server
that is new or has lost its results. It cooks nothing, and waits until all results are uploaded.
Exit status 1 means that the server did not accept all of them.

trim removes the least recently used results from a directory (file://). Servers remove results
themselves. -keep-size limits the size of the directory, and -keep-days removes results that no
machine has used for some days. Other machines may use the directory at the same time.

Example:
	cook remote check -remote grpc://cache.example.com:9092
	cook -dir assets -remote grpc://cache.example.com:9092
	cook remote push -dir assets -remote grpc://cache.example.com:9092
	cook remote trim -remote file:///mnt/nas/cook -keep-size 500GiB -keep-days 60
`

// Remote is the verb "cook remote".
var Remote = cmdline.Verb{
	Name: "remote", Synopsis: "remote check|push|trim [flags]", Summary: "test a server that shares results, upload results to it, or trim it", Text: remoteText,
	Takes: cmdline.Argument{Words: remoteVerbs},
	New:   cmdline.HandlerOf((*remoteOptions).remoteFlags, (*remoteOptions).runRemote),
}

// remoteVerbs returns the words that may follow "cook remote".
func remoteVerbs() []string { return []string{"check", "push", "trim"} }

type remoteOptions struct {
	project  cook.Project
	json     bool
	keepSize int64
	keepDays int
}

func (r *remoteOptions) remoteFlags(fs *flag.FlagSet) {
	cmdline.FolderFlags(fs, &r.project)
	cmdline.RemoteFlags(fs, &r.project.Remote)
	cmdline.UploadFlag(fs, &r.project.Remote)
	fs.BoolVar(&r.json, "json", false, "push: print the counts as JSON")
	cmdline.BytesFlag(fs, &r.keepSize, "keep-size", "trim: the `size` of the results to keep")
	fs.IntVar(&r.keepDays, "keep-days", 0, "trim: keep only results used in the last `number` of days")
}

func (r *remoteOptions) runRemote(ctx context.Context, c *cmdline.Call, words []string) int {
	switch {
	case len(words) != 1 || !slices.Contains(remoteVerbs(), words[0]):
		return c.Wrong("remote: unknown verb %q; want check, push or trim", strings.Join(words, " "))
	case r.project.Remote.URL == "":
		return c.Wrong("%v", cmdline.ErrNoServer)
	}
	opt, err := remote.OptionsOf(rules.Remote(r.project.Remote))
	if err != nil {
		return c.Wrong("%v", err)
	}
	switch words[0] {
	case "push":
		return r.runPush(ctx, c)
	case "trim":
		return r.trimDirectory(ctx, c)
	}
	if err := process.Check(ctx, opt.Args, opt.Upload, c.Stdout); err != nil {
		return c.Fail(ctx, err)
	}
	return frontend.OK
}

// runPush uploads the results of the last run, and prints the counts.
func (r *remoteOptions) runPush(ctx context.Context, c *cmdline.Call) int {
	if r.project.Dir == "" {
		return c.Wrong("push needs an asset directory; try: cook remote push -dir assets")
	}
	if err := cmdline.SelfForRemote(&r.project.Remote); err != nil {
		return c.Fail(ctx, err)
	}
	p := &r.project
	c.AtWork()
	sum, err := push.Run(ctx, session.Options{
		Place:   session.Place{Dir: p.Dir, Out: p.Out, Config: p.Config, Cache: p.Cache, State: p.State, Remote: p.Remote},
		Recipes: c.Recipes, Observer: c.Notes(p.Dir),
	})
	if err != nil && ctx.Err() != nil {
		return c.Interrupted("interrupted; the server keeps the results that were uploaded")
	}
	if err != nil {
		return c.Fail(ctx, err)
	}
	if r.json {
		json.NewEncoder(c.Stdout).Encode(sum)
	} else {
		printPushed(c, sum)
	}
	if !sum.Complete() {
		return frontend.Failed
	}
	return frontend.OK
}

// maxDays limits -keep-days, so that it fits into a time.Duration.
const maxDays = 36500

// trimDirectory removes the least recently used results from a directory.
func (r *remoteOptions) trimDirectory(ctx context.Context, c *cmdline.Call) int {
	address, err := url.Parse(r.project.Remote.URL)
	switch {
	case err != nil:
		return c.Wrong("%v", err)
	case address.Scheme != "file":
		return c.Wrong("trim needs a directory (file://), because servers remove results themselves")
	case r.keepDays < 0 || r.keepDays > maxDays:
		return c.Wrong("-keep-days: want a number of days from 1 to %d", maxDays)
	case r.keepDays == 0 && r.keepSize == 0:
		return c.Wrong("trim needs -keep-size or -keep-days; try: cook remote trim -remote %s -keep-days 60", pathname.Show(r.project.Remote.URL))
	}
	c.AtWork()
	t, err := dircache.Trim(ctx, address, dircache.Limits{Size: r.keepSize, Unused: time.Duration(r.keepDays) * 24 * time.Hour}, time.Now())
	if err != nil && ctx.Err() != nil {
		return c.Interrupted(fmt.Sprintf("interrupted; %s removed so far", human.Count(t.Removed, "file")))
	}
	if err != nil {
		return c.Fail(ctx, fmt.Errorf("%s: %w", r.project.Remote.URL, err))
	}
	fmt.Fprintf(c.Stdout, "cook: remote: %s before, %s after, %s removed\n", human.Bytes(t.Before), human.Bytes(t.After), human.Count(t.Removed, "file"))
	return frontend.OK
}

// printPushed prints the counts of a push, and the reasons against uploads.
func printPushed(c *cmdline.Call, sum push.Sum) {
	fmt.Fprintf(c.Stdout, "cook: remote: %s uploaded, %s; the server already had %d\n", human.Count(sum.Uploaded, "result"), human.Bytes(sum.Bytes), sum.Known)
	for _, not := range [...]struct {
		n         int
		noun, why string
	}{
		{sum.Copied, "asset", "copies are not shared, because reading the source is faster"},
		{sum.Failed, "asset", "cooking failed"},
		{sum.Missing, "result", "no longer in the store; cook -a cooks the assets again"},
		{sum.Refused, "result", "the server did not accept them"},
		{sum.Left, "result", "no answer from the server; the next run with uploads tries again"},
	} {
		if not.n > 0 {
			fmt.Fprintf(c.Stdout, "  %s not uploaded: %s\n", human.Count(not.n, not.noun), not.why)
		}
	}
}
