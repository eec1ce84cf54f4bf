package execute

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/artifacts"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/place"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/internal/dependency"
)

// removed returns the event that reports a removed output.
func removed(is place.Removal) Event {
	e := Event{Path: is.Source, Target: is.Target, Outcome: Removed, Out: is.Size, Err: is.Err}
	if is.Output != "" {
		e.Outputs = []string{is.Output}
	}
	if is.Err != nil {
		e.Outcome = Error
	}
	return e
}

func (r *run) finishResting(i int, a *plan.Action) {
	made := make([]index.Artifact, len(a.Last.Outputs))
	for k := range a.Last.Outputs {
		made[k] = cookone.AsFound(&a.Last.Outputs[k])
	}
	r.finishAction(i, Result{Action: a, Outcome: UpToDate, CookTime: a.Last.CookTime, Made: made}, nil, 0)
}

// finishAction records and reports the result of an action, and its warnings.
func (r *run) finishAction(i int, res Result, warnings []string, took time.Duration) {
	if res.Outcome == Failed && r.opt.StopOnFailure {
		r.queue.stopped.Store(true)
	}
	r.results[i] = res
	r.reports.reportResult(&r.results[i], warnings, took)
}

// endWaiting ends an action that can never run. If on is nil, the run ended early. Otherwise the
// action and its dependency wait for each other, directly or indirectly.
func (r *run) endWaiting(i int, on *dependency.Dependency) {
	a := cmp.Or(r.results[i].Action, &r.plan.Actions[i]) // results has the action only if its decision was made
	if on == nil {
		r.finishAction(i, Result{Action: a, Outcome: NotReached}, nil, 0)
		return
	}
	err := error(r.env.Artifacts.Pending(*on))
	res := Result{Outcome: Failed, State: index.Failed, Err: err}
	if !r.opt.DryRun {
		res = r.failedResult(context.Background(), a, err)
	}
	res.Action = a
	r.finishAction(i, res, nil, 0)
}

// failedResult returns the result of an action that failed. It removes artifacts that do not match
// the current inputs.
func (r *run) failedResult(ctx context.Context, a *plan.Action, err error) Result {
	res := Result{Outcome: Failed, State: index.Failed}
	if a.Last != nil {
		res.CookTime, res.Made = a.Last.CookTime, a.Last.Made
	}
	if ctx.Err() == nil {
		res.Made = r.outputs.StillGood(a)
		stale := r.outputs.RemoveStale(a, res.Made, func(is place.Removal) { r.reports.reportEvent(removed(is)) })
		err = errors.Join(err, stale)
	}
	res.Err = err
	return res
}

// strictly returns an error with the warnings if Options.Strict is set.
func (r *run) strictly(warnings []string) error {
	if r.opt.Strict && len(warnings) > 0 {
		return errors.New(strings.Join(warnings, "; "))
	}
	return nil
}

// progress implements artifacts.Progress.
type progress struct{ run *run }

func (p progress) Settled(i int) bool { return p.run.queue.schedule.isSettled(i) }

func (p progress) Made(i int) artifacts.Made {
	res := &p.run.results[i]
	a := res.Action
	complete := a.Err == nil && res.State == index.Done && res.Outcome != Failed && len(res.Made) == len(a.Outputs)
	return artifacts.Made{
		Complete: complete, Artifacts: res.Made,
		Failed:  !p.run.opt.DryRun || res.Outcome == Failed, // a dry run does not know the outputs
		Changed: res.Outcome != UpToDate && res.Outcome != Unchanged,
	}
}
