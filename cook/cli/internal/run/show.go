package run

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/sysmem"
	"github.com/assetcook/assetcook/profile"
	"github.com/assetcook/assetcook/profile/counters"
)

// show says which parts of a run to print.
type show struct {
	verbose, quiet, explain, stats, json bool

	sarif string // file, "" for none
}

// showFlags declares the flags of all verbs that cook.
func (s *show) showFlags(fs *flag.FlagSet) {
	fs.BoolVar(&s.verbose, "v", false, "print a line for each asset that was worked on, with its time")
	fs.BoolVar(&s.quiet, "q", false, "print only failures, differences and warnings")
	fs.BoolVar(&s.json, "json", false, "print every event as one line of JSON on stdout")
	fs.StringVar(&s.sarif, "sarif", "", "write failures, warnings and differences into this `file` for code hosts (SARIF)")
}

// everyAsset reports whether assets without work are printed, too.
func (s show) everyAsset() bool { return s.json && !s.quiet || s.explain && s.verbose }

// Intervals of progress: on a terminal, and elsewhere, such as in the log of a build.
const (
	frame = 100 * time.Millisecond
	beat  = 30 * time.Second
)

// A shown describes the run whose events are printed.
type shown struct {
	project *cook.Project
	dryRun  bool
	keeps   bool // the output directory keeps all failures and warnings

	sarif *report.SARIF // nil for none

	stdout, stderr io.Writer
}

// findings returns the observer that collects failures and warnings for a file, nil for no file. It
// refuses a file among the assets.
func (s show) findings(project *cook.Project) (*report.SARIF, error) {
	if s.sarif == "" {
		return nil, nil
	}
	if err := placeFile(s.sarif, project.Dir); err != nil {
		return nil, &cook.ConfigError{Err: fmt.Errorf("SARIF file %s: %w", s.sarif, err)}
	}
	return report.NewSARIF(project.Dir), nil
}

// writeFindings writes the file of findings, with the error that ended the run.
func (s show) writeFindings(all *report.SARIF, ended error) error {
	if all == nil {
		return nil
	}
	if ended != nil {
		all.Wrong(ended)
	}
	return atomicfile.Write(s.sarif, 0o666, func(w io.Writer) error {
		_, err := all.WriteTo(w)
		return err
	})
}

// observe returns an observer that prints a run. done ends the printing, and returns a function that
// repeats the first failures below the summary if many lines are between.
func (s show) observe(run shown) (_ cook.Observer, done func() (recap func())) {
	var o cook.Observers
	stdout, stderr := run.stdout, run.stderr
	if run.sarif != nil {
		o = append(o, run.sarif)
	}
	style := frontend.StyleOf(stderr, os.Getenv)
	end := func() {}
	if file, ok := frontend.Terminal(stderr); !s.quiet && !s.json && !run.dryRun {
		every, width := beat, (func() int)(nil)
		if ok = ok && frontend.Animates(os.Getenv); ok {
			every, width = frame, func() int { return frontend.Columns(file) }
		}
		tick := time.NewTicker(every)
		live := frontend.NewLive(stderr, width)
		progress := report.NewProgress(live, time.Now, tick.C)
		o = append(o, progress)
		end = func() {
			tick.Stop()
			progress.Stop()
		}
		stderr = live
		if _, also := frontend.Terminal(stdout); ok && also {
			stdout = live
		}
	}
	if s.json {
		lines := report.NewJSON(stdout)
		lines.DryRun, lines.Dir = run.dryRun, run.project.Dir
		lines.Begin()
		return cmdline.Flagging(append(o, lines)...), func() func() {
			lines.Flush()
			return func() {}
		}
	}
	text := &report.Text{Out: stdout, Err: stderr, Dir: run.project.Dir, Style: style, Verbose: s.verbose, Explain: s.explain, DryRun: run.dryRun}
	if s.quiet {
		text.Out = io.Discard
	}
	if run.keeps && !run.dryRun {
		text.Keep = run.keep
	}
	return cmdline.Flagging(append(o, text)...), func() func() {
		text.Done()
		end()
		return func() { text.Recap(run.stderr) }
	}
}

// keep writes all failures and warnings beside the index.
func (run shown) keep(all []byte) (where string, err error) {
	out, err := survey.OutputFolder(run.project.Dir, run.project.Out)
	if err != nil {
		return "", err
	}
	name := state.LogFile(out)
	err = atomicfile.Write(name, 0o666, func(w io.Writer) error {
		_, err := w.Write(all)
		return err
	})
	return pathname.FromHere(name), err
}

// printSummary prints the end of a run.
func (s show) printSummary(sum *cook.Summary, stdout io.Writer, probe profile.Probe) {
	if s.json {
		report.NewJSON(stdout).Summary(sum)
		if s.stats {
			report.NewJSON(stdout).Measured(probe, sysmem.PeakRSS())
		}
		return
	}
	if s.stats {
		report.WriteTable(stdout, sum, sysmem.PeakRSS())
		writeProbe(stdout, probe)
	}
	if !s.quiet {
		report.WriteKinds(stdout, sum)
		report.WriteBehind(stdout, sum)
		fmt.Fprintf(stdout, "cook: %s\n", sum)
	}
}

// writeProbe prints tables of time and memory by stage and recipe.
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
	if len(probe.Memory.Snapshot().Groups) > 0 {
		fmt.Fprintln(w)
		probe.Memory.WriteReport(w)
	}
	if !probe.Run.IsZero() {
		fmt.Fprintf(w, "\nrun %s\n", probe.Run)
	}
}
