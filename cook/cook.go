package cook

import (
	"context"
	"errors"
	"time"

	"github.com/assetcook/assetcook/cook/internal/pass"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/stats"
	"github.com/assetcook/assetcook/cook/internal/watch"
	"github.com/assetcook/assetcook/profile"
)

// CookOptions choose what Cook brings up to date, and how.
type CookOptions struct {
	// Patterns limit the run to matching sources. They are globs on paths below Dir, as in
	// rules: a directory stands for everything below it, and "!" excludes. Nil means all sources.
	Patterns []string
	// DryRun changes nothing on the disk and reports the work that a run would do.
	DryRun bool
	// Force cooks everything, even if the result is known.
	Force bool
	// IgnoreTimestamps checksums all sources and outputs.
	IgnoreTimestamps bool
	// Strict treats warnings as errors. The first bytes of all sources are read for that.
	Strict bool
	// StopOnFailure starts nothing new after the first failure.
	StopOnFailure bool
	// OutputsByFolder skips per-file checks in output directories whose stamp is unchanged. The run
	// then notices removed, renamed and replaced outputs, but not outputs edited in place.
	OutputsByFolder bool
	// Wait waits while another cook has the output directory's lock, instead of failing with
	// a *LockedError.
	Wait bool

	Limits Limits
	// Probe measures the run. Its counters have the numbers of the Summary and the time of each
	// stage; its recording has a row for the run and one for each worker; its tracker has the
	// memory of recipes; its Run is the ID of the run in the history, by default a new one. The
	// run ends a frame of the counters every 100 ms, and one at its end; callers that push
	// frames themselves should pass a separate set. The zero value measures nothing.
	Probe profile.Probe
	// Observer follows the run; nil for none. With EveryAsset it gets events for assets that
	// need no work, too.
	Observer   Observer
	EveryAsset bool
}

func (o *CookOptions) of(p Project) session.Options {
	opt := p.options()
	opt.Scope.Patterns = o.Patterns
	opt.Mode.DryRun, opt.Mode.Force, opt.Mode.IgnoreStamps = o.DryRun, o.Force, o.IgnoreTimestamps
	opt.Mode.Strict, opt.Mode.StopOnFailure, opt.Mode.OutputsByFolder = o.Strict, o.StopOnFailure, o.OutputsByFolder
	opt.Limits, opt.Place.Remote, opt.Mode.EveryAction = o.Limits, p.Remote, o.EveryAsset
	opt.Probe, opt.Observer = o.Probe, o.Observer
	return opt
}

// Cook brings the output directory up to date with the asset directory. Assets that fail are counted in
// the Summary and reported to the Observer. Cook returns an error only if the run as a whole failed:
// a *ConfigError, a *LockedError, the error of ctx after an interrupt, or a failure to read or write
// the state of the output directory. The Summary then has the work that was done.
func Cook(ctx context.Context, p Project, opt CookOptions) (Summary, error) {
	begun, noted := time.Now(), false
	for {
		summary, beside, err := cookOnce(ctx, opt.of(p))
		summary.DryRun = opt.DryRun
		var locked *state.LockedError
		if !errors.As(err, &locked) || !opt.Wait && !beside {
			return summary, asPublic(err)
		}
		// A watcher is at work, or another cook, and the caller wants to wait.
		if !noted && (opt.Wait && !beside || time.Since(begun) > watch.LongWait) && opt.Observer != nil {
			noted = true
			opt.Observer.Note(locked.Process() + " works on the same output directory; waiting for it to end")
		}
		if !watch.Pause(ctx) {
			return summary, ctx.Err()
		}
	}
}

// cookOnce is Cook without waiting for the lock of the output directory. beside reports whether a
// watcher has the lock, is alive and will soon release it.
func cookOnce(ctx context.Context, opt session.Options) (_ Summary, beside bool, err error) {
	access := session.Ask
	if opt.Mode.DryRun {
		access = session.Look
	}
	s, err := session.Open(opt, access)
	if err != nil {
		return Summary{}, false, err
	}
	defer s.Close()
	told, beside := watch.Ask(ctx, s)
	if told != nil {
		stats.Publish(s, told)
		summary := summarize(told, s.Clock.Now().Sub(s.Clock.Started))
		summary.Told = true
		return summary, beside, ctx.Err()
	}
	if !opt.Mode.DryRun {
		if err := s.Lock(session.Write); err != nil {
			var locked *state.LockedError
			if errors.As(err, &locked) && beside {
				beside = watch.Alive(ctx, s) // it may have been stopped since, in the middle of a round
			}
			return Summary{}, beside, err
		}
	}
	done, err := pass.Run(ctx, s, nil)
	if err == nil {
		err = ctx.Err()
	}
	summary := summarize(&done.Stats, done.Took)
	summary.Behind = done.StaleTargets
	if summary.First = done.First != nil; summary.First {
		summary.Copied, summary.LeftOut = done.First.Copied, done.First.LeftOut
	}
	return summary, beside, err
}
