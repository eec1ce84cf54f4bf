package report

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/run"
)

// JSON writes one object a line. What does not print is written as an escape,
// so that a terminal that shows the lines obeys nothing in them.
type JSON struct{ enc *json.Encoder }

// NewJSON returns an observer that writes to w.
func NewJSON(w io.Writer) *JSON {
	enc := json.NewEncoder(&printable{w: w})
	enc.SetEscapeHTML(false)
	return &JSON{enc}
}

// Record is one line of the JSON output.
type Record struct {
	// Event is "started", an outcome with spaces as underscores ("up_to_date",
	// "cutoff", "restored", "cooked", "failed", "removed", "not_reached"),
	// "warned" with what is odd as Text, "note" or "summary"; when verifying also "difference" and "verified".
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
	Finding    *Finding      `json:"finding,omitempty"`
	Verified   *Verified     `json:"verified,omitempty"`
}

func (j *JSON) Stage(string)               {}
func (j *JSON) Planned(int, time.Duration) {}

// EveryAsset is true: each asset has a record.
func (j *JSON) EveryAsset() bool { return true }

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
	rec.Text = e.Warning
	if e.Err != nil {
		rec.Error = e.Err.Error()
	}
	j.enc.Encode(rec)
}

// Summary writes the last record.
func (j *JSON) Summary(s *Summary) { j.enc.Encode(Record{Event: "summary", Summary: s}) }

// printable writes JSON and replaces what package json leaves as it is though it
// does not print: DEL, the second set of control characters, marks that turn
// the direction of writing. In JSON such can stand in strings only.
type printable struct {
	w   io.Writer
	buf []byte
}

func (p *printable) Write(b []byte) (int, error) {
	p.buf = p.buf[:0]
	done := 0 // bytes of b that are in buf
	for i := 0; i < len(b); {
		r, n := rune(b[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(b[i:])
		}
		if r >= 0x7f && !unicode.IsPrint(r) {
			p.buf = append(p.buf, b[done:i]...)
			if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
				p.buf = fmt.Appendf(p.buf, `\u%04x\u%04x`, high, low)
			} else {
				p.buf = fmt.Appendf(p.buf, `\u%04x`, r)
			}
			done = i + n
		}
		i += n
	}
	if done == 0 {
		return p.w.Write(b)
	}
	if _, err := p.w.Write(append(p.buf, b[done:]...)); err != nil {
		return 0, err
	}
	return len(b), nil
}
