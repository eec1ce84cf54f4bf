package cmdline

import (
	"errors"
	"io"
	"os"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/internal/frontend"
)

// PrintError prints the diagnostics of an error, and adds the flags for its suggestions.
func (c *Call) PrintError(err error) {
	c.record(err)
	style := c.Style()
	for _, d := range frontend.Diagnose("cook", err) {
		d.Text = WithFlags(d.Text)
		io.WriteString(c.Stderr, style.Format(&d))
	}
}

// Warn prints a warning that is about no file.
func (c *Call) Warn(text string) {
	frontend.Diagnostic{Program: "cook", Severity: frontend.Warning, Text: text}.Print(c.Stderr)
}

// Style returns the style of standard error.
func (c *Call) Style() frontend.Style { return frontend.StyleOf(c.Stderr, os.Getenv) }

// A recorder is the standard error of a command line with -json: errors become records on standard
// output as well.
type recorder struct {
	io.Writer
	stdout *frontend.Checked
}

// WritesTo returns standard error itself.
func (r *recorder) WritesTo() io.Writer { return r.Writer }

// record writes the records of an error with -json: one for each place in the configuration. They
// never come before the first record of a run.
func (c *Call) record(err error) {
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
		lines.Wrong("", 0, 0, WithFlags(err.Error()))
	}
	for _, e := range places {
		lines.Wrong(e.File, e.Line, e.Column, e.Msg)
	}
}

// Notes returns an observer that prints only notes and failures. dir is the asset directory.
func (c *Call) Notes(dir string) cook.Observer {
	return Flagging(&report.Text{Out: io.Discard, Err: c.Stderr, Dir: dir, Style: c.Style()})
}
