package pass

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/commit"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/lint"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/stats"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/internal/todo"
	"github.com/assetcook/assetcook/profile/guid"
)

// observed returns a copy of the session with another observer.
func observed(s *session.Session, o session.Observer) *session.Session {
	with := *s
	with.Observer = o
	return &with
}

// withRunID returns a copy of the session with an ID for the run.
func withRunID(s *session.Session) *session.Session {
	with := *s
	if with.Probe.Run.IsZero() {
		with.Probe.Run = guid.New()
	}
	return &with
}

// ignoringDirtyStamps returns a copy of the session that trusts no stamps if the last run was
// interrupted while it synced sources to the disk.
func ignoringDirtyStamps(s *session.Session) *session.Session {
	if s.Out == nil || !s.State.Dirty() {
		return s
	}
	s.Observer.Note("the last run was interrupted while it synced sources to the disk; this run reads all sources again")
	with := *s
	with.Mode.IgnoreStamps = true
	return &with
}

// beginPass checks the owner of the output directory, reports problems and the plan, and records
// renames. Once beginPass was called, the pass cannot start again. narrow is set if a watcher
// restricted the pass to some directories.
func beginPass(s *session.Session, d *changes.Delta, t *todo.Todo, m *stats.Meter, narrow bool) error {
	if t.Works() {
		if err := s.CheckOwner(); err != nil {
			return err
		}
	}
	if d.Whole && !s.Mode.DryRun {
		if err := s.State.ClearLeftovers(); err != nil {
			return err
		}
	}
	for _, p := range d.Tree.Problems {
		if p.Fatal() {
			s.Observer.Event(execute.Event{Path: p.Path, Outcome: execute.Error, Err: errors.New(p.Reason())})
		}
	}
	lint.NewProblems(s, d, narrow)
	m.Stats.Looked = countLookedAt(d)
	m.Stats.Looked.Stats += t.Looked
	err := index.Guard(func() error {
		m.Stats.AddUpToDate(t.UpToDate, t.Touched)
		if s.Mode.EveryAction {
			d.ReportUpToDate(&s.Scope, m.Uncounted())
		}
		return nil
	})
	if err != nil {
		return err
	}
	if d.Whole || len(d.Concerned) > 0 {
		s.Observer.Planned(t.Expected())
	}
	return t.IDs.Record(s)
}

// countLookedAt returns the number of system calls that were made to find a delta.
func countLookedAt(d *changes.Delta) stats.Looked {
	n := stats.Looked{Listed: d.Tree.Listed, Opened: d.Tree.Listed, Stats: d.Tree.Stats}
	if d.Found != nil {
		n.Opened, n.Stats = d.Found.Opened, n.Stats+d.Found.Stats
	}
	return n
}

// Execute carries out a plan.
func Execute(ctx context.Context, s *session.Session, d *changes.Delta, t *todo.Todo, watching Watching) (commit.Work, error) {
	work := commit.Work{Done: &execute.Done{}}
	if !d.Whole && len(d.Concerned) == 0 {
		return work, nil
	}
	for _, source := range t.Plan.Unseen {
		s.Observer.Event(execute.Event{Path: source, Outcome: execute.NotReached})
	}
	lint.Portability(s, t.Plan)
	lint.Unrecognized(s, t)
	formats := s.Basis.Recipes.Formats()
	suspect := func(a *plan.Action, first func(n int64) ([]byte, error), file io.ReaderAt) []string {
		return lint.SuspectFile(formats, a, first, file)
	}
	if s.Mode.Strict {
		failActions(t.Plan, lint.SuspectErrors(ctx, s, t.Plan))
		suspect = nil
	}
	s.Observer.Stage("cook")
	owned := t.Owned(d, s)
	if !s.Mode.DryRun {
		foreign, err := commit.ClaimOutputs(s, t, owned)
		if err != nil {
			return work, err
		}
		work.Foreign = foreign
	}
	done, err := execute.Run(ctx, t.Plan, t.Env(s), execute.Options{
		Owned: owned, Workers: s.Limits.Workers, StopOnFailure: s.Mode.StopOnFailure, Strict: s.Mode.Strict,
		Hesitate: watching.Hesitate, KeepPlaced: watching.Changed != nil || watching.Learn != nil, DryRun: s.Mode.DryRun, Suspect: suspect, Report: s.Observer.Event, Warn: s.Observer.Note,
		Step: func(a *plan.Action, step string) { s.Observer.Step(a.Path, a.Target, step) },
	})
	if err != nil {
		return work, err
	}
	work.Done = done
	return work, nil
}

// failActions marks the actions that have an error as failed, even if they are up to date. Their
// outputs are kept.
func failActions(p *plan.Plan, errs []error) {
	for i, err := range errs {
		if err != nil {
			p.Actions[i].Err, p.Actions[i].State = err, plan.Rests
		}
	}
}

// addReading counts the files that were read to find the differences.
func addReading(to *stats.Stats, d *changes.Delta, t *todo.Todo, done *execute.Done) {
	to.Checksummed = stats.Count{Assets: int(d.Read.Files), In: d.Read.Bytes, Time: d.Read.Took + t.Reading + done.Learning}
	if t.Contents != nil {
		read := t.Contents.Read()
		to.Checksummed.Assets += int(read.Files.Load())
		to.Checksummed.In += read.Bytes.Load()
	}
}

// trimStore trims the store if a trim is due.
func trimStore(ctx context.Context, s *session.Session, store *store.Store) {
	if store != nil && store.TrimDue(s.Clock.Now(), s.Limits.CacheSize) {
		if _, err := store.Trim(ctx, s.Limits.CacheSize, s.Clock.Now()); err != nil && ctx.Err() == nil {
			s.Observer.Note(fmt.Sprintf("store: %v", err))
		}
	}
}

// finishPass ends the measurements. If the pass did any work, it adds the pass to the history. If
// that fails, it prints a note, and the pass still succeeds.
func finishPass(s *session.Session, done *Done, m *stats.Meter) {
	m.Stop()
	done.Stats, done.Took = m.Stats, s.Clock.Now().Sub(s.Clock.Started)
	if s.Mode.DryRun || !done.Stats.Worked() {
		return
	}
	p := stats.Past{ID: done.run, At: s.Clock.Started, Took: done.Took, Stages: m.Stages(), Detail: done.detail}
	if p.ID.IsZero() {
		p.ID = withRunID(s).Probe.Run
	}
	line, err := p.Line(&done.Stats)
	if err == nil {
		err = s.State.History.Add(line, stats.KeptLine)
	}
	if err != nil {
		s.Observer.Note(err.Error())
	}
}
