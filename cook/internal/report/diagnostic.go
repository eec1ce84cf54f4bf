package report

import (
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Severity says what a diagnostic means for the run.
type Severity string

const (
	Err     Severity = "error"
	Warning Severity = "warning"
)

// A Diagnostic is what went wrong, or looks like it, in the form that compilers have:
//
//	assets/data/karts.json:3:8: error: unexpected end of JSON input
//
// so that editors and terminals find the place.
type Diagnostic struct {
	File         string // from the working directory; "" for the command itself
	Line, Column int    // from 1; 0 if not known
	Severity     Severity
	Target       string
	Text         string // further lines are indented
	Excerpt      string // lines that show the place, printed unmodified
}

// placed is an error that knows where it is in a file that is no asset.
type placed interface {
	error
	Place() (file string, line, column int)
	Message() string
	Excerpt() string
}

// diagnosePlaced returns the diagnostic of an error in a file.
func diagnosePlaced(err placed, severity Severity) Diagnostic {
	file, line, column := err.Place()
	return Diagnostic{File: file, Line: line, Column: column, Severity: severity, Text: err.Message(), Excerpt: err.Excerpt()}
}

// diagnose returns the diagnostic of a failure or warning. dir is the asset folder, as it
// was given.
func diagnose(dir string, e *cook.Event) Diagnostic {
	d := Diagnostic{Severity: Err, Target: e.Target}
	if e.Outcome == cook.Warned {
		d.Severity = Warning
	}
	d.File = fromWorkingDir(dir, e.Path)
	var at placed
	if errors.As(e.Err, &at) {
		if file, _, _ := at.Place(); file != "" {
			return diagnosePlaced(at, d.Severity)
		}
	}
	d.Line, d.Column, d.Text = cutPlace(e.Err.Error())
	return d
}

// fromWorkingDir returns the name of a source from the working directory.
func fromWorkingDir(dir, source string) string {
	if source == "" || dir == "" {
		return source
	}
	return path.Join(filepath.ToSlash(dir), source)
}

// cutPlace cuts "LINE:COLUMN: " off the beginning of what a recipe says about a source.
func cutPlace(text string) (line, column int, rest string) {
	first, after, _ := strings.Cut(text, ":")
	second, rest, ok := strings.Cut(after, ": ")
	line, errLine := strconv.Atoi(first)
	column, errColumn := strconv.Atoi(second)
	if !ok || errLine != nil || errColumn != nil || line < 1 || column < 1 {
		return 0, 0, text
	}
	return line, column, rest
}

// lineAndColumn is the file with line and column.
func (d *Diagnostic) lineAndColumn() string {
	switch {
	case d.File == "":
		return "cook"
	case d.Line == 0:
		return pathname.Show(d.File)
	}
	return fmt.Sprintf("%s:%d:%d", pathname.Show(d.File), d.Line, d.Column)
}

// String is the diagnostic without colors, with an end of line.
func (d Diagnostic) String() string { return Style{}.format(&d) }

// A Style says what a terminal understands. The zero value is for files and pipes.
type Style struct {
	Color bool
	// Links makes names of files into links (OSC 8).
	Links bool
}

const (
	reset   = "\x1b[0m"
	bold    = "\x1b[1m"
	red     = "\x1b[1;31m"
	magenta = "\x1b[1;35m"
)

// paint colors a text.
func (s Style) paint(code, text string) string {
	if !s.Color {
		return text
	}
	return code + text + reset
}

// format returns a diagnostic with an end of line.
func (s Style) format(d *Diagnostic) string {
	code := red
	if d.Severity == Warning {
		code = magenta
	}
	place := s.paint(bold, d.lineAndColumn())
	if s.Links && d.File != "" {
		if abs, err := filepath.Abs(filepath.FromSlash(d.File)); err == nil {
			place = "\x1b]8;;" + fileURL(abs) + "\x1b\\" + place + "\x1b]8;;\x1b\\"
		}
	}
	text := oneLine(d.Text)
	if d.Target != "" {
		text = "[" + pathname.Show(d.Target) + "] " + text
	}
	line := fmt.Sprintf("%s: %s %s\n", place, s.paint(code, string(d.Severity)+":"), text)
	if d.Excerpt != "" {
		line += d.Excerpt + "\n"
	}
	return line
}

// fileURL returns the URL of a file, with every byte escaped that could end a link.
func fileURL(abs string) string {
	if abs = filepath.ToSlash(abs); !strings.HasPrefix(abs, "/") {
		abs = "/" + abs
	}
	return "file://" + escapePath(abs)
}

// escapePath escapes a path for a URL.
func escapePath(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("/-._~:", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// Warn prints a warning that is about no file.
func Warn(w io.Writer, text string) { fmt.Fprint(w, Diagnostic{Severity: Warning, Text: text}) }

// WriteError prints an error that ended a run, or kept it from beginning: a diagnostic for
// each place in rules that it is about, or for each line. rewrite may change a line.
func WriteError(w io.Writer, s Style, err error, rewrite func(string) string) {
	for _, one := range listed(err) {
		var at placed
		if errors.As(one, &at) && at.Error() == one.Error() {
			if file, _, _ := at.Place(); file != "" {
				d := diagnosePlaced(at, Err)
				d.Text = rewrite(d.Text)
				fmt.Fprint(w, s.format(&d))
				continue
			}
		}
		for line := range strings.Lines(one.Error()) {
			d := Diagnostic{Severity: Err, Text: rewrite(strings.TrimSuffix(line, "\n"))}
			fmt.Fprint(w, s.format(&d))
		}
	}
}

// listed returns the errors of a list of them, which prints one to a line, and of lists in
// it, or else the error itself.
func listed(err error) (all []error) {
	var list interface {
		error
		Unwrap() []error
	}
	if !errors.As(err, &list) || list.Error() != err.Error() {
		return []error{err}
	}
	var texts []string
	for _, one := range list.Unwrap() {
		texts = append(texts, one.Error())
	}
	if strings.Join(texts, "\n") != err.Error() {
		return []error{err}
	}
	for _, one := range list.Unwrap() {
		all = append(all, listed(one)...)
	}
	return all
}
