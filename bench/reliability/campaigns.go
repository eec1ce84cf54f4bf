package main

import (
	"context"
	"fmt"
)

// A campaign does one kind of harm to cook many times over. It has a flag set
// of its own and parses args with it, prints its seed first and one result
// line last, and returns an error if anything was wrong, or if what it is about
// has not happened once.
type campaign struct {
	name  string // that the command line gives
	about string
	run   func(ctx context.Context, args []string) error
}

// campaigns are all that there are for this system.
func campaigns() []campaign {
	return append([]campaign{
		{"damage", "every truncation and every flipped bit of every file that a cook keeps", damage},
		{"edits", "random edits of all kinds, each run compared with one from scratch", edits},
		{"media", "damaged and hostile pictures, documents and sounds, through their recipes", media},
	}, ofSystem()...)
}

// mustShow is the error of a campaign in which what it is about has never
// happened. That nothing was wrong shows nothing then.
func mustShow(times int64, what string) error {
	if times > 0 {
		return nil
	}
	return fmt.Errorf("0 %s, so nothing was shown; do more, or look why", what)
}
