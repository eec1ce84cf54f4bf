package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/profile"
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/events/export"
	"github.com/assetcook/assetcook/profile/memory"
)

// show is what a person wants to see of a run.
type show struct {
	verbose, quiet, explain, stats, json, watch bool
	trace                                       string // file, "" for none
}

func cookFlags(opt *cook.Options, s *show, keepGoing *bool) *flag.FlagSet {
	fs := flag.NewFlagSet("cook", flag.ContinueOnError)
	folders(fs, opt)
	choices(fs, opt)
	fs.BoolVar(keepGoing, "k", true, "keep going after an asset failed; -k=false starts nothing new")
	fs.BoolVar(&opt.Wait, "wait", false, "wait while another cook works on the same output folder")
	fs.BoolVar(&opt.DryRun, "n", false, "dry run: say what would be done and why, change nothing")
	fs.BoolVar(&opt.Force, "a", false, "cook all, changed or not")
	fs.BoolVar(&opt.Strict, "strict", false, "fail sources about which something is odd; looks at the first bytes of all, and again at what recipes warned of")
	fs.Var((*size)(&opt.Memory), "mem", "memory that cooking may take (default: half of the machine's)")
	fs.BoolVar(&s.verbose, "v", false, "a line for each asset that was worked on, with its time")
	fs.BoolVar(&s.quiet, "q", false, "only failures and warnings")
	fs.BoolVar(&s.explain, "explain", false, "the reasons for what was done; with -v also for what was not")
	fs.BoolVar(&s.stats, "stats", false, "print the counters at the end")
	fs.StringVar(&s.trace, "trace", "", "record what was done when into this file: "+strings.Join(append(export.Endings(), streamEnding), ", "))
	fs.BoolVar(&s.watch, "watch", false, "go on: cook whatever changes until interrupted; another cook beside it asks this one")
	fs.BoolVar(&s.json, "json", false, "one JSON object a line for everything that happens, on stdout")
	fs.Usage = func() { usage(fs.Output()) }
	return fs
}

func (c command) runCook(ctx context.Context, atWork func(), args []string, stdout, stderr io.Writer) int {
	var opt cook.Options
	var s show
	var keepGoing bool
	fs := cookFlags(&opt, &s, &keepGoing)
	patterns, code, ok := parse(fs, args, stderr)
	if !ok {
		return code
	}
	if opt.Dir == "" && len(patterns) > 0 {
		fmt.Fprintf(stderr, "cook: there is no command %q, and no asset folder is given; try: cook -dir assets, or cook help\n", patterns[0])
		return exitUsage
	}
	if opt.Dir == "" {
		fmt.Fprintln(stderr, "cook: no asset folder given; try: cook -dir assets")
		return exitUsage
	}
	opt.Patterns, opt.StopOnFailure = patterns, !keepGoing
	if s.stats {
		opt.Probe.Counters = counters.New(counters.Options{Max: 256})
		opt.Probe.Memory = memory.New(memory.Options{Live: 1}) // none of cook's memory comes from its pools
	}
	var recording *trace
	if s.trace != "" {
		atWork() // so that nothing is left behind by an interrupt
		var err error
		if recording, err = startTrace(s.trace, opt.Dir); err != nil {
			return fail(ctx, stderr, &cook.ConfigError{Err: err})
		}
		opt.Probe.Events = recording.Recorder
	}
	code, began := c.cookOrWatch(ctx, atWork, opt, s, stdout, stderr)
	if recording != nil && began {
		stats, err := recording.finish()
		if err != nil {
			return max(code, fail(context.Background(), stderr, err))
		}
		s.missing(recording.name, stats, stderr)
	} else if recording != nil {
		recording.discard() // what an earlier run recorded is worth more
	}
	return code
}

// missing says what a recording does not have.
func (s show) missing(name string, stats events.Stats, stderr io.Writer) {
	if stats.Dropped > 0 {
		fmt.Fprintf(stderr, "cook: trace %s: %d events are missing, they came faster than they could be written\n", name, stats.Dropped)
	}
	if stats.Unnamed > 0 {
		fmt.Fprintf(stderr, "cook: trace %s: %d names found no room and are shown as …\n", name, stats.Unnamed)
	}
}

// cookOrWatch does what was asked for and reports whether it began to.
func (c command) cookOrWatch(ctx context.Context, atWork func(), opt cook.Options, s show, stdout, stderr io.Writer) (code int, began bool) {
	if s.watch {
		atWork()
		code = runWatch(ctx, opt, s, stdout, stderr)
		return code, code != exitUsage && code != exitLocked
	}
	observer, done := observe(s, opt.DryRun, stdout, stderr)
	opt.Observer = report.Multi{workWatch{listen: atWork}, &memoryLimit{memory: opt.Memory}, observer}
	summary, err := c.cook(ctx, opt)
	done()
	if err != nil && (ctx.Err() == nil || summary.Found.Assets == 0) {
		if summary.Found.Assets > 0 { // it came to work, whatever kept it from being finished
			s.summary(&summary, stdout, opt.Probe)
		}
		return fail(ctx, stderr, err), summary.Found.Assets > 0
	}
	s.summary(&summary, stdout, opt.Probe)
	if !s.json && opt.StopOnFailure && summary.NotReached.Assets > 0 && err == nil {
		fmt.Fprintf(stderr, "cook: stopped at the first failure; %d assets left\n", summary.NotReached.Assets)
	}
	switch {
	case err != nil:
		return fail(ctx, stderr, err), true
	case summary.Failures() > 0:
		return exitFailed, true
	}
	return exitOK, true
}

// summary prints what a run amounts to.
func (s show) summary(sum *report.Summary, stdout io.Writer, probe profile.Probe) {
	if s.json {
		report.NewJSON(stdout).Summary(sum)
		if s.stats {
			json.NewEncoder(stdout).Encode(measured{"measured", probe.Counters.Snapshot(), probe.Memory.Snapshot().Groups})
		}
		return
	}
	if s.stats {
		sum.WriteTable(stdout)
		writeProbe(stdout, probe)
	}
	if !s.quiet {
		fmt.Fprintln(stdout, sum.Line())
	}
}

// measured is the JSON record of where time and memory went.
type measured struct {
	Event    string            `json:"event"`
	Counters counters.Snapshot `json:"counters"`
	Memory   []memory.GroupRow `json:"memory"`
}

// writeProbe prints where time and memory went.
func writeProbe(w io.Writer, probe profile.Probe) {
	var timers counters.Snapshot
	for _, sample := range probe.Counters.Snapshot() {
		if sample.Kind == counters.KindTimer {
			timers = append(timers, sample)
		}
	}
	if len(timers) > 0 {
		fmt.Fprintln(w)
		timers.WriteTable(w)
	}
	if held := probe.Memory.Snapshot(); len(held.Groups) > 0 {
		fmt.Fprintln(w)
		held.WriteGroups(w)
	}
}

// observe puts together the observers that a person wants. done ends them.
func observe(s show, dryRun bool, stdout, stderr io.Writer) (observer report.Observer, done func()) {
	done = func() {}
	var all report.Multi
	if file, ok := terminal(stderr); ok && !s.quiet && !s.json && !dryRun {
		tick := time.NewTicker(100 * time.Millisecond)
		width := func() int {
			w, _, err := term.GetSize(int(file.Fd()))
			if err != nil {
				return 80
			}
			return w
		}
		progress := report.NewProgress(stderr, width, time.Now, tick.C)
		all = append(all, progress)
		done = func() {
			tick.Stop()
			progress.Stop()
		}
		stderr = progress
		if _, ok := terminal(stdout); ok {
			stdout = progress
		}
	}
	if s.json {
		return append(all, report.NewJSON(stdout)), done
	}
	text := &report.Text{Out: stdout, Err: stderr, Verbose: s.verbose, Explain: s.explain, DryRun: dryRun}
	if s.quiet {
		text.Out = io.Discard
	}
	return append(all, text), done
}

// terminal returns the terminal that a writer writes to, if it does.
func terminal(w io.Writer) (*os.File, bool) {
	if inner, ok := w.(*watched); ok {
		w = inner.w
	}
	file, ok := w.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}
