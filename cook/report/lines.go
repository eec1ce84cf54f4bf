package report

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/run"
	"github.com/assetcook/assetcook/internal/pathname"
)

// An Observer follows a run. Its methods are called by one goroutine at a time.
type Observer interface {
	// Stage names what the run is at: "scan", "checksum", "cook", "save".
	Stage(name string)
	// Planned says how many assets have work to do and how long that took, or
	// is thought to take, when done one after the other.
	Planned(assets int, expected time.Duration)
	// Event is called for everything that happens to an asset.
	Event(run.Event)
	// Note takes one line about something that is no asset's failure.
	Note(text string)
}

// Multi hands everything to several observers.
type Multi []Observer

func (m Multi) Stage(name string) {
	for _, o := range m {
		o.Stage(name)
	}
}

func (m Multi) Planned(assets int, expected time.Duration) {
	for _, o := range m {
		o.Planned(assets, expected)
	}
}

func (m Multi) Event(e run.Event) {
	for _, o := range m {
		o.Event(e)
	}
}

func (m Multi) Note(text string) {
	for _, o := range m {
		o.Note(text)
	}
}

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

// Note prints a warning.
func (t *Text) Note(text string) { fmt.Fprintf(t.Err, "cook: %s\n", pathname.Escape(text)) }

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
		fmt.Fprintf(t.Err, "cook: %s: %s\n", name, oneLine(e.Err))
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

// oneLine joins an error's lines, so that one failure is one line and a grep
// finds all of it. What a program printed stays below.
func oneLine(err error) string {
	lines := strings.Split(strings.TrimRight(pathname.Escape(err.Error()), "\n"), "\n")
	return strings.Join(lines, "\n  | ")
}

func showAll(names []string) string {
	shown := make([]string, len(names))
	for i, n := range names {
		shown[i] = pathname.Show(n)
	}
	return strings.Join(shown, ", ")
}

// JSON writes one object a line.
type JSON struct{ enc *json.Encoder }

// NewJSON returns an observer that writes to w.
func NewJSON(w io.Writer) *JSON {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &JSON{enc}
}

// Record is one line of the JSON output.
type Record struct {
	// Event is "started", an outcome with spaces as underscores ("up_to_date",
	// "cutoff", "restored", "cooked", "failed", "removed", "not_reached"),
	// "note" or "summary".
	Event string `json:"event"`
	Path  string `json:"path,omitempty"`
	// PathBase64 has the path's bytes if they are not UTF-8; Path then has
	// U+FFFD where they cannot be shown.
	PathBase64 string        `json:"path_base64,omitempty"`
	Target     string        `json:"target,omitempty"`
	Recipe     string        `json:"recipe,omitempty"`
	Outputs    []string      `json:"outputs,omitempty"`
	Reasons    []plan.Reason `json:"reasons,omitempty"`
	In         int64         `json:"bytes_in,omitempty"`
	Out        int64         `json:"bytes_out,omitempty"`
	Took       time.Duration `json:"ns,omitempty"`
	CookTime   time.Duration `json:"cook_ns,omitempty"`
	Error      string        `json:"error,omitempty"`
	Text       string        `json:"text,omitempty"`
	Summary    *Summary      `json:"summary,omitempty"`
}

func (j *JSON) Stage(string)               {}
func (j *JSON) Planned(int, time.Duration) {}

// Note writes a record of its own.
func (j *JSON) Note(text string) { j.enc.Encode(Record{Event: "note", Text: text}) }

// Event writes a record.
func (j *JSON) Event(e run.Event) {
	rec := Record{
		Event: strings.ReplaceAll(string(e.Outcome), " ", "_"),
		Path:  e.Path, Target: e.Target, Outputs: e.Outputs, Reasons: e.Reasons,
		In: e.In, Out: e.Out, Took: e.Took, CookTime: e.CookTime,
	}
	if e.Started {
		rec.Event = "started"
	}
	if !utf8.ValidString(e.Path) {
		rec.PathBase64 = base64.StdEncoding.EncodeToString([]byte(e.Path))
	}
	if e.Action != nil && e.Action.Method != nil {
		rec.Recipe = e.Action.Method.Recipe.Name
	}
	if e.Err != nil {
		rec.Error = e.Err.Error()
	}
	j.enc.Encode(rec)
}

// Summary writes the last record.
func (j *JSON) Summary(s *Summary) { j.enc.Encode(Record{Event: "summary", Summary: s}) }
