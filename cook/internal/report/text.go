// Package report prints what a run does, for people and for programs: lines, JSON, a
// progress bar, and tables.
package report

import (
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
	Out     io.Writer // what was asked for
	Err     io.Writer // failures, warnings and notes
	Verbose bool      // a line for each asset that was worked on
	Explain bool      // reasons below each line; with Verbose, also for assets that were skipped
	DryRun  bool

	// All is how to see all failures and warnings; with Verbose they are, else by cause.
	All    string
	causes Causes
}

// Done prints how many failures and warnings there were that have not been printed.
func (t *Text) Done() { t.causes.rest() }

// Stage does nothing.
func (t *Text) Stage(string) {}

// Planned does nothing.
func (t *Text) Planned(int, time.Duration) {}

// Note prints a line.
func (t *Text) Note(text string) { fmt.Fprintf(t.Err, "cook: %s\n", oneLine(text)) }

// Event prints failures and warnings, and the rest if it was asked for.
func (t *Text) Event(e cook.Event) {
	name := show(e.Path, e.Target)
	skipped := false
	switch e.Outcome {
	case cook.Started:
		return
	case cook.Failed, cook.Error, cook.Warned:
		if !t.Verbose {
			t.causes.w, t.causes.more = t.Err, t.All
			t.causes.event(&e)
			return
		}
	}
	switch e.Outcome {
	case cook.Failed, cook.Error:
		fmt.Fprintf(t.Err, "cook: %s: %s\n", name, oneLine(e.Err.Error()))
		return
	case cook.Warned:
		fmt.Fprintf(t.Err, "cook: %s: warning: %s\n", name, oneLine(e.Err.Error()))
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
	case t.DryRun:
		word = "would be " + word
	default:
		took = " in " + human.Duration(e.Took)
	}
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
