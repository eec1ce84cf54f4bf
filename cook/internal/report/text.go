// Package report presents runs to people and programs: as lines, as JSON, as a progress bar, and as
// tables.
package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/watch"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Text is an observer that prints readable lines.
type Text struct {
	Out   io.Writer      // output of the command
	Err   io.Writer      // failures, warnings and notes
	Dir   string         // the asset directory, relative to the working directory
	Style frontend.Style // style of the output to Err

	Verbose bool // print a line for each asset that needs work
	Explain bool // print the reasons below each line; with Verbose, also for skipped assets
	DryRun  bool

	// Keep saves all failures and warnings if some of them were not printed. It returns the name of
	// the file. If Keep is nil, they are not saved.
	Keep   func(all []byte) (where string, err error)
	causes Causes
	found  Causes
	all    bytes.Buffer
	recap  recap
}

// mostKept limits the failures and warnings that are saved, in bytes.
const mostKept = 64 << 20

// Done prints the number of failures and warnings that were not printed.
func (t *Text) Done() {
	hidden := t.causes.hidden() || t.found.hidden()
	t.causes.printCounts(t.printDiagnostic)
	t.found.printCounts(t.printFound)
	if !hidden {
		return
	}
	line := "-v prints all"
	if t.Keep != nil {
		where, err := t.Keep(t.all.Bytes())
		if err != nil {
			line = fmt.Sprintf("-v prints all; the list could not be saved: %v", err)
		} else if where != "" {
			line = fmt.Sprintf("all are in %s; -v prints them", pathname.Show(where))
		}
	}
	fmt.Fprintf(t.Err, "cook: %s\n", line)
}

// printDiagnostic prints a failure or a warning.
func (t *Text) printDiagnostic(d *frontend.Diagnostic) { fmt.Fprint(t.Err, t.Style.Format(d)) }

// printFound prints a difference to the output of the command.
func (t *Text) printFound(d *frontend.Diagnostic) { fmt.Fprint(t.Out, d) }

// problem prints a failure or a warning, or only counts it.
func (t *Text) problem(e *cook.Event) {
	d := diagnose(t.Dir, e)
	t.recap.recapDiagnostic(&d)
	t.printOrKeep(&t.causes, e.Path, &d, t.printDiagnostic)
}

// printOrKeep prints a diagnostic, or only counts it.
func (t *Text) printOrKeep(causes *Causes, asset string, d *frontend.Diagnostic, print func(*frontend.Diagnostic)) {
	if t.Verbose {
		print(d)
		return
	}
	if line := d.String(); t.all.Len()+len(line) < mostKept {
		t.all.WriteString(line)
	}
	causes.printOrCount(asset, d, print)
}

// Stage, Planned, Step and Reading implement cook.Observer. They do nothing.
func (t *Text) Stage(string)               {}
func (t *Text) Planned(int, time.Duration) {}
func (t *Text) Step(_, _, _ string)        {}
func (t *Text) Reading(_, _ int, _ int64)  {}

// Note prints a note as a line.
func (t *Text) Note(text string) {
	if rest, ok := strings.CutPrefix(text, "warning: "); ok {
		t.printDiagnostic(&frontend.Diagnostic{Program: program, Severity: frontend.Warning, Text: rest})
		return
	}
	fmt.Fprintf(t.Err, "cook: %s\n", frontend.Indented(text))
}

// Event prints failures and warnings. It prints other outcomes if the options request it.
func (t *Text) Event(e cook.Event) {
	name := nameAsset(e.Path, e.Target)
	skipped := false
	switch e.Outcome {
	case cook.Started:
		return
	case cook.Failed, cook.Error, cook.Warned:
		t.problem(&e)
		return
	case cook.UpToDate, cook.NotReached:
		skipped = true
	}
	if skipped && !(t.Explain && t.Verbose) || !t.Verbose && !t.Explain && !t.DryRun {
		return
	}
	word, took := string(e.Outcome), ""
	switch {
	case skipped:
	case t.DryRun && e.Outcome == cook.NotShipped:
		word = "would not be shipped"
	case t.DryRun:
		word = "would be " + word
	default:
		took = " in " + human.Duration(e.Took)
	}
	t.recap.lines++
	if e.Outcome == cook.Removed {
		fmt.Fprintf(t.Out, "%s: %s (of %s)\n", word, ShowAll(e.Outputs), name)
		return
	}
	fmt.Fprintf(t.Out, "%s: %s%s\n", word, name, took)
	if t.Explain || t.DryRun {
		for _, r := range e.Reasons {
			fmt.Fprintf(t.Out, "  because: %s\n", r)
		}
		if e.Origin != nil {
			fmt.Fprintf(t.Out, "  from: %s\n", remote.Describe(*e.Origin, e.CookTime))
		}
	}
}

// nameAsset returns the name of an asset for messages.
func nameAsset(path, target string) string {
	if target == "" {
		return pathname.Show(path)
	}
	return pathname.Show(path) + " [" + target + "]"
}

// ShowAll formats a list of names for a message.
func ShowAll(names []string) string {
	shown := make([]string, len(names))
	for i, n := range names {
		shown[i] = pathname.Show(n)
	}
	return strings.Join(shown, ", ")
}

// Rounds is an observer for a watcher. Each round gets a new observer, so that no progress is shown
// between rounds. If every round repeats a note or a failure, it is passed on only once.
type Rounds struct {
	begin func() (o cook.Observer, done func())

	mu        sync.Mutex
	now       cook.Observer // nil between rounds
	done      func()
	last, new map[string]bool // notes and failures of the last round and of this round
}

// NewRounds returns a Rounds. begin must return the observer of one round, and a function that ends
// the round.
func NewRounds(begin func() (o cook.Observer, done func())) *Rounds { return &Rounds{begin: begin} }

// runningRound returns the observer of the round, and begins a round if necessary. The caller must
// hold mu.
func (r *Rounds) runningRound() cook.Observer {
	if r.now == nil {
		r.now, r.done = r.begin()
		r.new = map[string]bool{}
	}
	return r.now
}

// Stage ends the round at watch.StageWait.
func (r *Rounds) Stage(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if name != watch.StageWait {
		r.runningRound().Stage(name)
		return
	}
	if r.now != nil {
		r.done()
		r.now, r.last = nil, r.new
	}
}

// Planned passes the call on to the observer of the round.
func (r *Rounds) Planned(assets int, expected time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runningRound().Planned(assets, expected)
}

// Event passes an event on, unless the last round had the same failure.
func (r *Rounds) Event(e cook.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.runningRound()
	if e.Outcome != cook.Failed && e.Outcome != cook.Error {
		o.Event(e)
		return
	}
	failure := fmt.Sprintf("%q %q %v", e.Path, e.Target, e.Err)
	if !r.last[failure] {
		o.Event(e)
	}
	r.new[failure] = true
}

// Step passes the call on to the observer of the round.
func (r *Rounds) Step(path, target, step string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runningRound().Step(path, target, step)
}

// Reading passes the call on to the observer of the round.
func (r *Rounds) Reading(files, of int, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runningRound().Reading(files, of, bytes)
}

// Note passes a note on, unless this round or the last round had the same note.
func (r *Rounds) Note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.runningRound()
	if !r.last[text] && !r.new[text] {
		o.Note(text)
	}
	r.new[text] = true
}
