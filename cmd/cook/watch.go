package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/internal/pathname"
)

// runWatch cooks until it is interrupted.
func runWatch(ctx context.Context, opt cook.Options, s show, stdout, stderr io.Writer) int {
	rounds := report.NewRounds(func() (report.Observer, func()) { return observe(s, false, stdout, stderr) })
	opt.Observer = report.Multi{&memoryLimit{memory: opt.Memory}, rounds}
	first := true
	err := cook.Watch(ctx, opt, func(r cook.Round) {
		if r.Err != nil {
			fmt.Fprintf(stderr, "cook: %s\n", pathname.Escape(r.Err.Error()))
			return
		}
		s.summary(&r.Summary, stdout, opt.Probe)
		if first && !s.quiet {
			fmt.Fprintf(stderr, "cook: watching %s; interrupt to end\n", pathname.Show(opt.Dir))
		}
		first = false
	})
	rounds.Stage(report.StageWait)
	if !first && errors.Is(err, context.Canceled) {
		fmt.Fprintf(stderr, "cook: no longer watching\n")
		return exitInterrupted
	}
	return fail(ctx, stderr, err)
}
