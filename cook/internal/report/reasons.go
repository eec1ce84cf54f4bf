package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Reasons is an observer of a dry run that prints a line for each asset: its next outcome and the
// reason. Its Text prints the rest.
type Reasons struct {
	Text
	Out io.Writer
}

// Event prints a line.
func (r *Reasons) Event(e cook.Event) {
	word := "would be " + string(e.Outcome)
	switch e.Outcome {
	case cook.Started:
		return
	case cook.Error, cook.Warned:
		r.Text.Event(e)
		return
	case cook.Failed:
		word = "would fail"
	case cook.UpToDate:
		word = "up to date"
	case cook.NotShipped:
		word = "would not be shipped"
	case cook.NotReached:
		word = "not reached"
	}
	var why []string
	for _, reason := range e.Reasons {
		why = append(why, reason.String())
	}
	if e.Err != nil {
		why = []string{pathname.Escape(e.Err.Error())}
	}
	name := show(e.Path, e.Target)
	if e.Outcome == cook.Removed {
		name, why = ShowAll(e.Outputs), append(why, "of "+name)
	}
	fmt.Fprintf(r.Out, "%s: %s: %s\n", name, word, strings.Join(why, "; "))
}
