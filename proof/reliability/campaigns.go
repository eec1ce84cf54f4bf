package main

import (
	"context"
	"fmt"
)

// A campaign injects one kind of fault into cook many times. It parses args with its own
// flag set, prints its seed first and a result line last, and returns an error if any check
// failed or no fault was ever injected.
type campaign struct {
	name  string // on the command line
	about string
	run   func(ctx context.Context, args []string) error
}

// campaigns returns the campaigns for this system.
func campaigns() []campaign {
	return append([]campaign{
		{"damage", "every truncation and every flipped bit of every file that a cook keeps", damageFiles},
		{"edits", "random edits of all kinds, each run compared with one from scratch", edits},
		{"minimal", "random edits of sources that read each other, each run compared with a model of the least work", countCooks},
		{"media", "damaged and hostile pictures, documents and sounds, through their recipes", media},
	}, systemCampaigns()...)
}

// requireNonzero returns an error if a campaign never injected its fault: then the absence
// of failures shows nothing.
func requireNonzero(times int64, what string) error {
	if times > 0 {
		return nil
	}
	return fmt.Errorf("0 %s, so nothing was shown; do more, or look why", what)
}
