package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/internal/pathname"
)

// runWatch cooks until it is interrupted.
func (r *cookRun) runWatch(ctx context.Context) int {
	rounds := report.NewRounds(func() (cook.Observer, func()) {
		observer, done := r.show.observe(shown{&r.project, false, true, nil, r.stdout, r.stderr})
		return observer, func() { done() }
	})
	first := true
	opt := cook.WatchOptions{
		Strict: r.options.Strict, StopOnFailure: r.options.StopOnFailure, OutputsByFolder: r.options.OutputsByFolder,
		Limits: r.options.Limits, Probe: r.options.Probe,
		Observer: cook.Observers{&memoryLimit{memory: r.options.Limits.Memory}, rounds},
		Round: func(round cook.Round) {
			if round.Err != nil {
				printError(r.stderr, round.Err)
				return
			}
			r.show.summary(&round.Summary, r.stdout, r.options.Probe)
			if first && !r.show.quiet {
				fmt.Fprintf(r.stderr, "cook: watching %s; interrupt to end\n", pathname.Show(r.project.Dir))
			}
			first = false
		},
	}
	err := cook.Watch(ctx, r.project, opt)
	rounds.Stage(cook.StageWait)
	if !first && errors.Is(err, context.Canceled) {
		fmt.Fprintf(r.stderr, "cook: no longer watching\n")
		return exitInterrupted
	}
	return fail(ctx, r.stderr, err)
}
