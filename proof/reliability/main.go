// Reliability tests cook under faults: power cuts, kills, full disks, damaged files. Its
// campaigns take minutes or hours; the tests of packages cook and cli run samples that take
// seconds.
//
//	go run ./proof/reliability CAMPAIGN [flags]
//
// The results are in bench/results/reliability.md.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"

	"github.com/assetcook/assetcook/internal/faultfs"
)

func main() {
	faultfs.Init()                  // faultfs may have started this process to trace it
	os.Setenv("COOK_ENGINE", "own") // scenes depend on the recipes' default outputs
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	all := campaigns()
	at := -1
	if len(os.Args) > 1 {
		at = slices.IndexFunc(all, func(c campaign) bool { return c.name == os.Args[1] })
	}
	if at < 0 {
		usage(os.Stderr, all)
		os.Exit(2)
	}
	err := all[at].run(ctx, os.Args[2:])
	if errors.Is(err, errUsage) {
		os.Exit(2)
	}
	if errors.Is(err, errReported) {
		os.Exit(1)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "reliability: %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}

// errUsage is returned after the flag set has printed an error about the arguments.
var errUsage = errors.New("usage")

// errReported is returned after the errors have been printed.
var errReported = errors.New("errors reported")

func usage(w io.Writer, all []campaign) {
	fmt.Fprintln(w, "usage: go run ./proof/reliability CAMPAIGN [flags]")
	slices.SortFunc(all, func(a, b campaign) int { return cmp.Compare(a.name, b.name) })
	for _, c := range all {
		fmt.Fprintf(w, "  %-9s %s\n", c.name, c.about)
	}
}

// A campaign injects one kind of fault into cook many times. It parses args with its own
// flag set, prints its seed first and a result line last, and returns an error if any check
// failed or no fault was ever injected.
type campaign struct {
	name  string // name on the command line
	about string
	run   func(ctx context.Context, args []string) error
}

// campaigns returns the campaigns for this system.
func campaigns() []campaign {
	return append([]campaign{
		{"damage", "each truncation and each flipped bit of each file that cook keeps", damageFiles},
		{"edits", "random edits of all kinds, each run compared with one from scratch", edits},
		{"minimal", "random edits of sources that read each other, the work of each run compared with a model", countCooks},
		{"media", "damaged and hostile pictures, documents and sounds, through their recipes", media},
	}, systemCampaigns()...)
}

// requireNonzero returns an error if a campaign never injected its fault, because then it tested
// nothing.
func requireNonzero(times int64, what string) error {
	if times > 0 {
		return nil
	}
	return fmt.Errorf("0 %s, so nothing was tested; run more rounds, or find out why", what)
}
