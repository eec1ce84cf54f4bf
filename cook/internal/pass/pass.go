// Package pass brings an output directory up to date with a tree of assets:
//
//	s     := session.Open      directories, lock, clock; immutable
//	last  := s.LoadIndex       the index of the last run
//	delta := changes.Find      the differences, and the sources that they concern
//	todo  := todo.Make         the work, with a reason for each action; pure in package plan
//	work  := Execute           the only stage that cooks or writes artifacts
//	         commit.Commit     manifest, one sync, index
//
// All passes go through the same stages. In a first run everything differs, in a no-op run nothing
// does, and a watcher's round examines only some directories. A dry run ends before it writes. Each
// stage returns its result as a value, so the pass can abandon a stage by discarding the value.
package pass

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/commit"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/lint"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/stats"
	"github.com/assetcook/assetcook/cook/internal/todo"
	"github.com/assetcook/assetcook/profile/guid"
)

// Done is the result of a pass.
type Done struct {
	Stats stats.Stats
	Took  time.Duration // time since the session began
	// Expected is the expected wall time of cooking. Only a dry run sets it.
	Expected time.Duration
	// Delta has the differences that the pass found. It is nil if the whole tree counted as
	// different.
	Delta   *changes.Delta
	Actions []index.Action // current actions of the sources in Delta
	Targets []string
	Rules   *session.RuleTexts // rules that the pass used; nil if it used none
	// First has the notes of a first run; nil for later runs.
	First *FirstRun
	// Placed has the absolute names of the files renamed into place, if Watching.Learn is set.
	Placed []string
	// StaleTargets are targets that have work to do, but that the pass did not cook.
	StaleTargets []string

	detail *execute.Detail
	run    guid.ID // ID in the history; zero until the run has one
}

// Run brings the output directory up to date. If it returns an error, Done describes the work
// done so far.
func Run(ctx context.Context, s *session.Session, where changes.Where) (Done, error) {
	return RunWatched(ctx, s, where, Watching{})
}

// Watching holds the functions that a pass calls for a watcher. Each may be nil.
type Watching struct {
	// Changed is called when all artifacts are in place. Work that only the next run needs follows.
	Changed func([]Changed)
	// Hesitate is called before a new failure is recorded; see execute.Options.
	Hesitate func()
	// Learn is called at the end of the pass, while references to the delta's index are still
	// valid.
	Learn func(*Done) error
}

// RunWatched is like Run, for a watcher.
func RunWatched(ctx context.Context, s *session.Session, where changes.Where, watching Watching) (done Done, err error) {
	meter := stats.NewMeter(s)
	s = observed(s, meter)
	defer func() { finishPass(s, &done, meter) }()
	last, err := s.LoadIndex()
	if err != nil {
		return done, err
	}
	defer last.Close()
	s.Observer.Stage("scan")
	s = ignoringDirtyStamps(s)
	done, err = runPass(ctx, s, last.Index, where, watching, meter)
	if errors.Is(err, index.ErrFault) && last.ID() != "" && ctx.Err() == nil {
		// A damaged part of the index was read while the plan was carried out, but not while it was
		// made.
		s.Observer.Note(fmt.Sprintf("%v; this run checks everything again", s.State.Index.Describe(err)))
		s.Observer.Stage("scan")
		done, err = runPass(ctx, s, index.Empty(), nil, watching, meter)
	}
	return done, err
}

// runPass runs the stages of a pass, given the index of the last run.
func runPass(ctx context.Context, s *session.Session, last *index.Index, where changes.Where, watching Watching, meter *stats.Meter) (Done, error) {
	delta, t, err := Decide(ctx, s, last, where)
	if err != nil {
		return Done{}, err
	}
	done := decided(delta, t)
	if err := beginPass(s, delta, t, meter, where != nil); err != nil {
		return done, err
	}
	if !s.Mode.DryRun && t.Works() {
		s = withRunID(s) // other machines see the ID as the origin of results
		done.run = s.Probe.Run
	}
	foreseen := &forecast{Observer: s.Observer}
	if s.Mode.DryRun {
		observed := *s
		observed.Observer = foreseen
		s = &observed
	}
	work, err := Execute(ctx, s, delta, t, watching)
	addReading(&meter.Stats, delta, t, work.Done)
	done.detail, meter.Stats.Remote = work.Done.Detail, work.Done.Remote
	if err == nil && ctx.Err() == nil && meter.Stats.Found.Assets == 0 && meter.Stats.Errors == 0 && s.Scope.Whole() {
		lint.EmptyTree(ctx, s)
	}
	if err != nil || s.Mode.DryRun {
		done.Expected = foreseen.expectedTime(last, s.Limits.Workers)
		return done, errors.Join(err, ctx.Err())
	}
	if watching.Changed != nil {
		watching.Changed(changedArtifacts(delta, t, work.Done))
	}
	if t.Works() {
		if err := s.State.SetOwner(s.Assets.Name()); err != nil {
			s.Observer.Note(err.Error())
		}
	}
	store, placed := t.Store, work.Done.Placed
	committed, err := commitWork(s, delta, t, work)
	done.Actions, done.StaleTargets = committed.Actions, committed.StaleTargets
	if err != nil {
		return done, err
	}
	if watching.Learn != nil {
		done.Placed = committed.Replaced
		for file := range placed {
			done.Placed = append(done.Placed, filepath.Join(s.Out.Name(), filepath.FromSlash(file)))
		}
		if err := index.Guard(func() error { return watching.Learn(&done) }); err != nil {
			return done, err
		}
	}
	trimStore(ctx, s, store)
	return done, ctx.Err()
}

// commitWork commits the work of a pass. After a run over the whole tree, the index was checked, so
// it needs no guard. In that case, commitWork keeps no reference to the delta and the plan, which
// take as much memory as the next index.
func commitWork(s *session.Session, delta *changes.Delta, t *todo.Todo, work commit.Work) (committed commit.Committed, err error) {
	if delta.Whole {
		return commit.Commit(s, delta, t, work)
	}
	err = index.Guard(func() (err error) { committed, err = commit.Commit(s, delta, t, work); return err })
	return committed, err
}

// decided returns the fields of Done that are known after planning.
func decided(delta *changes.Delta, t *todo.Todo) Done {
	done := Done{Targets: t.Targets}
	if !delta.Whole {
		done.Delta = delta
	}
	if t.Rules != nil {
		done.Rules = &t.Rules.Texts
	}
	if delta.Whole && delta.Last.ID() == "" {
		done.First = firstRun(delta, t)
	}
	return done
}

// Decide finds the differences from the last run and plans the work. It changes nothing.
func Decide(ctx context.Context, s *session.Session, last *index.Index, where changes.Where) (*changes.Delta, *todo.Todo, error) {
	delta, err := changes.Find(ctx, s, last, where)
	if err != nil {
		return nil, nil, err
	}
	if delta.Whole {
		t, err := planWork(ctx, s, delta)
		return delta, t, err
	}
	var t *todo.Todo
	err = index.Guard(func() (err error) { t, err = planWork(ctx, s, delta); return err })
	if err == nil && !t.Partial() {
		return delta, t, nil
	}
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	// A full listing determines why this decision failed: unreadable rules, a clash of outputs, or
	// a damaged index.
	s.Observer.Stage("scan")
	if delta, err = changes.ListTree(ctx, s, s.CheckedIndex(last)); err != nil {
		return nil, nil, err
	}
	t, err = planWork(ctx, s, delta)
	return delta, t, err
}

// planWork plans the work for a delta and checks the rules.
func planWork(ctx context.Context, s *session.Session, delta *changes.Delta) (*todo.Todo, error) {
	t, err := todo.Make(ctx, s, delta)
	if err != nil {
		return nil, err
	}
	return t, lint.Rules(s, delta, t)
}
