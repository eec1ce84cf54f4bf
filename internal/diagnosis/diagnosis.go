// Package diagnosis holds the answer of "cook diagnose": one sentence, and at most five findings
// with numbers, a place, and the command that shows more.
//
// The packages that know recordings, memory snapshots and output directories fill in a
// [Diagnosis]. This package limits it, and writes it as text and as JSON. The JSON form is
// described by docs/diagnosis.schema.json.
package diagnosis

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Most is the maximum number of findings that are written.
const Most = 5

// version is the version of the JSON form.
const version = 1

// A Diagnosis is a verdict and the findings that explain it.
type Diagnosis struct {
	Version  int       `json:"version"`
	Kind     Kind      `json:"kind"`
	Subjects []string  `json:"subjects"` // names of the files or of the directory
	Verdict  string    `json:"verdict"`
	Findings []Finding `json:"findings"` // most important first
	More     int       `json:"more"`     // number of omitted findings
}

// A Kind is a kind of subjects.
type Kind string

const (
	Recording     Kind = "recording"
	Recordings    Kind = "recordings" // two recordings, compared
	Memory        Kind = "memory"
	MemoryChanges Kind = "memory_changes" // two memory snapshots, compared
	Cook          Kind = "cook"           // an output directory, or a report about it
)

// A Severity says whether a finding is a mistake.
type Severity string

const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// A Unit is the unit of an amount.
type Unit string

const (
	Nanoseconds Unit = "ns"
	Bytes       Unit = "bytes"
	Count       Unit = "count"
	Run         Unit = "run"   // number of a run, as cook history prints it
	Value       Unit = "value" // value of a counter, whose unit the recording does not contain
)

// A Finding is one fact with its number and its place.
type Finding struct {
	Kind     string   `json:"kind"`
	Severity Severity `json:"severity"`
	Text     string   `json:"text"`
	Amount   float64  `json:"amount"`
	Unit     Unit     `json:"unit"`
	Where    Place    `json:"where"`
	Next     string   `json:"next"` // command that shows more
}

// A Place says where a finding is. Empty fields are unknown.
type Place struct {
	Scope  string `json:"scope,omitempty"`
	Detail string `json:"detail,omitempty"` // object of the scope, such as an asset
	Worker string `json:"worker,omitempty"`
	At     int64  `json:"at_ns,omitempty"` // time in the recording
	Asset  string `json:"asset,omitempty"`
	Target string `json:"target,omitempty"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// limitFindings returns the diagnosis with at most [Most] findings, errors and warnings first, and with
// names that JSON can hold.
func (d Diagnosis) limitFindings() Diagnosis {
	d.Version = version
	rank := func(f Finding) int { return slices.Index([]Severity{Error, Warning, Note}, f.Severity) }
	d.Findings = append([]Finding{}, d.Findings...)
	slices.SortStableFunc(d.Findings, func(a, b Finding) int { return rank(a) - rank(b) })
	d.More = max(0, len(d.Findings)-Most)
	d.Findings = d.Findings[:len(d.Findings)-d.More]
	d.Subjects = slices.Clone(d.Subjects)
	for i := range d.Subjects {
		d.Subjects[i] = quotedUnlessUTF8(d.Subjects[i])
	}
	for i := range d.Findings {
		w := &d.Findings[i].Where
		for _, name := range []*string{&w.Scope, &w.Detail, &w.Worker, &w.Asset, &w.Target, &w.File} {
			*name = quotedUnlessUTF8(*name)
		}
	}
	return d
}

// quotedUnlessUTF8 quotes a name that JSON cannot hold, as the tables of a report do.
func quotedUnlessUTF8(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return strconv.Quote(name)
}

// WriteLine writes the diagnosis as one line of JSON.
func (d Diagnosis) WriteLine(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(d.limitFindings())
}

// WriteFindings writes the diagnosis for people: the verdict, then three lines for each finding.
func (d Diagnosis) WriteFindings(w io.Writer) error {
	d = d.limitFindings()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", frontend.Indented(d.Verdict))
	for i := range d.Findings {
		f := &d.Findings[i]
		severity := ""
		if f.Severity != Note {
			severity = string(f.Severity) + ": "
		}
		fmt.Fprintf(&b, "%d. %s%s\n", i+1, severity, frontend.Indented(f.Text))
		if where := f.Where.placeWords(); where != "" {
			fmt.Fprintf(&b, "   where: %s\n", where)
		}
		fmt.Fprintf(&b, "   next:  %s\n", pathname.Escape(f.Next))
	}
	if d.More > 0 {
		fmt.Fprintf(&b, "and %s\n", human.Count(d.More, "smaller finding"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// placeWords returns the known parts of a place.
func (p *Place) placeWords() string {
	var parts []string
	add := func(what, name string) {
		if name != "" {
			parts = append(parts, strings.TrimLeft(what+" ", " ")+pathname.Show(name))
		}
	}
	if p.File != "" {
		file := pathname.Show(p.File)
		for _, n := range []int{p.Line, p.Column} {
			if n > 0 {
				file += ":" + strconv.Itoa(n)
			}
		}
		parts = append(parts, file)
	}
	if p.Asset != p.File {
		add("asset", p.Asset)
	}
	add("target", p.Target)
	add("scope", p.Scope)
	if p.Detail != p.Asset {
		add("of", p.Detail)
	}
	add("worker", p.Worker)
	if p.At != 0 {
		parts = append(parts, "at "+human.Duration(time.Duration(p.At)))
	}
	return strings.Join(parts, ", ")
}

// ShellCommand returns a command line that a POSIX shell reads as the given words. A name of a file must
// come from [FileArgument].
func ShellCommand(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = shellWord(word)
	}
	return strings.Join(quoted, " ")
}

// FileArgument returns a file name that no command mistakes for a flag.
func FileArgument(name string) string {
	if strings.HasPrefix(name, "-") {
		return "./" + name
	}
	return name
}

// shellWord quotes a word. Words with control characters or invalid UTF-8 use the quotation marks
// of bash and zsh, $'...', so that the command fits on a line.
func shellWord(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@%+"
	switch {
	case word != "" && strings.Trim(word, plain) == "":
		return word
	case utf8.ValidString(word) && pathname.Escape(word) == word && !strings.ContainsAny(word, "\n\t"):
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(word) {
		if c := word[i]; c < ' ' || c >= 0x7f || c == '\'' || c == '\\' {
			fmt.Fprintf(&b, `\x%02x`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}
