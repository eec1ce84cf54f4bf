package cmdline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/internal/frontend"
)

// PrintError prints an error, and names the flags in its suggestions.
func (c *Call) PrintError(err error) {
	c.recordError(err)
	style := c.Style()
	for _, d := range frontend.Diagnose("cook", err) {
		d.Text = WithFlags(d.Text)
		io.WriteString(c.Stderr, style.Format(&d))
	}
}

// Warn prints a warning that does not concern a file.
func (c *Call) Warn(text string) {
	frontend.Diagnostic{Program: "cook", Severity: frontend.Warning, Text: text}.Print(c.Stderr)
}

// Style returns the style of standard error.
func (c *Call) Style() frontend.Style { return frontend.StyleOf(c.Stderr, os.Getenv) }

// A recorder is a standard error that also writes errors as JSON records to standard output.
type recorder struct {
	io.Writer
	stdout *frontend.Checked
}

// WritesTo returns the underlying standard error.
func (r *recorder) WritesTo() io.Writer { return r.Writer }

// recordError writes JSON records of an error, one for each position in the configuration. If no
// record was written before, it begins with the first record of a run.
func (c *Call) recordError(err error) {
	r, ok := c.Stderr.(*recorder)
	if !ok {
		return
	}
	lines := report.NewJSON(r.stdout)
	if !r.stdout.Used {
		lines.Begin()
	}
	var places rules.Errors
	if !errors.As(err, &places) {
		lines.Wrong("", 0, 0, frontend.HideCredentials(WithFlags(err.Error())))
	}
	for _, e := range places {
		lines.Wrong(e.File, e.Line, e.Column, frontend.HideCredentials(e.Msg))
	}
}

// Notes returns an observer that prints notes and failures and ignores other calls. dir is the
// asset directory.
func (c *Call) Notes(dir string) cook.Observer {
	return Flagging(&report.Text{Out: io.Discard, Err: c.Stderr, Dir: dir, Style: c.Style()})
}

// These exit statuses are used by cook only.
const (
	Different = 3 // cook verify found a difference, or cook smoke found a regression
	Locked    = 4 // another cook holds the lock of the output directory
)

// ExitText ends every help text. It describes environment variables and exit statuses.
const ExitText = `
Environment variables set flags that are not given: COOK_OUT sets -out, and
COOK_CACHE_SIZE sets -cache-size.

Exit status: 0 success, 1 an asset failed, 2 wrong usage or configuration,
3 verify found a difference or smoke a regression, 4 another cook uses the
same output directory, 130 interrupted.
`

// Wrong prints a usage error and returns its exit status.
func (c *Call) Wrong(format string, args ...any) (status int) {
	c.PrintError(fmt.Errorf(format, args...))
	return frontend.Usage
}

// Fail prints an error and returns its exit status.
func (c *Call) Fail(ctx context.Context, err error) (status int) {
	var config *cook.ConfigError
	var locked *cook.LockedError
	if ctx.Err() != nil {
		return c.Interrupted("interrupted; finished assets are kept")
	}
	c.PrintError(err)
	switch {
	case errors.As(err, &config):
		if text := repairs(err); text != "" {
			fmt.Fprintf(c.Stderr, "cook: run cook fix to repair %s\n", text)
		}
		return frontend.Usage
	case errors.As(err, &locked):
		return Locked
	}
	return frontend.Failed
}

// repairs returns a phrase for the mistakes in rules that "cook fix" can repair: "this", "these" or
// "N of these M". It returns "" if there are none.
func repairs(err error) string {
	var list rules.Errors
	errors.As(err, &list)
	n := 0
	for _, e := range list {
		if _, ok := e.Fix(); ok {
			n++
		}
	}
	switch {
	case n == 0:
		return ""
	case len(list) == 1:
		return "this"
	case n == len(list):
		return "these"
	}
	return fmt.Sprintf("%d of these %d", n, len(list))
}

// Interrupted prints the progress of an interrupted run and returns its exit status.
func (c *Call) Interrupted(text string) (status int) {
	c.recordError(errors.New(text))
	fmt.Fprintf(c.Stderr, "cook: %s\n", text)
	return frontend.Interrupted
}

// suggestions adds the names of flags to suggestions of package cook, which does not know the
// flags.
var suggestions = strings.NewReplacer(
	"choose another output directory", "choose another output directory with -out",
	"choose another directory for the store", "choose another directory for the store with -cache",
	"choose writable directories", "choose writable directories with -out and -cache",
	"name the store of this project, here", "name the store of this project (-cache or COOKCACHE), here",
	"set COOKCACHE or choose one", "set COOKCACHE or -cache",
	" workers: want", " workers (-j): want",
	"allow more open files or use fewer workers", "allow more open files (ulimit -n) or use fewer workers (-j)",
	"of memory, but the budget is", "of memory, but the budget (-mem) is",
	"; wait for it or", "; wait for it (cook -wait does) or",
	"cook again ignoring timestamps", "cook again ignoring timestamps (-check-contents)",
	"use force to remove them", "use -force to remove them",
	"list them first, then remove them by force", "list them first (-n), then remove them with -force",
	"export the target ", "export with -target ",
	" from the directory above it, ", " -out ",
	"remove extra files", "remove extra files (cook clean -extra)",
	"a watching cook (", "cook -watch (",
	"another watching cook", "another cook -watch",
)

// WithFlags adds the names of flags to the suggestions in a text.
func WithFlags(text string) string { return suggestions.Replace(text) }

// An errorWithFlags is an error with flags in its suggestions.
type errorWithFlags struct{ error }

func (e errorWithFlags) Error() string { return WithFlags(e.error.Error()) }
func (e errorWithFlags) Unwrap() error { return e.error }

// AddFlags adds the names of flags to the suggestions in an error.
func AddFlags(err error) error {
	if err == nil {
		return nil
	}
	return errorWithFlags{err}
}

// A flagObserver adds the names of flags to suggestions, and forwards all calls.
type flagObserver struct{ cook.Observers }

// Flagging returns an observer that adds the names of flags to suggestions, and forwards all calls
// to other observers.
func Flagging(to ...cook.Observer) cook.Observer { return flagObserver{to} }

func (o flagObserver) Event(e cook.Event) {
	e.Err = AddFlags(e.Err)
	o.Observers.Event(e)
}

func (o flagObserver) Note(text string) { o.Observers.Note(WithFlags(text)) }

func (o flagObserver) Finding(f cook.Finding) {
	f.Text = WithFlags(f.Text)
	report.Find(o.Observers, f)
}
