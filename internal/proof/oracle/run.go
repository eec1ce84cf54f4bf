package oracle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/profile"
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/recipes"
)

// A Run holds a project and the options of all verbs; each verb uses some of them. The fields have
// the same meaning as in package cook.
type Run struct {
	Dir, Out, Config, Cache string
	Checksum                string
	Targets, Patterns       []string
	Recipes                 []recipe.Recipe // recipes in addition to package recipes; they replace recipes with the same name
	Workers                 int
	Memory, CacheSize       int64

	DryRun, Force, Strict, StopOnFailure, OutputsByFolder, Wait, EveryAsset bool
	// Verify sets the option IgnoreTimestamps.
	Verify   bool
	Probe    profile.Probe
	Observer cook.Observer
	Now      func() time.Time
	// Adjust changes the project before it is used. It may be nil.
	Adjust func(*cook.Project)
}

// Project returns the project to cook.
func (r Run) Project() cook.Project {
	p := cook.Project{
		Dir: r.Dir, Out: r.Out, Config: r.Config, Cache: r.Cache, Targets: r.Targets, Checksum: r.Checksum,
		Recipes: with(recipes.All(), r.Recipes), Now: r.Now, Engine: "own",
	}
	if r.Adjust != nil {
		r.Adjust(&p)
	}
	return p
}

// with returns a list of recipes with additional ones. An additional recipe replaces the recipe
// with the same name.
func with(all, more []recipe.Recipe) []recipe.Recipe {
	for _, m := range more {
		replaced := false
		for i := range all {
			if all[i].Name == m.Name {
				all[i], replaced = m, true
			}
		}
		if !replaced {
			all = append(all, m)
		}
	}
	return all
}

func (r Run) limits() cook.Limits {
	return cook.Limits{Workers: r.Workers, Memory: r.Memory, CacheSize: r.CacheSize}
}

// Cook calls cook.Cook.
func (r Run) Cook(ctx context.Context) (cook.Summary, error) {
	return cook.Cook(ctx, r.Project(), cook.CookOptions{
		Patterns: r.Patterns, DryRun: r.DryRun, Force: r.Force, IgnoreTimestamps: r.Verify, Strict: r.Strict,
		StopOnFailure: r.StopOnFailure, OutputsByFolder: r.OutputsByFolder, Wait: r.Wait, Limits: r.limits(),
		Probe: r.Probe, Observer: r.Observer, EveryAsset: r.EveryAsset,
	})
}

// Why calls cook.Why.
func (r Run) Why(ctx context.Context, path string) ([]cook.Explanation, error) {
	return cook.Why(ctx, r.Project(), path, cook.WhyOptions{
		IgnoreTimestamps: r.Verify, OutputsByFolder: r.OutputsByFolder, Workers: r.Workers, Observer: r.Observer,
	})
}

// A Check holds the options that only cook.Verify has.
type Check struct {
	Sample string
	Seed   uint64
	Found  func(cook.Finding)
}

// Check calls cook.Verify.
func (r Run) Check(ctx context.Context, c Check) (cook.Verified, error) {
	return cook.Verify(ctx, r.Project(), cook.VerifyOptions{
		Patterns: r.Patterns, Sample: c.Sample, Seed: c.Seed, Found: c.Found, Limits: r.limits(), Observer: r.Observer,
	})
}

// Watch calls cook.Watch.
func (r Run) Watch(ctx context.Context, round func(cook.Round)) error {
	return cook.Watch(ctx, r.Project(), cook.WatchOptions{
		Strict: r.Strict, StopOnFailure: r.StopOnFailure, OutputsByFolder: r.OutputsByFolder, Limits: r.limits(),
		Probe: r.Probe, Observer: r.Observer, Round: round,
	})
}

// Clean calls cook.Clean.
func (r Run) Clean(ctx context.Context) (int, error) {
	return cook.Clean(ctx, r.Project(), r.Observer)
}

// Trim calls cook.Trim.
func (r Run) Trim(ctx context.Context) (cook.Trimmed, error) {
	return cook.Trim(ctx, r.Cache, r.CacheSize)
}

// Folders holds the asset directory, the output directory and the store of a run.
type Folders struct{ Assets, Out, Cache string }

// A Result holds the values of a run's result that the checks use.
type Result struct {
	Found       int // number of assets
	Failed      int
	Worked      int    // number of assets that were cooked, restored or unchanged
	FromWatcher bool   // whether a watcher answered the request, so that this process did not cook
	Line        string // text of the summary
	// Unplanned lists the sources of assets that failed in planning. Their earlier outputs are
	// kept.
	Unplanned []string
}

// A Cooker runs cook. It returns an error only if the run as a whole fails.
type Cooker func(ctx context.Context, f Folders, mode Mode) (Result, error)

// InProcess calls package cook. It ignores Mode.List.
func InProcess(ctx context.Context, f Folders, mode Mode) (Result, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ctx, opt := mode.Options(ctx, f)
	return Cook(ctx, opt)
}

// Options returns the Run for a mode, and a context for the run. It ignores Mode.List.
func (mode Mode) Options(ctx context.Context, f Folders) (context.Context, Run) {
	opt := Run{
		Dir: f.Assets, Out: f.Out, Cache: f.Cache, Workers: 2, Targets: mode.Targets, Patterns: mode.Patterns,
		Verify: mode.Verify, OutputsByFolder: mode.ByFolder, StopOnFailure: mode.FirstFailure,
	}
	if mode.Clock != 0 {
		opt.Now = func() time.Time { return time.Now().Add(time.Duration(mode.Clock) * time.Second) }
	}
	var observer cook.Observers
	if mode.Full {
		opt.Checksum = "xxh64" // the index has no checksums of this function, so every file counts as changed
	}
	if mode.Cancel > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		observer = append(observer, &canceller{left: mode.Cancel, cancel: cancel})
	}
	if len(observer) > 0 {
		opt.Observer = observer
	}
	return ctx, opt
}

// Cook calls package cook and collects the Result.
func Cook(ctx context.Context, opt Run) (Result, error) {
	var result Result
	seen := cook.Observers{&collector{result: &result, started: map[[2]string]bool{}}}
	if opt.Observer != nil {
		seen = append(seen, opt.Observer)
	}
	opt.Observer = seen
	opt.Probe.Counters = counters.New(counters.Options{Max: 256})
	s, err := opt.Cook(ctx)
	if d := CountedOtherwise(opt.Probe.Counters, &s); d != "" {
		return result, errors.New(d)
	}
	result.Found, result.Failed = s.Found.Assets, s.Failed.Assets
	result.Worked = s.Cooked.Assets + s.Restored.Assets + s.Unchanged.Assets
	result.FromWatcher, result.Line = s.Told, s.String()
	return result, err
}

// A collector records which assets failed in planning.
type collector struct {
	cook.Observers
	result  *Result
	started map[[2]string]bool // pairs of source and target whose recipe has started
}

func (c *collector) Event(e cook.Event) {
	switch asset := [2]string{e.Path, e.Target}; {
	case e.Outcome == cook.Started:
		c.started[asset] = true
	case e.Outcome == cook.Failed && !c.started[asset]:
		c.result.Unplanned = append(c.result.Unplanned, e.Path)
	}
}

// A canceller cancels a run after a number of events.
type canceller struct {
	cook.Observers
	left   int
	cancel context.CancelFunc
}

func (c *canceller) Event(cook.Event) {
	if c.left--; c.left == 0 {
		c.cancel()
	}
}

// CountedOtherwise describes the first difference between the counters and the summary of a run, or
// returns "" if they agree.
func CountedOtherwise(set *counters.Set, s *cook.Summary) string {
	outcomes := s.UpToDate() + s.Unchanged.Assets + s.Restored.Assets + s.Cooked.Assets + s.NotShipped.Assets + s.Failed.Assets + s.NotReached.Assets
	if outcomes != s.Found.Assets {
		return fmt.Sprintf("%d assets have %d outcomes: %s", s.Found.Assets, outcomes, s.String())
	}
	counted := set.Snapshot()
	for name, want := range s.Values() {
		if got, ok := counted.Of(name); ok && got.Int != want || !ok && want != 0 {
			return fmt.Sprintf("counter %s is %d, the summary contains %d", name, got.Int, want)
		}
	}
	return ""
}
