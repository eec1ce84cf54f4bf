// Package cook turns a directory of source assets into a directory of shippable assets, and does
// only the necessary work.
//
//	project := cook.Project{Dir: "assets", Recipes: recipes.All()}
//	summary, err := cook.Cook(ctx, project, cook.CookOptions{})
//
// Package recipes has the recipes of this module. Authors of recipes use package cook/recipe.
// Programs that add their own recipes use package cook/cli, which is the whole command.
//
// # How it works
//
// A run has four steps (package cook/internal/pass). Each step is a function of the values on its
// left:
//
//	index --changes--> delta --plan--> actions and reasons --execute--> artifacts --commit--> manifest, index
//
// The index has the stamps, checksums, blob IDs and actions of the last run. It is a cache: without
// it, a run reads more files but reaches the same result. A run compares the stamps in the index
// with the file system. An unchanged stamp that was old enough to be trusted proves that the
// content is the same. Otherwise the run reads the file and compares checksums. It plans only
// actions whose inputs or outputs differ, and records the reasons for each decision.
//
// # Why the output is never wrong
//
// A run writes the index after everything that the index describes is on the disk. An interrupted
// or crashed run leaves an older index: the next run sees too many differences, never too few.
// Complete artifacts are renamed into place. Before that, a run writes their names to a journal, so
// that even without an index cook can distinguish its own files from yours. It never touches your
// files.
//
// A run stamps a source before it reads it and again after cooking. If the source changed in
// between, the run discards the result.
//
// [Verify] checks all this for an output directory: it trusts no stamp, reads everything, and cooks
// a sample again under different conditions.
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

// CookOptions are the options of Cook. The zero value cooks all changed assets.
type CookOptions struct {
	// Patterns limit the run to matching sources. They are globs on paths below Dir, as in
	// rules: a directory stands for everything below it, and "!" excludes. Nil means all sources.
	Patterns []string
	// Shard limits the run to one of several parts of the sources, so that several machines can
	// share a cook. "3/8" is the third of eight parts; "" is the whole. A hash of its path
	// determines the part of a source.
	Shard string
	// DryRun reports the work that a run would do, without changing anything on the disk.
	DryRun bool
	// Force cooks everything, even if the result is known.
	Force bool
	// IgnoreTimestamps reads all sources and outputs and compares their checksums.
	IgnoreTimestamps bool
	// Strict treats warnings as errors. To find warnings, the run reads the first bytes of all
	// sources.
	Strict bool
	// StopOnFailure cooks no further assets after the first failure.
	StopOnFailure bool
	// OutputsByFolder skips the files of output directories whose stamp is unchanged. The run then
	// notices removed, renamed and replaced outputs, but not outputs edited in place.
	OutputsByFolder bool
	// Wait waits for the lock of the output directory if another cook holds it. Without Wait, Cook
	// returns a *LockedError.
	Wait bool

	Limits Limits
	// Probe measures the run; the zero value measures nothing. Its counters receive the numbers of
	// the Summary and the time of each stage. Its event recording gets a row for the run and for
	// each worker. Its memory tracker measures recipes. Probe.Run is the ID of the run in the
	// history, by default a new one.
	//
	// The run pushes a frame of the counters every 100 ms and at its end. Callers that push frames
	// themselves should pass a separate set of counters.
	Probe profile.Probe
	// Observer follows the run; may be nil. If EveryAsset is set, the Observer also receives events
	// for assets that need no work.
	Observer   Observer
	EveryAsset bool
}

func (o *CookOptions) sessionOptionsOf(p Project) session.Options {
	opt := p.sessionOptions()
	opt.Scope.Patterns, opt.Scope.Part = o.Patterns, o.Shard
	opt.Mode.DryRun, opt.Mode.Force, opt.Mode.IgnoreStamps = o.DryRun, o.Force, o.IgnoreTimestamps
	opt.Mode.Strict, opt.Mode.StopOnFailure, opt.Mode.OutputsByFolder = o.Strict, o.StopOnFailure, o.OutputsByFolder
	opt.Limits, opt.Place.Remote, opt.Mode.EveryAction = o.Limits, p.Remote, o.EveryAsset
	opt.Probe, opt.Observer = o.Probe, o.Observer
	return opt
}

// Cook brings the output directory up to date with the asset directory. It counts failed assets in
// the Summary and reports them to the Observer.
//
// Cook returns an error only if the run as a whole failed: a *ConfigError, a *LockedError, the
// error of ctx after an interrupt, or an error from reading or writing the state of the output
// directory. The Summary then describes the work done so far.
func Cook(ctx context.Context, p Project, opt CookOptions) (Summary, error) {
	begun, noted := time.Now(), false
	for {
		summary, beside, err := cookWithoutWaiting(ctx, opt.sessionOptionsOf(p))
		summary.DryRun = opt.DryRun
		var locked *state.LockedError
		if !errors.As(err, &locked) || !opt.Wait && !beside {
			return summary, asPublic(err)
		}
		// Wait for the other cook, or for the watcher that will soon release the lock.
		if !noted && (opt.Wait && !beside || time.Since(begun) > watch.LongWait) && opt.Observer != nil {
			noted = true
			opt.Observer.Note(locked.Process() + " works on the same output directory; waiting for it to end")
		}
		if !watch.Pause(ctx) {
			return summary, ctx.Err()
		}
	}
}

// cookWithoutWaiting is like Cook but does not wait for the lock. beside reports whether a live
// watcher holds the lock and will soon release it.
func cookWithoutWaiting(ctx context.Context, opt session.Options) (_ Summary, beside bool, err error) {
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
		summary := summaryOfStats(told, s.Clock.Now().Sub(s.Clock.Started))
		summary.Told = true
		return summary, beside, ctx.Err()
	}
	if !opt.Mode.DryRun {
		if err := s.Lock(session.Write); err != nil {
			var locked *state.LockedError
			if errors.As(err, &locked) && beside {
				beside = watch.Alive(ctx, s) // the watcher may have been stopped during a round
			}
			return Summary{}, beside, err
		}
	}
	done, err := pass.Run(ctx, s, nil)
	var config *ConfigError
	if errors.As(err, &config) && !opt.Mode.DryRun {
		err = errors.Join(err, s.Abandon())
	}
	if err == nil {
		err = ctx.Err()
	}
	summary := summaryOfPass(&done)
	summary.Behind, summary.Expected = done.StaleTargets, done.Expected
	return summary, beside, err
}

// summaryOfPass returns the summary of a pass, with the notes of a first run.
func summaryOfPass(done *pass.Done) Summary {
	summary := summaryOfStats(&done.Stats, done.Took)
	if summary.First = done.First != nil; summary.First {
		summary.Copied, summary.LeftOut, summary.AnyEngine = done.First.Copied, done.First.LeftOut, done.First.AnyEngine
	}
	return summary
}

// WatchOptions are the options of Watch. Fields of the same name mean the same as in CookOptions.
type WatchOptions struct {
	Strict          bool
	StopOnFailure   bool
	OutputsByFolder bool
	Limits          Limits
	Probe           profile.Probe
	Observer        Observer
	// Round is called after the first round, and after each round that did work or had a new
	// result.
	Round func(Round)
}

// A Round is one run of a watcher.
type Round struct {
	Summary Summary
	Err     error
	// Rules is the error in the current rules, or nil. After an error, the round used the last
	// valid rules.
	Rules error
	// Folders is the number of watched directories. It is 0 if the system cannot watch directories;
	// the watcher then scans the tree regularly.
	Folders int
}

// Watch cooks, and cooks again after each change, until ctx ends. It returns the error of ctx, or
// the error of the first round if that round could not begin.
//
// While Watch runs, a Cook with the same options queries the watcher instead of scanning the tree.
// Between two rounds, the Observer is in the stage "wait".
func Watch(ctx context.Context, p Project, opt WatchOptions) error {
	o := p.sessionOptions()
	o.Mode.Strict, o.Mode.StopOnFailure, o.Mode.OutputsByFolder = opt.Strict, opt.StopOnFailure, opt.OutputsByFolder
	o.Limits, o.Probe, o.Observer = opt.Limits, opt.Probe, opt.Observer
	o.Place.Remote = p.Remote
	return asPublic(watch.Run(ctx, o, func(r watch.Round) {
		if opt.Round != nil {
			opt.Round(Round{summaryOfPass(&r.Done), asPublic(r.Err), asPublic(r.Rules), r.Folders})
		}
	}))
}
