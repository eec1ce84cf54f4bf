package upkeep

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/export"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/process"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/snapshot"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

const snapshotText = `usage: cook snapshot publish [flags] REF
       cook snapshot get [flags] REF -out DIR
       cook snapshot get [flags] REF

A snapshot is the whole cooked state of a project, kept under a name on the server of -remote.
REF is any name, such as a commit or a branch. Projects that share a server put their names in
front, as in game/main. With -target, a snapshot has the outputs of one target.

publish uploads the files that an engine loads, and the results of the last run. The server gets
only the missing contents. A snapshot with the same name is replaced. Cook the assets first: nothing is
published if an asset failed, was never cooked, or has changed since; with -force that is a
warning.

get -out makes DIR equal to an export of the published outputs. It needs no assets, and downloads
only contents that neither DIR nor the store has. A directory with files must be an earlier export
or snapshot.

get without -out brings the results into the store. The next cook of a checkout then cooks only
the assets that differ from the snapshot.

With -remote-sign-key, publish signs the snapshot. With -remote-trust, get accepts only snapshots
that one of these keys signed.

Example:
	cook snapshot publish game/main -dir assets -remote grpc://cache.example.com:9092
	cook snapshot get game/main -out build/assets -remote grpc://cache.example.com:9092
`

// Snapshot is the verb "cook snapshot".
var Snapshot = cmdline.Verb{
	Name: "snapshot", Synopsis: "snapshot publish|get [flags] REF", Summary: "keep the cooked state on a server, and get it without sources", Text: snapshotText,
	Takes: cmdline.Argument{Words: snapshotVerbs},
	New:   cmdline.HandlerOf((*snapshotOptions).snapshotFlags, (*snapshotOptions).runSnapshot),
}

// snapshotVerbs returns the words that may follow "cook snapshot".
func snapshotVerbs() []string { return []string{"publish", "get"} }

type snapshotOptions struct {
	from exportOptions // options of the export that publish uploads
	json bool
}

func (r *snapshotOptions) snapshotFlags(fs *flag.FlagSet) {
	cmdline.FolderFlags(fs, &r.from.project)
	cmdline.RuleFlags(fs, &r.from.project, "publish or get only the outputs for the target of this `name` (default: all that were cooked)")
	cmdline.RemoteFlags(fs, &r.from.project.Remote)
	r.from.flags = fs
	cmdline.WorkerFlag(fs, &r.from.workers)
	fs.BoolVar(&r.from.dryRun, "n", false, "get -out: count what would be downloaded, written and removed, and change nothing")
	fs.BoolVar(&r.from.force, "force", false, "publish: publish although assets failed or are out of date, with warnings")
	fs.BoolVar(&r.json, "json", false, "print the counts as JSON")
}

func (r *snapshotOptions) runSnapshot(ctx context.Context, c *cmdline.Call, words []string) int {
	p := &r.from.project
	p.Recipes = c.Recipes
	switch {
	case len(words) != 2 || !slices.Contains(snapshotVerbs(), words[0]) || words[1] == "":
		return c.Wrong("want publish or get, and the name of a snapshot; try: cook snapshot publish main -dir assets")
	case p.Remote.URL == "":
		return c.Wrong("%v", cmdline.ErrNoServer)
	}
	if err := r.from.chooseTarget(); err != nil {
		return c.Wrong("%v", err)
	}
	opt, err := remote.OptionsOf(rules.Remote(p.Remote))
	if err != nil {
		return c.Wrong("%v", err)
	}
	if r.from.workers <= 0 {
		r.from.workers = runtime.GOMAXPROCS(0)
	}
	name := share.SnapshotName{Ref: words[1], Target: r.from.target}
	c.AtWork()
	switch {
	case words[0] == "publish" && r.from.dryRun:
		return c.Wrong("-n is only for get -out; cook export -n counts the files that publish uploads")
	case words[0] == "publish":
		return r.publishRun(ctx, c, opt.Args, name)
	case r.from.force:
		return c.Wrong("-force is only for publish")
	}
	return r.getSnapshot(ctx, c, opt.Args, name)
}

// publishRun publishes the last run as a snapshot.
func (r *snapshotOptions) publishRun(ctx context.Context, c *cmdline.Call, server []string, name share.SnapshotName) int {
	p := &r.from.project
	if p.Dir == "" {
		return c.Wrong("publish needs an asset directory; try: cook snapshot publish main -dir assets")
	}
	out, err := survey.OutputFolder(p.Dir, p.Out)
	if err != nil {
		return c.Fail(ctx, err)
	}
	layout, err := manifest.LayoutNamed(p.Manifest)
	if err != nil {
		return c.Wrong("manifest: %v", err)
	}
	if p.Manifest == "" {
		layout = ""
	}
	from, err := export.Open(out, r.from.target, layout)
	if err != nil {
		return c.Fail(ctx, err)
	}
	defer from.Close()
	if status := r.from.checkShippable(ctx, c, out, from.Targets, notPublished); status != frontend.OK {
		return status
	}
	carrier, err := process.OpenCarrier(ctx, server, nil, c.Warn)
	if err != nil {
		return c.Fail(ctx, err)
	}
	defer carrier.Close()
	done, err := snapshot.Publish(ctx, session.Options{
		Place:   session.Place{Dir: p.Dir, Out: p.Out, Config: p.Config, Cache: p.Cache, State: p.State},
		Recipes: c.Recipes, Observer: c.Notes(p.Dir),
	}, from, carrier, name)
	if err != nil {
		return failTransfer(ctx, c, err)
	}
	if done.Missing > 0 {
		c.Warn(human.Count(done.Missing, "result") + " of the last run no longer in the store; a checkout that starts from the snapshot cooks the assets again")
	}
	if r.json {
		json.NewEncoder(c.Stdout).Encode(done)
		return frontend.OK
	}
	fmt.Fprintf(c.Stdout, "cook: snapshot %s published: %s of %s, %s; %s uploaded\n",
		pathname.Show(name.Ref), human.Count(done.Files, "file"), human.Bytes(done.Bytes), human.Count(done.Results, "result"), human.Bytes(done.Up))
	return frontend.OK
}

func notPublished(outputs string) error {
	return fmt.Errorf("nothing was published: %s; cook first, with the same rules, or publish the outputs as they are with -force", outputs)
}

// failTransfer prints the error of a transfer.
func failTransfer(ctx context.Context, c *cmdline.Call, err error) int {
	if ctx.Err() != nil {
		return c.Interrupted("interrupted; the contents that were transferred are kept")
	}
	return c.Fail(ctx, err)
}

// getSnapshot gets a snapshot into a directory, or only into the store.
func (r *snapshotOptions) getSnapshot(ctx context.Context, c *cmdline.Call, server []string, name share.SnapshotName) int {
	p := &r.from.project
	to := "" // stays empty unless the command line has -out
	r.from.flags.Visit(func(f *flag.Flag) {
		if f.Name == "out" {
			to = p.Out
		}
	})
	if to == "" && r.from.dryRun {
		return c.Wrong("get -n needs -out DIR")
	}
	dir, err := session.CacheDir(p.Cache)
	if err != nil {
		return c.Fail(ctx, err)
	}
	into, err := store.Open(dir)
	if err != nil {
		return c.Fail(ctx, err)
	}
	carrier, err := process.OpenCarrier(ctx, server, into, c.Warn)
	if err != nil {
		return c.Fail(ctx, err)
	}
	defer carrier.Close()
	g := snapshot.Getter{Carrier: carrier, Store: into, Name: name}
	if to == "" {
		return r.getResults(ctx, c, g)
	}
	got, err := g.GetInto(ctx, to, r.from.workers, r.from.dryRun)
	if err != nil {
		return failTransfer(ctx, c, err)
	}
	for _, name := range got.Kept {
		c.Warn(fmt.Sprintf("%s was edited and is not in the snapshot; the file stays", pathname.Show(name)))
	}
	if r.json {
		json.NewEncoder(c.Stdout).Encode(got)
		return frontend.OK
	}
	would := ""
	if r.from.dryRun {
		would = "would be "
	}
	fmt.Fprintf(c.Stdout, "cook: snapshot %s%s: %s of %s; %d %sdownloaded, %s; %d %swritten, %d %sremoved\n",
		pathname.Show(name.Ref), describeOrigin(got.Origin), human.Count(got.Files, "file"), human.Bytes(got.Bytes), got.Downloaded, would, human.Bytes(got.Down), got.Written, would, got.Removed, would)
	return frontend.OK
}

// getResults brings the results of a snapshot into the store.
func (r *snapshotOptions) getResults(ctx context.Context, c *cmdline.Call, g snapshot.Getter) int {
	done, err := g.ImportResults(ctx)
	if err != nil {
		return failTransfer(ctx, c, err)
	}
	if done.Lost > 0 {
		c.Warn(fmt.Sprintf("the server no longer has the artifacts of %s; the next cook makes them", human.Count(done.Lost, "result")))
	}
	if r.json {
		json.NewEncoder(c.Stdout).Encode(done)
		return frontend.OK
	}
	fmt.Fprintf(c.Stdout, "cook: snapshot %s%s: %s for the next cook; %s downloaded, %s\n",
		pathname.Show(g.Name.Ref), describeOrigin(done.Origin), human.Count(done.Results, "result"), human.Count(done.Downloaded, "artifact"), human.Bytes(done.Down))
	return frontend.OK
}

// describeOrigin describes the time, the machine and the key of a publication.
func describeOrigin(o store.Origin) (text string) {
	if !o.At.IsZero() {
		text += " of " + o.At.Local().Format(time.DateTime)
	}
	if o.Host != "" {
		text += " from " + pathname.Show(o.Host)
	}
	if o.Key != "" {
		text += ", signed with key " + o.Key[:16]
	}
	return text
}
