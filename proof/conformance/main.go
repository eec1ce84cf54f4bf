// Command conformance runs public conformance suites through our decoders and
// checkers, and prints how many of their files each gets right, refuses and gets
// wrong.
//
//	go run ./proof/conformance -suites DIR [-v] [suite ...]
//
// DIR has a folder for each suite, named as its repository is; -h lists them with
// their addresses. Suites that are not there are skipped with a line. get.sh beside
// this file fetches those that package registries have.
//
// What is right is never decided by our own code: the suite's expected output
// decides or, where it has none, a program that shares no code with ours.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(runSuites(ctx, suites, os.Args[1:], os.Stdout, os.Stderr))
}

func runSuites(ctx context.Context, suites []suite, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(stderr)
	dir := flags.String("suites", "", "`folder` that holds the suites")
	verbose := flags.Bool("v", false, "print every file and its cause, not only the first few of each kind")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: go run ./proof/conformance -suites DIR [-v] [suite ...]")
		flags.PrintDefaults()
		fmt.Fprintln(stderr, "suites:")
		for _, s := range suites {
			fmt.Fprintf(stderr, "  %-23s %s\n", s.name, s.from)
		}
	}
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *dir == "" {
		fmt.Fprintln(stderr, "conformance: -suites is needed: the folder that holds the suites")
		return 2
	}
	for _, name := range flags.Args() {
		if !slices.ContainsFunc(suites, func(s suite) bool { return s.name == name }) {
			fmt.Fprintf(stderr, "conformance: no suite %q; -h lists them\n", name)
			return 2
		}
	}
	r := report{verbose: *verbose}
	for _, s := range suites {
		if flags.NArg() > 0 && !slices.Contains(flags.Args(), s.name) {
			continue
		}
		folder := filepath.Join(*dir, s.name)
		if _, err := os.Stat(folder); err != nil {
			fmt.Fprintf(stderr, "conformance: %s skipped: %v\n", s.name, err)
			continue
		}
		trials, err := s.trials(folder)
		if err == nil && len(trials) == 0 {
			err = fmt.Errorf("no test file found in %s", folder)
		}
		if err == nil {
			var results []result
			results, err = runTrials(ctx, trials)
			r.addResults(s.name, version(ctx, folder), results)
		}
		if err != nil {
			fmt.Fprintf(stderr, "conformance: %s: %v\n", s.name, err)
			return 1
		}
	}
	if err := r.print(stdout); err != nil {
		fmt.Fprintf(stderr, "conformance: %v\n", err)
		return 1
	}
	return 0
}
