package cli

import (
	"context"
	"flag"
	"fmt"
	"io"

	eventscommand "github.com/assetcook/assetcook/profile/events/command"
)

const eventsText = `usage: cook events stat [flags] FILE
       cook events convert [flags] FILE OUT

Sums up a recording that -trace wrote (.events), or converts it for other viewers by the
ending of OUT. FILE may be - for the standard input. Flags come before it.

Example:
	cook events stat -slowest 20 run.events
	cook events convert run.events run.pftrace
`

// eventsVerbs lists the verbs of cook events.
func eventsVerbs() (names []string) {
	for _, fs := range eventscommand.Flags() {
		names = append(names, fs.Name())
	}
	return names
}

// eventsFlags returns the flags of all verbs of cook events, each with the verb in its text.
func eventsFlags() *flag.FlagSet {
	all := newFlags("events", eventsText)
	for _, fs := range eventscommand.Flags() {
		fs.VisitAll(func(f *flag.Flag) { all.Var(f.Value, f.Name, fmt.Sprintf("%s: %s", fs.Name(), f.Usage)) })
	}
	return all
}

func runEvents(_ context.Context, _ func(), args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && asksForHelp(args[0]) {
		fs := eventsFlags()
		fs.SetOutput(stdout)
		fs.Usage()
		return exitOK
	}
	return eventscommand.Main(args, stdout, stderr)
}

// asksForHelp reports whether a word asks for help.
func asksForHelp(word string) bool {
	return word == "-h" || word == "--h" || word == "-help" || word == "--help"
}
