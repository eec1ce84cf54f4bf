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
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/sysmem"
	"github.com/assetcook/assetcook/profile"
	"github.com/assetcook/assetcook/profile/counters"
)

// printFlags selects what a run prints.
type printFlags struct {
	verbose, quiet, explain, stats, json bool

	sarif string
}

func (f *printFlags) declarePrintFlags(fs *flag.FlagSet) {
	fs.BoolVar(&f.verbose, "v", false, "print a line for each asset that was worked on, with its time")
	fs.BoolVar(&f.quiet, "q", false, "print only failures, differences and warnings")
	fs.BoolVar(&f.json, "json", false, "print every event as one line of JSON on stdout")
}

func (f *printFlags) declareSARIF(fs *flag.FlagSet) {
	fs.StringVar(&f.sarif, "sarif", "", "write failures, warnings and differences into this `file` for code hosts (SARIF)")
}

// everyAsset reports whether to print assets that need no work.
func (f printFlags) everyAsset() bool { return f.json && !f.quiet || f.explain && f.verbose }

// frame is the time between redraws of the progress on a terminal, and beat is the time between
// progress lines in a build log. In a round of a watcher, the first line appears after roundsBeat.
const (
	frame      = 100 * time.Millisecond
	beat       = 10 * time.Second
	roundsBeat = time.Second
)

// A printer prints the runs of one cook command.
type printer struct {
	flags    printFlags
	call     *cmdline.Call
	project  *cook.Project
	findings *report.SARIF // nil unless -sarif is set
	dryRun   bool
	log      bool
	rounds   bool
	lines    *report.JSON // nil unless -json is set
}

// newPrinter returns a printer for a project. It refuses a -sarif file in the asset directory.
func newPrinter(flags printFlags, c *cmdline.Call, project *cook.Project) (*printer, error) {
	p := &printer{flags: flags, call: c, project: project}
	if flags.sarif == "" {
		return p, nil
	}
	if err := placeFile(flags.sarif, project.Dir); err != nil {
		return nil, &cook.ConfigError{Err: fmt.Errorf("SARIF file %s: %w", flags.sarif, err)}
	}
	p.findings = report.NewSARIF(project.Dir)
	return p, nil
}

// writeFindings writes the -sarif file, including the error that ended the run.
func (p *printer) writeFindings(ended error) error {
	if p.findings == nil {
		return nil
	}
	if ended != nil {
		p.findings.Wrong(ended)
	}
	return atomicfile.Write(p.flags.sarif, 0o666, func(w io.Writer) error {
		_, err := p.findings.WriteTo(w)
		return err
	})
}

// observe returns an observer that prints a run. done ends the printing, and returns a function
// that repeats the first failures below the summary if they have scrolled away.
func (p *printer) observe() (_ cook.Observer, done func() (recap func())) {
	var o cook.Observers
	stdout, stderr := io.Writer(p.call.Stdout), io.Writer(p.call.Stderr)
	if p.findings != nil {
		o = append(o, p.findings)
	}
	style := frontend.StyleOf(stderr, os.Getenv)
	end := func() {}
	if file, ok := frontend.Terminal(stderr); !p.flags.quiet && !p.flags.json && !p.dryRun {
		every, width, beats := time.Second, (func() int)(nil), report.Beats{First: beat, Every: beat}
		if p.rounds {
			beats.First = roundsBeat
		}
		if ok = ok && frontend.Animates(os.Getenv); ok {
			every, width = frame, func() int { return frontend.Columns(file) }
		}
		tick := time.NewTicker(every)
		live := frontend.NewLive(stderr, width)
		progress := report.NewProgress(live, time.Now, tick.C, beats)
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
	if p.flags.json {
		lines := report.NewJSON(stdout)
		lines.DryRun, lines.Dir = p.dryRun, p.project.Dir
		if lines.Begin(); !p.rounds {
			lines.BeginNow()
		}
		p.lines = lines
		return cmdline.Flagging(append(o, lines)...), func() func() {
			lines.Flush()
			return func() {}
		}
	}
	text := &report.Text{Out: stdout, Err: stderr, Dir: p.project.Dir, Style: style, Verbose: p.flags.verbose, Explain: p.flags.explain, DryRun: p.dryRun}
	if p.flags.quiet {
		text.Out = io.Discard
	}
	if p.log && !p.dryRun {
		text.Keep = p.writeLog
	}
	return cmdline.Flagging(append(o, text)...), func() func() {
		text.Done()
		end()
		return func() { text.Recap(p.call.Stderr) }
	}
}

// writeLog writes all failures and warnings beside the index.
func (p *printer) writeLog(all []byte) (where string, err error) {
	out, err := survey.OutputFolder(p.project.Dir, p.project.Out)
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

func (p *printer) printSummary(sum *cook.Summary, probe profile.Probe) {
	stdout := p.call.Stdout
	if p.flags.json {
		p.lines.Summary(sum)
		if p.flags.stats {
			p.lines.Measured(probe, sysmem.PeakRSS())
		}
		return
	}
	if p.flags.stats {
		report.WriteTable(stdout, sum, sysmem.PeakRSS())
		writeProbe(stdout, probe)
	}
	if !p.flags.quiet {
		report.WriteKinds(stdout, sum)
		p.printOutputFolder(stdout, sum)
		report.WriteBehind(stdout, sum)
		if sum.Expected > 0 {
			fmt.Fprintf(stdout, "cooking would take about %s\n", human.Duration(sum.Expected))
		}
		fmt.Fprintf(stdout, "cook: %s\n", sum)
	}
}

// printOutputFolder prints the output directory after a first run.
func (p *printer) printOutputFolder(w io.Writer, sum *cook.Summary) {
	if !sum.First || sum.DryRun {
		return
	}
	out, err := survey.OutputFolder(p.project.Dir, p.project.Out)
	if err == nil {
		fmt.Fprintf(w, "the outputs are in %s\n", pathname.Show(pathname.FromHere(out)))
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
