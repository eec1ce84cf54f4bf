package report

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/assetcook/assetcook/cook"
)

// JSON is an observer that writes one object a line. Characters that do not print are
// escaped, so that the lines cannot control a terminal that shows them.
//
// Records of assets that need no work are held back until there are many of them or
// another record comes; Flush writes them.
type JSON struct {
	w   *bufio.Writer
	enc *json.Encoder
	buf []byte
}

// NewJSON returns an observer that writes to w.
func NewJSON(w io.Writer) *JSON {
	j := &JSON{w: bufio.NewWriterSize(w, 64<<10)}
	j.enc = json.NewEncoder(&printable{w: j.w})
	j.enc.SetEscapeHTML(false)
	return j
}

// Flush writes what was held back.
func (j *JSON) Flush() { j.w.Flush() }

func (j *JSON) encode(r Record) {
	j.enc.Encode(r)
	j.w.Flush()
}

// Record is one line of the JSON output.
type Record struct {
	// Event is an outcome with spaces as underscores ("started", "up_to_date",
	// "unchanged", "restored", "cooked", "failed", "removed", "not_reached", "error", or
	// "warned" with the warning as Text), "note" or "summary"; of a verification also
	// "difference" and "verified".
	Event string `json:"event"`
	Path  string `json:"path,omitempty"`
	// PathBase64 has the path's bytes if they are not UTF-8; Path then has
	// U+FFFD where they cannot be shown.
	PathBase64 string         `json:"path_base64,omitempty"`
	Target     string         `json:"target,omitempty"`
	Recipe     string         `json:"recipe,omitempty"`
	Outputs    []string       `json:"outputs,omitempty"`
	Reasons    []cook.Reason  `json:"reasons,omitempty"`
	In         int64          `json:"bytes_in,omitempty"`
	Out        int64          `json:"bytes_out,omitempty"`
	Took       time.Duration  `json:"ns,omitempty"`
	CookTime   time.Duration  `json:"cook_ns,omitempty"`
	Error      string         `json:"error,omitempty"`
	Text       string         `json:"text,omitempty"`
	Summary    *cook.Summary  `json:"summary,omitempty"`
	Finding    *cook.Finding  `json:"finding,omitempty"`
	Verified   *cook.Verified `json:"verified,omitempty"`
}

// Stage writes what was held back.
func (j *JSON) Stage(string) { j.w.Flush() }

// Planned does nothing.
func (j *JSON) Planned(int, time.Duration) {}

// Note writes a record of its own.
func (j *JSON) Note(text string) { j.encode(Record{Event: "note", Text: text}) }

// Event writes a record.
func (j *JSON) Event(e cook.Event) {
	rec := Record{
		Event: strings.ReplaceAll(string(e.Outcome), " ", "_"),
		Path:  e.Path, PathBase64: unlessUTF8(e.Path), Target: e.Target, Recipe: e.Recipe,
		Outputs: e.Outputs, Reasons: e.Reasons, In: e.In, Out: e.Out, Took: e.Took, CookTime: e.CookTime,
	}
	switch {
	case e.Err == nil:
	case e.Outcome == cook.Warned:
		rec.Text = e.Err.Error()
	default:
		rec.Error = e.Err.Error()
	}
	if b, ok := rec.appendPlain(j.buf[:0]); ok {
		j.buf = b
		j.w.Write(append(b, '\n'))
	} else {
		j.enc.Encode(rec)
	}
	if e.Outcome != cook.UpToDate {
		j.w.Flush()
	}
}

// appendPlain appends the record as package json would encode it, in a fraction of the
// time. It is for the many records of assets that need no work, and reports false for
// others: those with texts to escape, or with fields that few records have.
func (r *Record) appendPlain(b []byte) (_ []byte, ok bool) {
	if r.PathBase64 != "" || r.Error != "" || r.Text != "" || r.Summary != nil || r.Finding != nil || r.Verified != nil {
		return b, false
	}
	ok = true
	quote := func(text string) {
		for i := range len(text) {
			if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
				ok = false
			}
		}
		b = append(append(append(b, '"'), text...), '"')
	}
	text := func(key, value string) {
		if value != "" {
			b = append(append(append(b, ',', '"'), key...), '"', ':')
			quote(value)
		}
	}
	number := func(key string, value int64) {
		if value != 0 {
			b = append(append(append(b, ',', '"'), key...), '"', ':')
			b = strconv.AppendInt(b, value, 10)
		}
	}
	b = append(b, `{"event":`...)
	quote(r.Event)
	text("path", r.Path)
	text("target", r.Target)
	text("recipe", r.Recipe)
	for i, out := range r.Outputs {
		b = append(b, [...]string{`,"outputs":[`, `,`}[min(i, 1)]...)
		quote(out)
	}
	if len(r.Outputs) > 0 {
		b = append(b, ']')
	}
	for i, reason := range r.Reasons {
		b = append(b, [...]string{`,"reasons":[{"kind":`, `,{"kind":`}[min(i, 1)]...)
		quote(reason.Kind)
		text("subject", reason.Subject)
		text("old", reason.Old)
		text("new", reason.New)
		b = append(b, '}')
	}
	if len(r.Reasons) > 0 {
		b = append(b, ']')
	}
	number("bytes_in", r.In)
	number("bytes_out", r.Out)
	number("ns", int64(r.Took))
	number("cook_ns", int64(r.CookTime))
	return append(b, '}'), ok
}

// Summary writes the last record of a run.
func (j *JSON) Summary(s *cook.Summary) { j.encode(Record{Event: "summary", Summary: s}) }

// unlessUTF8 encodes a path that JSON cannot hold, and returns "" for others.
func unlessUTF8(path string) string {
	if utf8.ValidString(path) {
		return ""
	}
	return base64.StdEncoding.EncodeToString([]byte(path))
}

// printable writes JSON and escapes what package json does not escape though it does not
// print: DEL, the C1 control characters, marks that change the direction of writing.
// JSON has such characters in strings only.
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
