// Package report prints what a run does, for people and for programs: lines, JSON, a
// progress bar, and tables.
package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Text is an observer that prints lines for people.
type Text struct {
	Out   io.Writer // what was asked for
	Err   io.Writer // failures, warnings and notes
	Dir   string    // the asset folder, from the working directory
	Style Style     // of Err

	Verbose bool // a line for each asset that was worked on
	Explain bool // reasons below each line; with Verbose, also for assets that were skipped
	DryRun  bool

	// Keep is given all failures and warnings if they were printed by cause only, which
	// they are unless Verbose, and returns where they can be read; nil for nowhere.
	Keep   func(all []byte) (where string, err error)
	causes Causes
	found  Causes       // differences
	all    bytes.Buffer // failures and warnings
	recap
}

// mostKept is how many bytes of failures and warnings are kept.
const mostKept = 64 << 20

// Done prints how many failures and warnings there were that have not been printed.
func (t *Text) Done() {
	hidden := t.causes.hidden() || t.found.hidden()
	t.causes.rest(t.print)
	t.found.rest(t.printFound)
	if !hidden {
		return
	}
	line := "-v prints all"
	if t.Keep != nil {
		where, err := t.Keep(t.all.Bytes())
		if err != nil {
			line = fmt.Sprintf("-v prints all; they could not be kept: %v", err)
		} else if where != "" {
			line = fmt.Sprintf("all are in %s; -v prints them", pathname.Show(where))
		}
	}
	fmt.Fprintf(t.Err, "cook: %s\n", line)
}

// print prints a failure or a warning.
func (t *Text) print(d *Diagnostic) { fmt.Fprint(t.Err, t.Style.format(d)) }

// printFound prints a difference, which is what was asked for.
func (t *Text) printFound(d *Diagnostic) { fmt.Fprint(t.Out, d) }

// problem prints a failure or a warning, or counts it.
func (t *Text) problem(e *cook.Event) {
	d := diagnose(t.Dir, e)
	t.recap.recapDiagnostic(&d)
	t.show(&t.causes, e.Path, &d, t.print)
}

// show prints a diagnostic about an asset, or counts it.
func (t *Text) show(causes *Causes, asset string, d *Diagnostic, print func(*Diagnostic)) {
	if t.Verbose {
		print(d)
		return
	}
	if line := d.String(); t.all.Len()+len(line) < mostKept {
		t.all.WriteString(line)
	}
	causes.event(asset, d, print)
}

// Stage does nothing.
func (t *Text) Stage(string) {}

// Planned does nothing.
func (t *Text) Planned(int, time.Duration) {}

// Step does nothing.
func (t *Text) Step(_, _, _ string) {}

// Reading does nothing.
func (t *Text) Reading(_, _ int, _ int64) {}

// Note prints a line.
func (t *Text) Note(text string) {
	if rest, ok := strings.CutPrefix(text, "warning: "); ok {
		t.print(&Diagnostic{Severity: Warning, Text: rest})
		return
	}
	fmt.Fprintf(t.Err, "cook: %s\n", oneLine(text))
}

// Event prints failures and warnings, and the rest if it was asked for.
func (t *Text) Event(e cook.Event) {
	name := show(e.Path, e.Target)
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
		fmt.Fprintf(t.Out, "%s: %s (of %s)\n", word, showAll(e.Outputs), name)
		return
	}
	fmt.Fprintf(t.Out, "%s: %s%s\n", word, name, took)
	if t.Explain || t.DryRun {
		for _, r := range e.Reasons {
			fmt.Fprintf(t.Out, "  because: %s\n", r)
		}
	}
}

// show names an asset.
func show(path, target string) string {
	if target == "" {
		return pathname.Show(path)
	}
	return pathname.Show(path) + " [" + target + "]"
}

// longestText is how much of one message is printed, in bytes: more than programs
// usually print, less than a hostile file can hold.
const longestText = 64 << 10

// oneLine indents all but the first line of a text, so that a failure begins with one
// line, and no line of it can pose as another message.
func oneLine(text string) string {
	if more := len(text) - longestText; more > 0 {
		text = fmt.Sprintf("%s... (%d bytes more)", text[:longestText], more)
	}
	lines := strings.Split(strings.TrimRight(pathname.Escape(text), "\n"), "\n")
	return strings.Join(lines, "\n  | ")
}

func showAll(names []string) string {
	shown := make([]string, len(names))
	for i, n := range names {
		shown[i] = pathname.Show(n)
	}
	return strings.Join(shown, ", ")
}
