package cooktest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/cook/run"
	"github.com/assetcook/assetcook/profile/counters"
)

// Folders are what a run works with.
type Folders struct{ Assets, Out, Cache string }

// A Meal is what came of a run, as far as the promises go.
type Meal struct {
	Found  int // assets
	Failed int
	Worked int    // cooked, restored or cut off
	Told   bool   // by a watcher
	Line   string // for people
	// Unplanned are the sources of assets that failed before anything could be
	// planned for them. What was cooked of them before stays.
	Unplanned []string
}

// A Kitchen runs cook. Its error is that of the whole run.
type Kitchen func(ctx context.Context, f Folders, w Way) (Meal, error)

// InProcess is package cook. It cannot do what Way.List asks for, and does
// without.
func InProcess(ctx context.Context, f Folders, w Way) (Meal, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ctx, opt := w.Options(ctx, f)
	return Cook(ctx, opt)
}

// Options are those of a run, but for Way.List, and the context that it needs.
func (w Way) Options(ctx context.Context, f Folders) (context.Context, cook.Options) {
	opt := cook.Options{
		Dir: f.Assets, Out: f.Out, Cache: f.Cache, Workers: 2, Targets: w.Targets, Patterns: w.Patterns,
		Verify: w.Verify, OutputsByFolder: w.ByFolder, StopOnFailure: w.FirstFailure,
	}
	if w.Clock != 0 {
		opt.Now = func() time.Time { return time.Now().Add(time.Duration(w.Clock) * time.Second) }
	}
	var observer report.Multi
	if w.Long {
		observer = append(observer, everyAsset{})
	}
	if w.Cancel > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		observer = append(observer, &canceller{left: w.Cancel, cancel: cancel})
	}
	if len(observer) > 0 {
		opt.Observer = observer
	}
	return ctx, opt
}

// Cook runs package cook and says what came of it.
func Cook(ctx context.Context, opt cook.Options) (Meal, error) {
	var meal Meal
	seen := report.Multi{&collector{meal: &meal}}
	if opt.Observer != nil {
		seen = append(seen, opt.Observer)
	}
	opt.Observer = seen
	opt.Probe.Counters = counters.New(counters.Options{Max: 256})
	s, err := cook.Cook(ctx, opt)
	if d := CountedOtherwise(opt.Probe.Counters, &s); d != "" {
		return meal, errors.New(d)
	}
	meal.Found, meal.Failed = s.Found.Assets, s.Failed.Assets
	meal.Worked = s.Cooked.Assets + s.Restored.Assets + s.Cutoff.Assets
	meal.Told, meal.Line = s.Told, s.Line()
	return meal, err
}

// A collector notes which assets could not be planned.
type collector struct {
	report.Multi
	meal *Meal
}

func (c *collector) Event(e run.Event) {
	if e.Outcome == run.Failed && e.Action != nil && e.Action.Err != nil {
		c.meal.Unplanned = append(c.meal.Unplanned, e.Path)
	}
}

// everyAsset makes a run look at every asset.
type everyAsset struct{ report.Multi }

func (everyAsset) EveryAsset() bool { return true }

// A canceller interrupts a run.
type canceller struct {
	report.Multi
	left   int
	cancel context.CancelFunc
}

func (c *canceller) Event(run.Event) {
	if c.left--; c.left == 0 {
		c.cancel()
	}
}

// CountedOtherwise says where the counters and the summary of a run differ, "" if
// nowhere.
func CountedOtherwise(set *counters.Set, s *report.Summary) string {
	outcomes := s.UpToDate() + s.Cutoff.Assets + s.Restored.Assets + s.Cooked.Assets + s.Failed.Assets + s.NotReached.Assets
	if outcomes != s.Found.Assets {
		return fmt.Sprintf("%d assets have %d outcomes: %s", s.Found.Assets, outcomes, s.Line())
	}
	counted := set.Snapshot()
	for name, want := range s.Values() {
		if got, ok := counted.Of(name); ok && got.Int != want || !ok && want != 0 {
			return fmt.Sprintf("counter %s is %d, the summary has %d", name, got.Int, want)
		}
	}
	return ""
}
