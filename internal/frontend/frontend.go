// Package frontend holds the code that all commands of this module share: exit statuses, flags
// between arguments, output streams whose reader may have exited, diagnostics, and progress.
//
//	words, err := frontend.Parse(flags, os.Args[1:])
//	if err != nil {
//		frontend.Diagnostic{Program: "hashsum", Severity: frontend.Err, Text: err.Error()}.Print(stderr)
//		return frontend.Usage
//	}
package frontend

import (
	"flag"
	"io"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/nearest"
)

// These exit statuses are common to all commands. A command may define more.
const (
	OK          = 0
	Failed      = 1
	Usage       = 2 // wrong usage or configuration
	Interrupted = 130
)

// A UsageError is a mistake in the arguments of a command.
type UsageError string

func (e UsageError) Error() string { return string(e) }

// Parse parses flags before, between and after other arguments, and returns the other arguments.
// "--" ends the flags. The error is [flag.ErrHelp] if the arguments request help.
func Parse(fs *flag.FlagSet, args []string) (words []string, err error) {
	out := fs.Output()
	fs.SetOutput(io.Discard)
	defer fs.SetOutput(out)
	usage := fs.Usage
	fs.Usage = func() {} // the caller prints help
	defer func() { fs.Usage = usage }()
	for {
		if err := fs.Parse(args); err != nil {
			return nil, meantFlag(fs, err)
		}
		rest := fs.Args()
		dashes := len(args) > len(rest) && args[len(args)-len(rest)-1] == "--"
		if len(rest) == 0 || dashes {
			return append(words, rest...), nil
		}
		words, args = append(words, rest[0]), rest[1:]
	}
}

// A flagError is an error of package flag with a suggestion.
type flagError struct {
	error
	try string
}

func (e *flagError) Error() string { return e.error.Error() + e.try }
func (e *flagError) Unwrap() error { return e.error }

// meantFlag extends an error about an unknown flag by a similar flag, which the user probably
// meant.
func meantFlag(fs *flag.FlagSet, err error) error {
	given, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return err
	}
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	if name := nearest.Word(given, names); name != "" {
		return &flagError{err, "; did you mean -" + name + "?"}
	}
	return err
}

// AsksForHelp reports whether an argument requests help.
func AsksForHelp(word string) bool {
	return slices.Contains([]string{"-h", "--h", "-help", "--help"}, word)
}
