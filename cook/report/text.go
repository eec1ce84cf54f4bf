package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/run"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Text writes lines for people.
type Text struct {
	Out     io.Writer // what was asked for
	Err     io.Writer // failures and notes
	Verbose bool      // a line for each asset that was worked on
	Explain bool      // the reasons under each; with Verbose for skipped assets too
	DryRun  bool
}

func (t *Text) Stage(string)               {}
func (t *Text) Planned(int, time.Duration) {}

// EveryAsset is true if skipped assets are to be explained.
func (t *Text) EveryAsset() bool { return t.Explain && t.Verbose }

// Note prints a warning.
func (t *Text) Note(text string) { fmt.Fprintf(t.Err, "cook: %s\n", oneLine(text)) }

// Event prints a failure, and the rest as far as it was asked for.
func (t *Text) Event(e run.Event) {
	if e.Started {
		return
	}
	name := pathname.Show(e.Path)
	if e.Target != "" {
		name += " [" + e.Target + "]"
	}
	if e.Outcome == run.Failed {
		fmt.Fprintf(t.Err, "cook: %s: %s\n", name, oneLine(e.Err.Error()))
		return
	}
	if e.Outcome == run.Warned {
		fmt.Fprintf(t.Err, "cook: %s: warning: %s\n", name, oneLine(e.Warning))
		return
	}
	skipped := e.Outcome == run.UpToDate || e.Outcome == run.NotReached
	switch {
	case skipped && !(t.Explain && t.Verbose):
		return
	case !t.Verbose && !t.Explain && !t.DryRun:
		return
	}
	word := string(e.Outcome)
	if t.DryRun && !skipped {
		word = "would be " + word
		if e.Outcome == run.Cutoff {
			word = "would be cut off"
		}
	}
	took := ""
	if !t.DryRun && !skipped && e.Outcome != run.Removed {
		took = " in " + Duration(e.Took)
	}
	if e.Outcome == run.Removed {
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

// longestText is how much of one message is printed, in bytes. What programs
// print comes near it; what a hostile file has in it might go far beyond.
const longestText = 64 << 10

// oneLine joins a text's lines, so that one failure is one line, a grep finds
// all of it, and no name with a line end in it can pose as another message.
// What a program printed stays below.
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
