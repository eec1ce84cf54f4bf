// Package run holds the verbs that cook. They are "cook verify" and the command line without a
// verb, which can also watch, show and record runs.
package run

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/cli/internal/setup"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/statedir"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/nearest"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events/export"
	"github.com/assetcook/assetcook/profile/guid"
	"github.com/assetcook/assetcook/profile/memory"
)

// Cook is the command line without a verb.
var Cook = cmdline.Verb{
	Synopsis: "-dir assets [flags] [pattern ...]", Summary: "bring all assets, or matching ones, up to date",
	Takes: cmdline.Argument{Files: true, Folders: true, Patterns: true},
	New:   cmdline.HandlerOf((*cookOptions).cookFlags, (*cookOptions).runCook),
}

type cookOptions struct {
	project   cook.Project
	options   cook.CookOptions
	print     printFlags
	shard     session.Shard
	keepGoing bool
	watch     bool
	to        recordTo
	memReport string

	call *cmdline.Call
}

// recordTo has the file and the addresses that receive a run's timeline.
type recordTo struct {
	trace string
	feed  string
	http  string
}

// isSet reports whether the timeline is written to any file or address.
func (to recordTo) isSet() bool { return to != recordTo{} }

// watchFlags declares the flags of all runs, except the flags for rules.
func (r *cookOptions) watchFlags(fs *flag.FlagSet) {
	cmdline.FolderFlags(fs, &r.project)
	fs.StringVar(&r.project.State, "state", "", "`directory` that holds .cook, the state of cook (default: the output directory, or, if that is probably served to others, a directory outside of the served files)")
	cmdline.SizeFlag(fs, &r.options.Limits.CacheSize)
	cmdline.WorkerFlag(fs, &r.options.Limits.Workers)
	cmdline.MemoryFlag(fs, &r.options.Limits.Memory)
	cmdline.RemoteFlags(fs, &r.project.Remote)
	cmdline.SharingFlags(fs, &r.project.Remote)
	cmdline.ExecutionFlags(fs, &r.project.Remote)
	r.print.declarePrintFlags(fs)
	fs.BoolVar(&r.options.Strict, "strict", false, "treat warnings as errors; reads the first bytes of all sources")
}

func (r *cookOptions) cookFlags(fs *flag.FlagSet) {
	r.watchFlags(fs)
	cmdline.RuleFlags(fs, &r.project, cmdline.TargetsToCook)
	cmdline.ChangeFlags(fs, &r.project, &r.options.IgnoreTimestamps, &r.options.OutputsByFolder)
	cmdline.ShardFlag(fs, &r.shard)
	r.print.declareSARIF(fs)
	fs.BoolVar(&r.print.explain, "explain", false, "print the reason for each cooked asset; with -v, also for skipped assets")
	fs.BoolVar(&r.print.stats, "stats", false, "print counters and timers at the end")
	fs.BoolVar(&r.keepGoing, "k", true, "keep going after an asset failed; -k=false stops at the first failure")
	fs.BoolVar(&r.options.Wait, "wait", false, "wait while another cook works on the same output directory, instead of failing")
	fs.BoolVar(&r.options.DryRun, "n", false, "dry run: print what would be done and why, change nothing")
	fs.BoolVar(&r.options.Force, "a", false, "cook all assets, changed or not")
	fs.StringVar(&r.memReport, "memreport", "", "write the memory use, by purpose and asset, to this `file`: as text, or for cook view if the name ends in .json")
	fs.StringVar(&r.to.trace, "trace", "", "record a timeline of the run into this `file`; its extension chooses the format: "+strings.Join(append(export.Endings(), streamEnding), ", "))
	fs.StringVar(&r.to.feed, "feed", "", "serve the timeline while it is recorded, as a stream, at this `address`: a port, or host:port (without a host: this machine only)")
	fs.StringVar(&r.to.http, "http", "", "show the run as pages in a browser at this `address`, a port or host:port (without a host: this machine only), until Ctrl-C; with -watch, also send each change to programs that reload artifacts")
	fs.BoolVar(&r.watch, "watch", false, "keep running and cook all changes; other cooks of the same directory ask this process")
}

func (r *cookOptions) runCook(ctx context.Context, c *cmdline.Call, patterns []string) (code int) {
	r.call, r.project.Recipes = c, c.Recipes
	switch {
	case r.project.Dir == "" && len(patterns) > 0:
		try := meantVerb(c, patterns)
		if try == "" {
			try = "try: cook -dir assets, or cook help"
		}
		return c.Wrong("there is no command %q, and no asset directory is given; %s", patterns[0], try)
	case r.project.Dir == "":
		return c.Wrong("no asset directory given, and no cook.toml with [project] here or above; try: cook -dir assets, or cook init assets")
	case r.watch && r.print.sarif != "":
		return c.Wrong("-sarif needs a run that ends; remove -watch or -sarif")
	case r.watch && (len(patterns) > 0 || r.shard.Of > 0 || r.options.Force || r.options.DryRun || r.options.IgnoreTimestamps):
		return c.Wrong("-watch cooks every change; remove patterns, -shard, -a, -n and -check-contents")
	}
	r.options.Patterns, r.options.Shard, r.options.StopOnFailure = patterns, r.shard.String(), !r.keepGoing
	if err := cmdline.SelfForRemote(&r.project.Remote); err != nil {
		return c.Fail(ctx, err)
	}
	if r.print.stats {
		r.options.Probe.Counters = counters.New(counters.Options{Max: 256})
	}
	if r.memReport != "" {
		if err := placeFile(r.memReport, r.project.Dir); err != nil {
			return c.Fail(ctx, &cook.ConfigError{Err: fmt.Errorf("memory report %s: %w", r.memReport, err)})
		}
	}
	if r.print.stats || r.memReport != "" {
		r.options.Probe.Memory = memory.New(memory.Options{Live: 1})
	}
	defer r.options.Probe.PublishMemory().Close()
	if (r.print.stats || r.to.isSet()) && !r.watch {
		r.options.Probe.Run = guid.New()
	}
	if r.to.isSet() {
		code = r.cookRecorded(ctx)
	} else {
		code, _ = r.cookOrWatch(ctx)
	}
	if try := meantVerb(c, patterns); code == frontend.Usage && try != "" {
		fmt.Fprintln(c.Stderr, "cook:", try)
	}
	return code
}

// meantVerb returns a question if a word of the command line resembles a verb. Otherwise it returns
// "".
func meantVerb(c *cmdline.Call, words []string) string {
	if len(words) == 0 {
		return ""
	}
	verb := nearest.Word(words[0], c.Names())
	if verb == "" {
		return ""
	}
	return fmt.Sprintf("did you mean cook %s?", verb)
}

// explainNoMatch extends the error for a pattern without matches if the pattern is the name of
// another directory.
func (r *cookOptions) explainNoMatch(err error) error {
	var none *session.NoMatchError
	if !errors.As(err, &none) || !cmdline.IsFolder(none.Pattern) {
		return err
	}
	dir, word := pathname.Show(r.project.Dir), pathname.Show(none.Pattern)
	return &cook.ConfigError{Err: fmt.Errorf("%w: further words after the asset directory, %s, are patterns; cook the directory %s in another run (cook %s), or cook a directory that contains both", none, dir, word, word)}
}

// memoryReport writes the memory use of recipes by purpose.
func (r *cookOptions) memoryReport(w io.Writer) error {
	tracker := r.options.Probe.Memory
	if !strings.HasSuffix(r.memReport, ".json") {
		return tracker.WriteReport(w)
	}
	capture := tracker.Capture(time.Now())
	capture.Program = "cook"
	return capture.WriteJSON(w)
}

// cookOrWatch cooks once or watches, and reports whether the run began.
func (r *cookOptions) cookOrWatch(ctx context.Context) (code int, began bool) {
	c := r.call
	if r.watch {
		c.AtWork()
		code = r.runWatch(ctx)
		return code, code != frontend.Usage && code != cmdline.Locked
	}
	opt := r.options
	p, err := newPrinter(r.print, c, &r.project)
	if err != nil {
		return c.Fail(ctx, err), false
	}
	p.dryRun, p.log = opt.DryRun, true
	observer, done := p.observe()
	var renames setup.Renames
	opt.Observer = cook.Observers{workWatch{listen: c.AtWork}, &memoryLimit{memory: opt.Limits.Memory}, &renames, observer}
	opt.EveryAsset = r.print.everyAsset()
	summary, err := c.Cook(ctx, r.project, opt)
	recap := done()
	err = errors.Join(err, p.writeFindings(err))
	if began = err == nil || summary.Found.Assets > 0; began {
		if err == nil {
			r.adviseFirst(ctx, &summary)
			r.printOldNames(ctx, &summary, &renames)
		}
		p.printSummary(&summary, opt.Probe)
		recap()
		if r.memReport != "" {
			err = errors.Join(err, atomicfile.Write(r.memReport, 0o666, r.memoryReport))
		}
	}
	switch {
	case err != nil:
		return c.Fail(ctx, r.explainNoMatch(err)), began
	case summary.Failures() == 0:
		return frontend.OK, true
	}
	if !r.print.json && opt.StopOnFailure && summary.NotReached.Assets > 0 {
		fmt.Fprintf(c.Stderr, "cook: stopped at the first failure; %s left\n", human.Count(summary.NotReached.Assets, "asset"))
	}
	return frontend.Failed, true
}

func (r *cookOptions) cookRecorded(ctx context.Context) int {
	r.call.AtWork() // listen for interrupts, which must not leave temporary files
	rec, err := r.startRecording()
	if err != nil {
		return r.call.Fail(ctx, &cook.ConfigError{Err: err})
	}
	r.options.Probe.Events = rec.events
	code, began := r.cookOrWatch(ctx)
	if err := rec.finishRecording(began); err != nil {
		code = max(code, r.call.Fail(context.Background(), err))
	}
	if began {
		r.warnMissing(rec.events.Stats())
	}
	if rec.viewer != nil {
		rec.viewer.Stay(ctx)
	}
	return code
}

// adviseFirst suggests a preset for the images after a first run. It also warns if a web server may
// serve cook's state directory.
func (r *cookOptions) adviseFirst(ctx context.Context, sum *cook.Summary) {
	if !sum.First || sum.DryRun {
		return
	}
	if !r.print.quiet || r.print.json {
		sum.Preset = setup.PresetOfFirst(ctx, &r.project, sum)
	}
	out, err := survey.OutputFolder(r.project.Dir, r.project.Out)
	if err != nil {
		return
	}
	dir, err := filepath.Abs(r.project.Dir)
	if err != nil {
		return
	}
	if _, likely := statedir.Served(out, dir); likely && statedir.Home(out) == out {
		r.call.Warn(fmt.Sprintf("%s is probably served to others, but its .cook contains directory names of this machine and the history of runs; move .cook elsewhere with state = \"DIR\" in [project], or -state DIR", pathname.Show(pathname.FromHere(out))))
	}
}

// printOldNames prints which text files contain names that outputs no longer have.
func (r *cookOptions) printOldNames(ctx context.Context, sum *cook.Summary, renames *setup.Renames) {
	if sum.DryRun || r.print.quiet || r.print.json {
		return
	}
	if text := setup.OldNames(ctx, &r.project, sum.First, renames); text != "" {
		fmt.Fprintln(r.call.Stdout, text)
	}
}

// A workWatch is an observer that begins to listen for interrupts when the run has work to do.
type workWatch struct {
	cook.Observers
	listen func()
}

func (w workWatch) Planned(assets int, _ time.Duration) {
	if assets > 0 {
		w.listen()
	}
}
