package tools

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/internal/frontend"
	eventscommand "github.com/assetcook/assetcook/profile/events/command"
	"github.com/assetcook/assetcook/profile/guid"
)

const eventsText = `usage: cook events stat [flags] FILE
       cook events convert [flags] FILE OUT

Sums up a recording that -trace wrote (.events), or converts it for other viewers by the
ending of OUT. FILE may be - for the standard input. Flags come before it.

Example:
	cook events stat -slowest 20 run.events
	cook events convert run.events run.pftrace
`

// Events is the verb "cook events".
var Events = cmdline.Verb{
	Name: "events", Synopsis: "events stat|convert FILE ...", Summary: "sum up or convert a recording of -trace", Text: eventsText,
	Takes: cmdline.Argument{Words: eventsVerbs, Files: true},
	New:   func() cmdline.Handler { return cmdline.Handler{Flags: eventsFlags} },
	Run:   runEvents,
}

// eventsVerbs returns the words that may follow "cook events".
func eventsVerbs() (names []string) {
	for _, fs := range eventscommand.Flags() {
		names = append(names, fs.Name())
	}
	return names
}

// eventsFlags declares the flags of all verbs of cook events. The usage text of each flag names the
// verbs.
func eventsFlags(all *flag.FlagSet) {
	for _, fs := range eventscommand.Flags() {
		fs.VisitAll(func(f *flag.Flag) { all.Var(f.Value, f.Name, fmt.Sprintf("%s: %s", fs.Name(), f.Usage)) })
	}
}

func runEvents(ctx context.Context, c *cmdline.Call) int {
	if len(c.Args) > 0 && frontend.AsksForHelp(c.Args[0]) {
		c.Args = c.Args[:1]
		return c.Do(ctx, c.Find("events"), cmdline.Handler{Flags: eventsFlags})
	}
	var usage frontend.UsageError
	switch err := eventscommand.Run(c.Args, c.Stdout); {
	case errors.As(err, &usage):
		return c.Wrong("events: %v; see cook help events", err)
	case err != nil:
		c.PrintError(fmt.Errorf("events: %w", err))
		return frontend.Failed
	}
	return frontend.OK
}

const idText = `usage: cook id RUN ...

Decodes IDs of runs from -stats, recordings and the history: when the run began, its process,
and its machine, as a number that does not reveal the name.

Example:
	cook id 34eq8572hkc005lovh014pt85n
`

// ID is the verb "cook id".
var ID = cmdline.Verb{
	Name: "id", Synopsis: "id RUN ...", Summary: "decode IDs of runs", Text: idText,
	New: func() cmdline.Handler { return cmdline.Handler{Run: runID} },
}

func runID(_ context.Context, c *cmdline.Call, words []string) int {
	if len(words) == 0 {
		return c.Wrong("want the ID of a run; see cook help id")
	}
	for _, word := range words {
		id, err := guid.Parse(word)
		if err != nil {
			return c.Wrong("%v", err)
		}
		fmt.Fprintf(c.Stdout, "%s: %s\n", id, id.Describe())
	}
	return frontend.OK
}
