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
	"github.com/assetcook/assetcook/profile"
)

// JSON is an observer that writes one JSON object per line. It escapes unprintable characters, so
// that the lines cannot control a terminal.
//
// Records of assets without work stay in a buffer until the buffer is full or another kind of
// record follows. Flush writes them.
type JSON struct {
	cook.Observers

	DryRun bool       // if set, outcomes are predictions
	Facts  ImageFacts // facts about images; used in dry runs
	Dir    string     // the asset directory, relative to the working directory

	w     *bufio.Writer
	enc   *json.Encoder
	owing bool // set until the record "begin" is written
}

// recordVersion is the version of the records. Increment it if a record loses a field or a field
// changes its meaning, but not for a new field.
const recordVersion = 1

// NewJSON returns an observer that writes to w.
func NewJSON(w io.Writer) *JSON {
	j := &JSON{w: bufio.NewWriterSize(w, 64<<10)}
	j.enc = json.NewEncoder(&printable{w: j.w})
	j.enc.SetEscapeHTML(false)
	return j
}

// Line writes a record of another type. It may stay in the buffer.
func (j *JSON) Line(record any) error {
	j.BeginNow()
	return j.enc.Encode(record)
}

// Flush writes the buffered records to the writer.
func (j *JSON) Flush() { j.w.Flush() }

func (j *JSON) writeJSONRecord(r Record) {
	j.BeginNow()
	j.enc.Encode(r)
	j.w.Flush()
}

// Record is one line of the JSON output.
type Record struct {
	// Event is an outcome with underscores for spaces ("started", "up_to_date", "unchanged",
	// "restored", "cooked", "not_shipped", "failed", "removed", "not_reached", "error", or "warned"
	// with the warning as Text), "note" or "summary". A verification also has "difference" and
	// "verified". The first record is "begin". Dry runs write "would_cook" instead of "cooked", and
	// so on.
	Event    string `json:"event"`
	Version  int    `json:"version,omitempty"`  // used in the record "begin" only
	Severity string `json:"severity,omitempty"` // "error" or "warning"
	Path     string `json:"path,omitempty"`
	// PathBase64 has the bytes of a path that is not valid UTF-8. In Path, U+FFFD replaces the
	// invalid bytes.
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
	File       string         `json:"file,omitempty"` // source or rule file of an error, relative to the working directory
	Line       int            `json:"line,omitempty"`
	Column     int            `json:"column,omitempty"`
	Text       string         `json:"text,omitempty"`
	Summary    *cook.Summary  `json:"summary,omitempty"`
	Finding    *cook.Finding  `json:"finding,omitempty"`
	Verified   *cook.Verified `json:"verified,omitempty"`
	Image      *ImageFact     `json:"image,omitempty"`
	Origin     *cook.Origin   `json:"origin,omitempty"`
}

// Begin announces a run. The record "begin" is written before the next record.
func (j *JSON) Begin() { j.owing = true }

// BeginNow writes the record "begin" that Begin has announced, unless it is already written.
func (j *JSON) BeginNow() {
	if j.owing {
		j.owing = false
		j.writeJSONRecord(Record{Event: "begin", Version: recordVersion})
	}
}

// Wrong writes a record for an error that prevents a run, with the position of the error in the
// configuration. file is "" if there is no position.
func (j *JSON) Wrong(file string, line, column int, text string) {
	j.writeJSONRecord(Record{Event: "error", Severity: "error", File: file, Line: line, Column: column, Error: text})
}

// Stage writes the buffered records.
func (j *JSON) Stage(string) { j.w.Flush() }

// Note writes a record for a note.
func (j *JSON) Note(text string) { j.writeJSONRecord(Record{Event: "note", Text: text}) }

// Event writes an event as a record.
func (j *JSON) Event(e cook.Event) {
	j.BeginNow()
	if b, ok := appendPlain(j.w.AvailableBuffer(), &e); ok && !j.DryRun {
		j.w.Write(b)
	} else {
		rec := j.eventRecord(&e)
		if f, ok := j.Facts[[2]string{e.Path, e.Target}]; ok {
			rec.Image = &f
		}
		if would := wouldBe[e.Outcome]; j.DryRun && would != "" {
			rec.Event = would
		}
		j.enc.Encode(rec)
	}
	if e.Outcome != cook.UpToDate {
		j.w.Flush()
	}
}

// wouldBe maps outcomes to the names of their predictions.
var wouldBe = map[cook.Outcome]string{
	cook.Cooked: "would_cook", cook.Restored: "would_restore", cook.Unchanged: "would_cook", cook.Failed: "would_fail", cook.Removed: "would_remove",
	cook.NotShipped: "would_not_ship",
}

// eventName returns the name of an outcome in records.
func eventName(o cook.Outcome) string {
	if o == cook.UpToDate {
		return "up_to_date" // the constant avoids an allocation
	}
	return strings.ReplaceAll(string(o), " ", "_")
}

func (j *JSON) eventRecord(e *cook.Event) Record {
	rec := Record{
		Event: eventName(e.Outcome),
		Path:  e.Path, PathBase64: UnlessUTF8(e.Path), Target: e.Target, Recipe: e.Recipe,
		Outputs: e.Outputs, Reasons: e.Reasons, In: e.In, Out: e.Out, Took: e.Took, CookTime: e.CookTime, Origin: e.Origin,
	}
	if e.Err == nil {
		return rec
	}
	d := diagnose(j.Dir, e)
	rec.Severity, rec.File, rec.Line, rec.Column = string(d.Severity), d.File, d.Line, d.Column
	if e.Outcome == cook.Warned {
		rec.Text = e.Err.Error()
	} else {
		rec.Error = e.Err.Error()
	}
	return rec
}

// appendPlain appends the line of an event as package json does, but much faster. It returns false
// for events with errors or with text that needs escapes.
func appendPlain(b []byte, e *cook.Event) (_ []byte, ok bool) {
	l := line{b: b}
	l.appendQuotedField(`{"event":"`, eventName(e.Outcome))
	l.appendTextField(`,"path":"`, e.Path)
	l.appendTextField(`,"target":"`, e.Target)
	l.appendTextField(`,"recipe":"`, e.Recipe)
	for i, out := range e.Outputs {
		l.appendQuotedField([...]string{`,"outputs":["`, `,"`}[min(i, 1)], out)
	}
	if len(e.Outputs) > 0 {
		l.b = append(l.b, ']')
	}
	for i := range e.Reasons {
		reason := &e.Reasons[i]
		l.appendQuotedField([...]string{`,"reasons":[{"kind":"`, `,{"kind":"`}[min(i, 1)], string(reason.Kind))
		l.appendTextField(`,"subject":"`, reason.Subject)
		l.appendTextField(`,"old":"`, reason.Old)
		l.appendTextField(`,"new":"`, reason.New)
		l.b = append(l.b, '}')
	}
	if len(e.Reasons) > 0 {
		l.b = append(l.b, ']')
	}
	l.appendNumberField(`,"bytes_in":`, e.In)
	l.appendNumberField(`,"bytes_out":`, e.Out)
	l.appendNumberField(`,"ns":`, int64(e.Took))
	l.appendNumberField(`,"cook_ns":`, int64(e.CookTime))
	return append(l.b, "}\n"...), !l.escaped && e.Err == nil && e.Origin == nil
}

// A line is a record under construction. escaped is set if a text needs escapes.
type line struct {
	b       []byte
	escaped bool
}

// appendTextField appends a field unless its text is empty. key includes the punctuation before the
// text.
func (l *line) appendTextField(key, value string) {
	if value != "" {
		l.appendQuotedField(key, value)
	}
}

func (l *line) appendQuotedField(key, value string) {
	l.escaped = l.escaped || !isPlainJSON(value)
	l.b = append(append(append(l.b, key...), value...), '"')
}

func (l *line) appendNumberField(key string, value int64) {
	if value != 0 {
		l.b = strconv.AppendInt(append(l.b, key...), value, 10)
	}
}

// isPlainJSON reports whether all characters of a text are printable and need no escape in JSON.
func isPlainJSON(text string) bool {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= utf8.RuneSelf {
			return plainRunes(text[i:])
		}
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func plainRunes(text string) bool {
	for _, r := range text {
		if r == utf8.RuneError || r == '"' || r == '\\' || !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// Summary writes the last record of a run.
func (j *JSON) Summary(s *cook.Summary) { j.writeJSONRecord(Record{Event: "summary", Summary: s}) }

// Measured writes the time and memory of a run by stage and recipe. It also writes the peak
// physical memory if it is known.
func (j *JSON) Measured(probe profile.Probe, peakRSS int64) {
	j.Line(Measured{"measured", probe.Run, probe.Counters.Snapshot(), probe.Memory.Snapshot().Groups, peakRSS})
	j.Flush()
}

// UnlessUTF8 returns the path in base64 if it is not valid UTF-8, and otherwise "".
func UnlessUTF8(path string) string {
	if utf8.ValidString(path) {
		return ""
	}
	return base64.StdEncoding.EncodeToString([]byte(path))
}

// A printable is a writer that escapes unprintable characters in JSON strings. Package json does
// not escape DEL, the C1 control characters, and marks that change the writing direction.
type printable struct {
	w   io.Writer
	buf []byte
}

func (p *printable) Write(b []byte) (int, error) {
	p.buf = p.buf[:0]
	done := 0 // number of bytes of b that are already copied to buf
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
