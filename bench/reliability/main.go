package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sort"
)

// A campaign does one kind of harm to cook many times over. It has a flag set
// of its own and parses args with it, prints its seed first and one result
// line last, and returns an error if anything was wrong.
type campaign struct {
	about string
	run   func(ctx context.Context, args []string) error
}

// campaigns holds them by the name that the command line gives. Campaigns that
// are not for this system are missing; see campaigns_linux.go.
var campaigns = map[string]campaign{
	"damage": {"every truncation and every flipped bit of every file that a cook keeps", damage},
	"media":  {"damaged and hostile pictures, documents and sounds, through their recipes", media},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) < 2 || campaigns[os.Args[1]].run == nil {
		usage(os.Stderr)
		os.Exit(2)
	}
	err := campaigns[os.Args[1]].run(ctx, os.Args[2:])
	if errors.Is(err, errUsage) {
		os.Exit(2)
	}
	if errors.Is(err, errTold) {
		os.Exit(1)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "reliability: %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}

// errUsage: the flag set has told already what is wrong with the arguments.
var errUsage = errors.New("usage")

// errTold: what is wrong has been told already.
var errTold = errors.New("told")

func usage(w io.Writer) {
	fmt.Fprintln(w, "usage: go run ./bench/reliability CAMPAIGN [flags]")
	names := make([]string, 0, len(campaigns))
	for name := range campaigns {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(w, "  %-9s %s\n", name, campaigns[name].about)
	}
}
