package oracle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/profile/counters"
)

// Directories contains the asset directory, the output directory and the store of a run.
type Folders struct{ Assets, Out, Cache string }

// A Result contains the parts of a run's result that the checks use.
type Result struct {
	Found       int // assets
	Failed      int
	Worked      int    // cooked, restored or unchanged
	FromWatcher bool   // answered by a watcher
	Line        string // text of the summary
	// Unplanned lists the sources of assets that failed during planning. Their earlier outputs
	// are kept.
	Unplanned []string
}

// A Cooker runs cook. It returns an error only if the run as a whole failed.
type Cooker func(ctx context.Context, f Folders, mode Mode) (Result, error)

// InProcess calls package cook. It ignores Mode.List.
func InProcess(ctx context.Context, f Folders, mode Mode) (Result, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ctx, opt := mode.Options(ctx, f)
	return Cook(ctx, opt)
}

// Options returns the Run for a mode, and the context to run it with. It ignores
// Mode.List.
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
		opt.Checksum = "xxh64" // the index does not contain this checksum, so every file counts as changed
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

// A collector records which assets failed during planning.
type collector struct {
	cook.Observers
	result  *Result
	started map[[2]string]bool // sources and targets
}

func (c *collector) Event(e cook.Event) {
	switch asset := [2]string{e.Path, e.Target}; {
	case e.Outcome == cook.Started:
		c.started[asset] = true
	case e.Outcome == cook.Failed && !c.started[asset]:
		c.result.Unplanned = append(c.result.Unplanned, e.Path)
	}
}

// A canceller interrupts a run after a number of events.
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

// CountedOtherwise describes the first difference between the counters and the summary of a run;
// "" if there is none.
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
