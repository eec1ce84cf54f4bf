package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// idDigits is the number of digits that are printed of a blob ID.
const idDigits = 12

// WriteExplanation prints everything that determines the result of an asset. It prints options with
// default values only if verbose is set.
func WriteExplanation(w io.Writer, e *cook.Explanation, verbose bool) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s", nameAsset(e.Path, e.Target))
	if e.ID != "" {
		line("  id:       %s", e.ID)
	}
	switch {
	case e.Err != nil:
		line("  now:      fails: %s", frontend.Indented(e.Err.Error()))
	case e.Runs:
		line("  now:      has work to do")
	default:
		line("  now:      up to date")
	}
	for _, r := range e.Reasons {
		line("    because %s", r)
	}
	explainLast(line, e.Last)
	for _, text := range e.Makes {
		line("  makes:    %s", frontend.Indented(text))
	}
	for _, text := range e.Warnings {
		line("  warning:  %s", frontend.Indented(text))
	}
	defaults := 0
	for _, o := range e.Options {
		of, then := strings.CutPrefix(o.Key, "recipe of ")
		switch {
		case then:
			line("  then:     %s of %s (%s)", o.Value, of, o.From)
		case o.Key == "recipe":
			line("  recipe:   %s (%s)", o.Value, o.From)
		case o.From == "default" && !verbose:
			defaults++
		default:
			line("    %s = %s (%s)", o.Key, o.Value, o.From)
		}
	}
	if defaults > 0 {
		line("    and %s by default", human.Count(defaults, "option"))
	}
	for _, rule := range e.Rules {
		line("  rule:     %s", rule)
	}
	for _, text := range e.Overruled {
		line("  dropped:  %s", frontend.Indented(text))
	}
	line("  inputs:")
	for i := range e.Inputs {
		line("    %s", inputLine(&e.Inputs[i]))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Explained is the JSON form of an explanation.
type Explained struct {
	Event      string         `json:"event"` // always "explanation"
	Path       string         `json:"path"`
	PathBase64 string         `json:"path_base64,omitempty"`
	Target     string         `json:"target,omitempty"`
	ID         string         `json:"id,omitempty"` // "" unless the project has IDs
	Runs       bool           `json:"runs"`
	Reasons    []cook.Reason  `json:"reasons,omitempty"`
	Error      string         `json:"error,omitempty"`
	Makes      []string       `json:"makes,omitempty"`
	Warnings   []string       `json:"warnings,omitempty"`
	Choices    Choices        `json:"choices"`
	Inputs     []cook.Input   `json:"inputs"`
	Last       *cook.LastTime `json:"last,omitempty"`
}

// Choices are the settings that rules choose. Dropped has the settings without effect. The last
// rule has the highest precedence.
type Choices struct {
	Options []cook.Option `json:"options,omitempty"`
	Rules   []string      `json:"rules,omitempty"`
	Dropped []string      `json:"dropped,omitempty"`
}

// Explanation writes everything that determines the result of an asset.
func (j *JSON) Explanation(e *cook.Explanation) {
	x := Explained{
		Event: "explanation", Path: e.Path, PathBase64: UnlessUTF8(e.Path), Target: e.Target, ID: e.ID, Runs: e.Runs, Reasons: e.Reasons,
		Makes: e.Makes, Warnings: e.Warnings, Choices: Choices{e.Options, e.Rules, e.Overruled}, Inputs: e.Inputs, Last: e.Last,
	}
	if e.Err != nil {
		x.Error = e.Err.Error()
	}
	j.enc.Encode(x)
	j.w.Flush()
}

func explainLast(line func(string, ...any), last *cook.LastTime) {
	if last == nil {
		line("  last:     never cooked")
		return
	}
	line("  last:     %s on %s, cooking took %s", last.Outcome, last.At.UTC().Format("2006-01-02 15:04:05 UTC"), human.Duration(last.CookTime))
	for _, why := range last.Reasons {
		line("    because %s", why)
	}
	if o := last.Origin; o != nil {
		line("    from %s", remote.Describe(store.Origin(*o), last.CookTime))
	}
	for _, o := range last.Outputs {
		line("  output:   %s %s (%s, %s)", shortDigest(o.Blob), pathname.Show(o.Path), human.Bytes(o.Size), o.State)
	}
}

// inputLine returns a line with the path and the content of an input. If the content differs from
// the last run, the line also has the old content.
func inputLine(in *cook.Input) string {
	now := in.Now
	if in.Err {
		now = "unreadable"
	} else if now == "" {
		now = "absent"
	}
	s := fmt.Sprintf("%-*s %s", idDigits, shortDigest(now), pathname.Show(in.Path))
	if in.Program {
		s += " (program)"
	}
	if in.Was == "" || in.Was == now {
		return s
	}
	return s + " (was " + shortDigest(in.Was) + ")"
}

func shortDigest(id string) string { return id[:min(idDigits, len(id))] }

// Reasons is an observer for a dry run. It prints a line for each asset, with the predicted outcome
// and the reason. Its Text prints everything else.
type Reasons struct {
	Text
	Out   io.Writer
	Facts ImageFacts
}

// ImageFacts are the facts about images by path and target.
type ImageFacts map[[2]string]ImageFact

// An ImageFact holds the decisions that a recipe made about an image. Unknown fields are empty.
type ImageFact struct {
	Role     string `json:"role,omitempty"`
	Evidence string `json:"evidence,omitempty"`
	Format   string `json:"format,omitempty"`
	Mips     int    `json:"mips,omitempty"`
}

// describeImage returns the facts about an image as part of a sentence.
func (f ImageFact) describeImage() string {
	var parts []string
	switch {
	case f.Role != "":
		parts = append(parts, fmt.Sprintf("%s (%s)", f.Role, f.Evidence))
	case f.Evidence != "":
		parts = append(parts, f.Evidence)
	}
	return strings.Join(append(parts, f.Format), ", ")
}

// Event prints a line about an asset.
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
	if f, ok := r.Facts[[2]string{e.Path, e.Target}]; ok && e.Outcome != cook.Removed {
		why = append(why, pathname.Escape(f.describeImage()))
	}
	name := nameAsset(e.Path, e.Target)
	if e.Outcome == cook.Removed {
		name, why = ShowAll(e.Outputs), append(why, "of "+name)
	}
	fmt.Fprintf(r.Out, "%s: %s: %s\n", name, word, strings.Join(why, "; "))
}
