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
	faultfs.Init() // this process may be one that is to become cook
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

func usage(w io.Writer, all []campaign) {
	fmt.Fprintln(w, "usage: go run ./bench/reliability CAMPAIGN [flags]")
	slices.SortFunc(all, func(a, b campaign) int { return cmp.Compare(a.name, b.name) })
	for _, c := range all {
		fmt.Fprintf(w, "  %-9s %s\n", c.name, c.about)
	}
}
