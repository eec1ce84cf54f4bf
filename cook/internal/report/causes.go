package report

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/human"
)

// These limits keep the output of any run on one screen.
const (
	mostShown  = 3  // number of messages printed for a cause
	fullCauses = 5  // number of causes with mostShown messages; later causes get one message
	mostCauses = 14 // number of causes with their own line; the others share one line
	mostLines  = 12 // limit of a message, in lines
	shortCause = 60 // limit of a cause in the shared line, in bytes
)

// Causes prints failures and warnings by cause. It prints the first messages of each cause at once,
// and the number of further messages at the end. It names every cause.
type Causes struct {
	list []*cause
	of   map[string]*cause
}

// A cause is a set of messages that differ only in names and numbers.
type cause struct {
	severity frontend.Severity
	first    string
	n        int
	shown    int
	most     int // number of messages to print
}

// printOrCount prints a diagnostic about an asset, or only counts it.
func (c *Causes) printOrCount(asset string, d *frontend.Diagnostic, print func(*frontend.Diagnostic)) {
	key := string(d.Severity) + causeOfFailure(d.Text, asset)
	this := c.of[key]
	if this == nil {
		this = &cause{severity: d.Severity, first: d.Text, most: mostShown}
		switch number := len(c.list); {
		case number >= mostCauses:
			this.most = 0
		case number >= fullCauses:
			this.most = 1
		}
		if c.of == nil {
			c.of = map[string]*cause{}
		}
		c.of[key] = this
		c.list = append(c.list, this)
	}
	this.n++
	if this.shown >= this.most {
		return
	}
	if this.shown++; this.shown > 1 {
		d.Text, _, _ = strings.Cut(d.Text, "\n")
	}
	d.Text = shortenedCause(d.Text)
	print(d)
}

// shortenedCause cuts a message to mostLines lines.
func shortenedCause(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if more := len(lines) - mostLines; more > 0 {
		lines = append(lines[:mostLines], fmt.Sprintf("(%s more)", human.Count(more, "line")))
	}
	return strings.Join(lines, "\n")
}

// printCounts prints, for each cause, the number of messages that were not printed. It then forgets
// all causes.
func (c *Causes) printCounts(print func(*frontend.Diagnostic)) {
	var others []string
	severity := frontend.Warning
	for i, this := range c.list {
		more := this.n - this.shown
		line, _, _ := strings.Cut(this.first, "\n")
		switch {
		case more == 0:
		case i < mostCauses:
			print(&frontend.Diagnostic{Program: program, Severity: this.severity, Text: fmt.Sprintf("and %d similar ones: %s", more, line)})
		default:
			others = append(others, fmt.Sprintf("%s (%d)", clipped(line), more))
			if this.severity == frontend.Err {
				severity = frontend.Err
			}
		}
	}
	if len(others) > 0 {
		print(&frontend.Diagnostic{Program: program, Severity: severity, Text: fmt.Sprintf("and %s: %s", human.Count(len(others), "other cause"), strings.Join(others, "; "))})
	}
	c.list, c.of = nil, nil
}

// hidden reports whether any message was counted but not printed.
func (c *Causes) hidden() bool {
	for _, this := range c.list {
		if this.n > this.shown {
			return true
		}
	}
	return false
}

func clipped(text string) string {
	if len(text) <= shortCause {
		return text
	}
	return strings.ToValidUTF8(text[:shortCause], "") + "..."
}

// causeOfFailure returns the first line of a message without the parts that differ between assets:
// the name of the asset, quoted words and numbers.
func causeOfFailure(text, asset string) string {
	text, _, _ = strings.Cut(text, "\n")
	base := path.Base(asset)
	stem := strings.TrimSuffix(base, path.Ext(base))
	for _, name := range []string{asset, base, stem} {
		if len(name) > 3 {
			text = strings.ReplaceAll(text, name, "*")
		}
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '"':
			end := strings.IndexByte(text[i+1:], '"')
			if end < 0 {
				end = len(text) - i - 2
			}
			b.WriteString(`"*"`)
			i += end + 2
		case isASCIIDigit(c):
			for i < len(text) && (isASCIIDigit(text[i]) || text[i] == '.' || isHexDigit(text[i])) {
				i++
			}
			b.WriteByte('#')
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

func isASCIIDigit(c byte) bool { return c < unicode.MaxASCII && unicode.IsDigit(rune(c)) }
func isHexDigit(c byte) bool   { return 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }

const (
	mostRecalled = 3  // number of failures to repeat
	recallAfter  = 15 // minimum number of lines after the first failure, for repeating it
)

// A recap has the first failures of a run, and the number of lines since the first failure.
type recap struct {
	first  []frontend.Diagnostic
	failed int
	lines  int
}

func (r *recap) recapDiagnostic(d *frontend.Diagnostic) {
	r.lines++
	if d.Severity != frontend.Err {
		return
	}
	if r.failed++; r.failed == 1 {
		r.lines = 0
	}
	if len(r.first) < mostRecalled {
		short := *d
		short.Text, _, _ = strings.Cut(short.Text, "\n")
		r.first = append(r.first, short)
	}
}

// Recap prints the first failures again if many lines were printed after them.
func (t *Text) Recap(w io.Writer) {
	if t.recap.lines < recallAfter || t.recap.failed == 0 {
		return
	}
	fmt.Fprintf(w, "cook: the first of %s:\n", human.Count(t.recap.failed, "failure"))
	for i := range t.recap.first {
		fmt.Fprint(w, t.Style.Format(&t.recap.first[i]))
	}
}

// WriteBehind prints the stale targets, and the command that cooks them.
func WriteBehind(w io.Writer, s *cook.Summary) {
	named := slices.DeleteFunc(slices.Clone(s.Behind), func(t string) bool { return t == "" })
	switch {
	case len(named) > 0:
		fmt.Fprintf(w, "stale: the outputs of target %s; cook them with -target %s\n", strings.Join(named, ", "), strings.Join(named, ","))
	case len(s.Behind) > 0:
		fmt.Fprintln(w, "stale: the outputs without a target; cook them without -target")
	}
}
