package execute

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/internal/pathname"
)

// waves are what bundles are cooked in: each has those that need nothing which is still to be
// made. What a bundle takes is known when it asks; if another one makes some of it, then the
// one that asked begins again in the next wave.
type waves struct {
	mu     sync.Mutex
	begun  map[int]bool
	waits  map[int]error // actions that have asked in vain
	active bool
}

// started reports whether an action was begun in an earlier wave.
func (s *waves) started(i int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.active {
		return false
	}
	again := s.begun[i]
	s.begun[i] = true
	return again
}

// wait reports whether an action ended only because it asked for what is still to be made.
func (s *waves) wait(i int, err error) bool {
	var wait *waitError
	if !errors.As(err, &wait) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits[i] = wait
	return true
}

// bundles carries out the actions that wait for the others, wave by wave.
func (r *runner) bundles(ctx context.Context, waiting []int, begin time.Time) {
	s := &r.waves
	s.active, s.begun = true, map[int]bool{}
	for len(waiting) > 0 {
		s.waits = map[int]error{}
		r.Artifacts.begin(waiting)
		var ready []int
		for _, i := range waiting {
			if ctx.Err() != nil {
				r.finish(i, Result{Outcome: NotReached}, nil, 0)
			} else if err := r.decide(i); err != nil {
				s.waits[i] = err
			} else if r.plan.Actions[i].Runs {
				ready = append(ready, i)
			} else {
				r.rests(i)
				r.Artifacts.close(i)
			}
		}
		r.carryOut(ctx, ready, begin)
		rest := slices.DeleteFunc(slices.Clone(waiting), func(i int) bool { return s.waits[i] == nil })
		if len(rest) == len(waiting) {
			for _, i := range rest {
				r.failWaiting(i, s.waits[i])
			}
			return
		}
		waiting = rest
	}
}

// decide decides about an action that waited. The error says what it still waits for: only
// artifacts that were asked for the last time, and are to be made, can tell whether it has to
// be cooked.
func (r *runner) decide(i int) error {
	r.plan.Decide(i)
	a := &r.plan.Actions[i]
	if a.Last == nil {
		return nil
	}
	other := func(reason plan.Reason) bool { return reason.Kind != plan.ArtifactsChanged }
	if a.Runs && slices.ContainsFunc(a.Reasons, other) {
		return nil // and what it asks for now is not known
	}
	for _, d := range a.Last.Deps {
		var wait *waitError
		if pathname.IsArtifacts(d.Path) && errors.As(r.Contents.At(context.Background(), d.Path).Err, &wait) {
			a.Runs = false
			return wait
		}
	}
	return nil
}

// failWaiting ends an action that waits for itself.
func (r *runner) failWaiting(i int, err error) {
	a := &r.plan.Actions[i]
	res := Result{Outcome: Failed, State: index.Failed, Err: err}
	if !r.DryRun {
		w := &worker{runner: r}
		res = w.fail(context.Background(), planned{Action: a}, err)
	}
	r.finish(i, res, nil, 0)
}
