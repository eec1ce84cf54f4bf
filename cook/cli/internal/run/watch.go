package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/setup"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/cook/internal/watch"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// runWatch cooks until it is interrupted.
func (r *cookOptions) runWatch(ctx context.Context) int {
	p := &printer{flags: r.print, call: r.call, project: &r.project, log: true, rounds: true}
	rounds := report.NewRounds(func() (cook.Observer, func()) {
		observer, done := p.observe()
		return observer, func() { done() }
	})
	w := watchPrinter{run: r, printer: p}
	opt := cook.WatchOptions{
		Strict: r.options.Strict, StopOnFailure: r.options.StopOnFailure, OutputsByFolder: r.options.OutputsByFolder,
		Limits: r.options.Limits, Probe: r.options.Probe,
		Observer: cook.Observers{&memoryLimit{memory: r.options.Limits.Memory}, &w.batch, &w.renames, rounds},
		Round:    w.printRound,
	}
	err := cook.Watch(ctx, r.project, opt)
	rounds.Stage(watch.StageWait)
	if w.rounds > 0 && errors.Is(err, context.Canceled) {
		if text := w.batch.unfinished(); text != "" {
			fmt.Fprintf(r.call.Stderr, "cook: %s\n", text)
		}
		fmt.Fprintf(r.call.Stderr, "cook: no longer watching\n")
		return frontend.Interrupted
	}
	return r.call.Fail(ctx, err)
}

type watchPrinter struct {
	run     *cookOptions
	printer *printer
	batch   batch
	renames setup.Renames
	rounds  int
	wrong   string // rules error in the last round; "" if none
}

func (w *watchPrinter) printRound(round cook.Round) {
	r, first := w.run, w.rounds == 0
	if r.print.json {
		w.printer.lines.BeginNow()
	}
	w.batch.planned, w.batch.done = 0, 0
	if round.Err != nil {
		r.call.PrintError(round.Err)
		return
	}
	w.rounds++
	w.printRulesError(round.Rules)
	if !first && !r.print.json && !r.print.quiet {
		w.batch.writeBatch(r.call.Stdout, time.Now())
	}
	w.batch = batch{begun: true}
	r.printOldNames(context.Background(), &round.Summary, &w.renames)
	w.renames = setup.Renames{}
	w.printer.printSummary(&round.Summary, r.options.Probe)
	if first && !r.print.quiet {
		fmt.Fprintf(r.call.Stderr, "cook: watching %s; interrupt to end\n", pathname.Show(r.project.Dir))
	}
}

// printRulesError prints an error in the rules once. It also prints a line when the rules are valid
// again.
func (w *watchPrinter) printRulesError(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	switch {
	case text == w.wrong:
	case err != nil:
		w.run.call.PrintError(err)
		w.printNote("the watch continues with the previous rules")
	case !w.run.print.quiet:
		w.printNote("the rules are valid again")
	}
	w.wrong = text
}

func (w *watchPrinter) printNote(text string) {
	if w.run.print.json {
		w.printer.lines.Note(text)
	}
	fmt.Fprintf(w.run.call.Stderr, "cook: %s\n", text)
}

// mostNamed limits the number of changed files that are printed in one round.
const mostNamed = 5

// A batch is an observer that collects the files of a round. It ignores the files of the first
// round, which may be the whole tree.
type batch struct {
	cook.Observers
	begun   bool
	paths   []string
	planned int // number of assets with work in the current round; 0 between rounds
	done    int
}

func (b *batch) Planned(assets int, _ time.Duration) { b.planned, b.done = assets, 0 }

// unfinished describes the round that an interrupt ended. It returns "" between rounds.
func (b *batch) unfinished() string {
	if b.planned == 0 {
		return ""
	}
	return fmt.Sprintf("interrupted; %d of %s finished, the next run cooks the rest", b.done, human.Count(b.planned, "asset"))
}

// Event adds the file of an event.
func (b *batch) Event(e cook.Event) {
	switch e.Outcome {
	case cook.Cooked, cook.Restored, cook.Unchanged, cook.Failed:
		b.done++
	}
	switch e.Outcome {
	case cook.Cooked, cook.Restored, cook.Unchanged, cook.Failed, cook.Removed:
		if b.begun && e.Path != "" {
			b.paths = append(b.paths, e.Path)
		}
	}
}

// writeBatch prints the first mostNamed files.
func (b *batch) writeBatch(w io.Writer, at time.Time) {
	slices.Sort(b.paths)
	paths := slices.Compact(b.paths) // a path can occur several times, once for each target
	if len(paths) == 0 {
		return
	}
	text := report.ShowAll(paths[:min(mostNamed, len(paths))])
	if more := len(paths) - mostNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	fmt.Fprintf(w, "cook: %s %s\n", at.Format(time.TimeOnly), text)
}
