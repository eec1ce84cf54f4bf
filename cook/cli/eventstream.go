package cli

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/cook/internal/rules"
)

// An eventStream is the standard error of a command line with -json: the errors that are
// printed to it are records on standard output, too.
type eventStream struct {
	io.Writer
	stdout *checkedWriter
}

// writeEvents writes the records of an error, if stderr is an eventStream: one for each
// place in the configuration that it is about. They never come before the first record.
func writeEvents(stderr io.Writer, err error) {
	s, ok := stderr.(*eventStream)
	if !ok {
		return
	}
	lines := report.NewJSON(s.stdout)
	if !s.stdout.used {
		lines.Begin()
	}
	var places rules.Errors
	if !errors.As(err, &places) {
		lines.Wrong("", 0, 0, withFlags(err.Error()))
	}
	for _, e := range places {
		lines.Wrong(e.File, e.Line, e.Column, e.Msg)
	}
}

// wantsJSON reports whether a command line, which may be wrong, has -json, or a verb that
// takes it from the environment.
func (c command) wantsJSON(args []string, env func(string) string) (want bool) {
	given := false
	for _, arg := range args {
		if arg == "--" {
			break
		}
		name, value, hasValue := strings.Cut(arg, "=")
		if name != "-json" && name != "--json" {
			continue
		}
		on, err := strconv.ParseBool(value)
		given, want = true, !hasValue || on || err != nil
	}
	value := env(variable("json"))
	if given || value == "" {
		return want
	}
	flags := new(cookRun).flags()
	if len(args) > 0 {
		if v, ok := c.findVerb(args[0]); ok {
			flags = v.flags()
		}
	}
	on, err := strconv.ParseBool(value)
	return flags.Lookup("json") != nil && (on || err != nil)
}
