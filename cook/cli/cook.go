package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events/export"
	"github.com/assetcook/assetcook/profile/guid"
	"github.com/assetcook/assetcook/profile/memory"
)

// A cookRun is a command line without a verb.
type cookRun struct {
	cook      cookFunc
	project   cook.Project
	options   cook.CookOptions
	show      show
	keepGoing bool
	watch     bool
	to        recordTo
	memReport string // file, "" for none

	atWork         func()
	stdout, stderr io.Writer
}

// recordTo says where the time line of a run goes.
type recordTo struct {
	trace string // file, "" for none
	feed  string // address, "" for none
	http  string // address, "" for none
}

// any reports whether it goes anywhere.
func (to recordTo) any() bool { return to != recordTo{} }

func (r *cookRun) flags() *flag.FlagSet {
	fs := flag.NewFlagSet("cook", flag.ContinueOnError)
	folderFlags(fs, &r.project)
	fs.StringVar(&r.project.State, "state", "", "`folder` that holds .cook, the state of cook (default: the output folder, or a folder beside all that is likely to be served)")
	sizeFlag(fs, &r.options.Limits.CacheSize)
	ruleFlags(fs, &r.project, targetsToCook)
	changeFlags(fs, &r.project, &r.options.IgnoreTimestamps, &r.options.OutputsByFolder)
	workerFlag(fs, &r.options.Limits.Workers)
	memoryFlag(fs, &r.options.Limits.Memory)
	remoteFlags(fs, &r.project.Remote)
	fs.Var((*upload)(&r.project.Remote.Upload), "remote-upload", "`when` to give results to the server of -remote: never, ci (where the variable CI is set) or always (default ci)")
	fs.Var((*unless)(&r.project.Remote.NoRace), "remote-race", "cook while answers of the server of -remote are on their way (default true)")
	fs.Var((*unless)(&r.project.Remote.NoRead), "remote-read", "take results from the server of -remote (default true)")
	executionFlags(fs, &r.project.Remote)
	r.show.flags(fs)
	fs.BoolVar(&r.show.explain, "explain", false, "print the reasons for what was done; with -v, also for assets that were skipped")
	fs.BoolVar(&r.show.stats, "stats", false, "print counters and timers at the end")
	fs.BoolVar(&r.keepGoing, "k", true, "keep going after an asset failed; -k=false starts nothing new")
	fs.BoolVar(&r.options.Wait, "wait", false, "wait while another cook works on the same output folder, instead of failing")
	fs.BoolVar(&r.options.DryRun, "n", false, "dry run: print what would be done and why, change nothing")
	fs.BoolVar(&r.options.Force, "a", false, "cook all assets, changed or not")
	fs.BoolVar(&r.options.Strict, "strict", false, "treat warnings as errors; reads the first bytes of all sources")
	fs.StringVar(&r.memReport, "memreport", "", "write what memory was used for to this `file`, by purpose and asset; as text, or for cook view if it ends in .json")
	fs.StringVar(&r.to.trace, "trace", "", "record a timeline of the run into this `file`; its ending is the format: "+strings.Join(append(export.Endings(), streamEnding), ", "))
	fs.StringVar(&r.to.feed, "feed", "", "serve the timeline while it is recorded, as a stream, at this `address`: a port, or host:port (without a host: this machine only)")
	fs.StringVar(&r.to.http, "http", "", "show the run as pages in a browser at this `address`, such as 127.0.0.1:7357; they stay until Ctrl-C")
	fs.BoolVar(&r.watch, "watch", false, "keep running and cook whatever changes; a cook of the same folder asks this one")
	return fs
}

func (c command) runCook(ctx context.Context, atWork func(), args []string, stdout, stderr io.Writer) int {
	r := cookRun{cook: c.cook, project: cook.Project{Recipes: c.recipes}, atWork: atWork, stdout: stdout, stderr: stderr}
	fs := r.flags()
	fs.Usage = func() { shortHelp(fs.Output(), c) }
	patterns, code, ok := parse(fs, args, stdout, stderr)
	if !ok {
		return code
	}
	switch {
	case r.project.Dir == "" && len(patterns) > 0:
		try := c.meantVerb(patterns)
		if try == "" {
			try = "try: cook -dir assets, or cook help"
		}
		wrong(stderr, "there is no command %q, and no asset folder is given; %s", patterns[0], try)
		return exitUsage
	case r.project.Dir == "":
		wrong(stderr, "no asset folder given, and no cook.toml with [project] here or above; try: cook -dir assets, or cook init assets")
		return exitUsage
	case r.watch && r.show.sarif != "":
		wrong(stderr, "-sarif is for a run that ends; it does not go with -watch")
		return exitUsage
	case r.watch && (len(patterns) > 0 || r.options.Force || r.options.DryRun || r.options.IgnoreTimestamps):
		wrong(stderr, "-watch looks after everything that changes; it goes with neither patterns nor -a, -n, -check-contents")
		return exitUsage
	}
	r.options.Patterns, r.options.StopOnFailure = patterns, !r.keepGoing
	if err := selfForRemote(&r.project.Remote); err != nil {
		return fail(ctx, stderr, err)
	}
	if r.show.stats {
		r.options.Probe.Counters = counters.New(counters.Options{Max: 256})
	}
	if r.memReport != "" {
		if err := placeFile(r.memReport, r.project.Dir); err != nil {
			return fail(ctx, stderr, &cook.ConfigError{Err: fmt.Errorf("memory report %s: %w", r.memReport, err)})
		}
	}
	if r.show.stats || r.memReport != "" {
		r.options.Probe.Memory = memory.New(memory.Options{Live: 1}) // none of cook's memory comes from its pools
	}
	defer r.options.Probe.PublishMemory().Close()
	if (r.show.stats || r.to.any()) && !r.watch {
		r.options.Probe.Run = guid.New()
	}
	if r.to.any() {
		code = r.recorded(ctx)
	} else {
		code, _ = r.cookOrWatch(ctx)
	}
	if try := c.meantVerb(patterns); code == exitUsage && try != "" {
		fmt.Fprintln(stderr, "cook:", try)
	}
	return code
}

// meantVerb asks about the word of a command line that is not quite a verb, "" for another.
func (c command) meantVerb(words []string) string {
	if len(words) == 0 {
		return ""
	}
	verb := nearest.Word(words[0], c.names())
	if verb == "" {
		return ""
	}
	return fmt.Sprintf("did you mean cook %s?", verb)
}

// memoryReport writes what memory was used for.
func (r *cookRun) memoryReport(w io.Writer) error {
	tracker := r.options.Probe.Memory
	if !strings.HasSuffix(r.memReport, ".json") {
		return tracker.WriteReport(w)
	}
	capture := tracker.Capture(time.Now())
	capture.Program = "cook"
	return capture.WriteJSON(w)
}

// cookOrWatch does what was asked for and reports whether it began to.
func (r *cookRun) cookOrWatch(ctx context.Context) (code int, began bool) {
	if r.watch {
		r.atWork()
		code = r.runWatch(ctx)
		return code, code != exitUsage && code != exitLocked
	}
	opt := r.options
	found, err := r.show.findings(&r.project)
	if err != nil {
		return fail(ctx, r.stderr, err), false
	}
	observer, done := r.show.observe(shown{&r.project, opt.DryRun, true, found, r.stdout, r.stderr})
	opt.Observer = cook.Observers{workWatch{listen: r.atWork}, &memoryLimit{memory: opt.Limits.Memory}, observer}
	opt.EveryAsset = r.show.everyAsset()
	summary, err := r.cook(ctx, r.project, opt)
	recap := done()
	err = errors.Join(err, r.show.writeFindings(found, err))
	if began = err == nil || summary.Found.Assets > 0; began {
		if err == nil {
			summary.Preset = r.looksOfFirst(ctx, &summary)
			if summary.First && !summary.DryRun {
				warnOfServed(&r.project, r.stderr)
			}
		}
		r.show.summary(&summary, r.stdout, opt.Probe)
		recap()
		if r.memReport != "" {
			err = errors.Join(err, atomicfile.Write(r.memReport, 0o666, r.memoryReport))
		}
	}
	switch {
	case err != nil:
		return fail(ctx, r.stderr, err), began
	case summary.Failures() == 0:
		return exitOK, true
	}
	if !r.show.json && opt.StopOnFailure && summary.NotReached.Assets > 0 {
		fmt.Fprintf(r.stderr, "cook: stopped at the first failure; %s left\n", human.Count(summary.NotReached.Assets, "asset"))
	}
	return exitFailed, true
}
