package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// An expectation is what the suite, or the reference program, says about a file.
type expectation int

const (
	mustAccept expectation = iota
	mustRefuse
	mayRefuse // the file may be rejected, but accepted data must equal the reference
)

// A verdict is the result for a file.
type verdict int

const (
	right verdict = iota
	rightlyRefused
	mended // the file is invalid and accepted, with warnings that name every error
	wronglyRefused
	wrong    // the file is invalid and accepted without a warning for each error, or decoded incorrectly
	unjudged // the file is accepted, but there is no reference to compare with
	verdicts
)

// An outcome has the expectation for a file and what happened.
type outcome struct {
	expect      expectation
	refusal     error  // our error; nil if the file was accepted
	difference  string // difference from the reference; "" if there is none
	noReference string // why there is nothing to compare with; "" if there is a reference
	invalid     string // errors that the file contains
	warning     string // the recipe's warnings, if they name every error
}

func (o outcome) judgeOutcome() (verdict, string) {
	switch {
	case o.refusal != nil && o.expect == mustAccept:
		return wronglyRefused, o.refusal.Error()
	case o.refusal != nil:
		return rightlyRefused, o.refusal.Error()
	case o.expect == mustRefuse && o.warning != "":
		return mended, o.warning
	case o.expect == mustRefuse:
		return wrong, strings.TrimSuffix("accepted: "+o.invalid, ": ")
	case o.difference != "":
		return wrong, o.difference
	case o.noReference != "":
		return unjudged, o.noReference
	}
	return right, ""
}

// A suite is a directory of test files.
type suite struct {
	name string // name of its repository
	from string // address of the download
	// trials lists the trials of the suite in dir.
	trials func(dir string) ([]trial, error)
}

// A trial is one test of a suite. Its run returns an error only if the test itself failed to run.
type trial struct {
	row  string // row of the table: the kind of file or the recipe
	file string // path relative to the suite
	run  func(context.Context) (outcome, error)
}

type result struct {
	trial
	verdict verdict
	why     string
}

// patience is the timeout of one trial. The largest images take several seconds.
const patience = 2 * time.Minute

// runTrials runs trials on all processors and returns results in their order.
func runTrials(ctx context.Context, trials []trial) ([]result, error) {
	results := make([]result, len(trials))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, t := range trials {
		g.Go(func() error {
			limited, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			o, err := runTrial(limited, t)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				return fmt.Errorf("%s: %w", t.file, err)
			}
			results[i].trial = t
			results[i].verdict, results[i].why = o.judgeOutcome()
			return nil
		})
	}
	return results, g.Wait()
}

// runTrial runs a trial. A panic counts as wrong, whatever the expectation was.
func runTrial(ctx context.Context, t trial) (o outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			o, err = outcome{difference: fmt.Sprintf("panic: %v", p)}, nil
		}
	}()
	return t.run(ctx)
}

// version returns the version of the suite in a directory: the text of its file .commit, or its
// git commit.
func version(ctx context.Context, folder string) string {
	if text, err := os.ReadFile(filepath.Join(folder, ".commit")); err == nil {
		return strings.Join(strings.Fields(string(text)), ", ")
	}
	if _, err := os.Stat(filepath.Join(folder, ".git")); err == nil {
		if out, err := exec.CommandContext(ctx, "git", "-C", folder, "rev-parse", "HEAD").Output(); err == nil {
			return strings.TrimSpace(string(out))
		}
	}
	return "unknown"
}
