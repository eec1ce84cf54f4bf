package frontend

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/pathname"
)

// A Severity says how serious a diagnostic is.
type Severity string

const (
	Err     Severity = "error"
	Warning Severity = "warning"
)

// A Diagnostic is an error or a warning in the format of compilers, so that editors and terminals
// can find its position:
//
//	assets/data/karts.json:3:8: error: unexpected end of JSON input
type Diagnostic struct {
	Program      string // name to print if File is empty
	File         string // path relative to the working directory
	Line, Column int    // line and column, counted from 1; 0 if unknown
	Severity     Severity
	Target       string
	Text         string // message; all lines except the first are indented
	Excerpt      string // lines of the file, printed without changes
}

// Placed is an error that has a position in a file.
type Placed interface {
	error
	Place() (file string, line, column int)
	Message() string
	Excerpt() string
}

// DiagnosePlaced returns the diagnostic of an error in a file.
func DiagnosePlaced(err Placed, severity Severity) Diagnostic {
	file, line, column := err.Place()
	return Diagnostic{File: file, Line: line, Column: column, Severity: severity, Text: err.Message(), Excerpt: err.Excerpt()}
}

// Diagnose returns the diagnostics of an error that ended a program: one per position in a file,
// and one per line of other errors.
func Diagnose(program string, err error) (all []Diagnostic) {
	for _, one := range Listed(err) {
		if at, ok := PlaceOf(one); ok {
			if d := DiagnosePlaced(at, Err); d.File != "" {
				all = append(all, d)
				continue
			}
		}
		for line := range strings.Lines(one.Error()) {
			all = append(all, Diagnostic{Program: program, Severity: Err, Text: strings.TrimSuffix(line, "\n")})
		}
	}
	return all
}

// PlaceOf returns the position of an error. ok is false if the error has no position, or if its
// text contains more than the error with the position.
func PlaceOf(err error) (at Placed, ok bool) {
	ok = errors.As(err, &at) && at.Error() == err.Error()
	return at, ok
}

// Listed returns the individual errors of a joined error, or the error itself.
func Listed(err error) (all []error) {
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
		all = append(all, Listed(one)...)
	}
	return all
}

// String returns the diagnostic without colors, followed by a newline.
func (d Diagnostic) String() string { return Style{}.Format(&d) }

// Print prints the diagnostic without colors.
func (d Diagnostic) Print(w io.Writer) { io.WriteString(w, d.String()) }

// placeText returns the file with line and column, or the program's name.
func (d *Diagnostic) placeText() string {
	switch {
	case d.File == "":
		return d.Program
	case d.Line == 0:
		return pathname.Show(d.File)
	case d.Column == 0:
		return fmt.Sprintf("%s:%d", pathname.Show(d.File), d.Line)
	}
	return fmt.Sprintf("%s:%d:%d", pathname.Show(d.File), d.Line, d.Column)
}

// Format returns a diagnostic, followed by a newline.
func (s Style) Format(d *Diagnostic) string {
	code := red
	if d.Severity == Warning {
		code = magenta
	}
	place := s.paintText(bold, d.placeText())
	if s.Links && d.File != "" {
		if abs, err := filepath.Abs(filepath.FromSlash(d.File)); err == nil {
			place = "\x1b]8;;" + FileURL(abs) + "\x1b\\" + place + "\x1b]8;;\x1b\\"
		}
	}
	text := Indented(HideCredentials(d.Text))
	if d.Target != "" {
		text = "[" + pathname.Show(d.Target) + "] " + text
	}
	line := fmt.Sprintf("%s: %s %s\n", place, s.paintText(code, string(d.Severity)+":"), text)
	if d.Excerpt != "" {
		line += HideCredentials(d.Excerpt) + "\n"
	}
	return line
}

// longestText limits how many bytes of a message are printed. It is more than programs usually
// print, but a hostile file can contain more.
const longestText = 64 << 10

// Indented escapes a message and indents all lines except the first. So no line of a hostile text
// can look like another message.
func Indented(text string) string {
	if more := len(text) - longestText; more > 0 {
		text = fmt.Sprintf("%s... (%d bytes more)", text[:longestText], more)
	}
	lines := strings.Split(strings.TrimRight(pathname.Escape(text), "\n"), "\n")
	return strings.Join(lines, "\n  | ")
}

// FileURL returns the URL of a file. It escapes every byte that could terminate a link.
func FileURL(abs string) string {
	if abs = filepath.ToSlash(abs); !strings.HasPrefix(abs, "/") {
		abs = "/" + abs
	}
	return "file://" + EscapePath(abs)
}

// EscapePath escapes a path for a URL.
func EscapePath(name string) string {
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

// A Style selects the escape sequences that a terminal supports. The zero value has none and is for
// files and pipes.
type Style struct {
	Color bool
	Links bool // file names become links (escape sequence OSC 8)
}

// StyleOf returns the style for text that is written to w. It has colors if w is a terminal that
// supports them, unless NO_COLOR is set (no-color.org). If CLICOLOR_FORCE is set, it always has
// colors.
func StyleOf(w io.Writer, env func(string) string) Style {
	if env("NO_COLOR") != "" {
		return Style{}
	}
	if force := env("CLICOLOR_FORCE"); force != "" && force != "0" {
		return Style{Color: true}
	}
	_, ok := Terminal(w)
	if !ok || env("TERM") == "dumb" || runtime.GOOS == "windows" && env("WT_SESSION") == "" && env("TERM") == "" {
		return Style{}
	}
	return Style{Color: true, Links: knowsLinks(env)}
}

// Animates reports whether to update lines in place. It returns false on a build server, where
// no person watches, and on a dumb terminal, which cannot move its cursor.
func Animates(env func(string) string) bool {
	return env("CI") == "" && env("TERM") != "dumb"
}

// knowsLinks reports whether the terminal is known to support links (OSC 8). Other terminals may
// print the escape sequence.
func knowsLinks(env func(string) string) bool {
	name := env("TERM")
	if strings.HasPrefix(name, "screen") || strings.HasPrefix(name, "tmux") || env("CI") != "" {
		return false
	}
	if vte, err := strconv.Atoi(env("VTE_VERSION")); err == nil && vte >= 5000 {
		return true
	}
	return env("WT_SESSION") != "" || env("KITTY_WINDOW_ID") != "" || env("KONSOLE_VERSION") != "" ||
		slices.Contains([]string{"iTerm.app", "WezTerm", "vscode", "ghostty", "rio"}, env("TERM_PROGRAM")) ||
		slices.Contains([]string{"xterm-kitty", "xterm-ghostty", "foot", "foot-extra", "alacritty", "contour"}, name)
}

const (
	reset   = "\x1b[0m"
	bold    = "\x1b[1m"
	red     = "\x1b[1;31m"
	magenta = "\x1b[1;35m"
)

// paintText colors a text.
func (s Style) paintText(code, text string) string {
	if !s.Color {
		return text
	}
	return code + text + reset
}
