package pass

import (
	"context"
	"iter"

	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/internal/parallel"
)

// Work is what was done about a plan.
type Work struct {
	*execute.Done
	// foreign are outputs whose names are taken by files that are not ours.
	foreign map[string]bool
}

// Execute does the work of t. See execute.Options for hesitate.
func Execute(ctx context.Context, s *Session, d *Delta, t *Todo, hesitate func()) (*Work, error) {
	if !d.Whole && len(d.Concerned) == 0 {
		return &Work{Done: &execute.Done{}}, nil
	}
	for _, source := range t.Unseen {
		s.Observer.Event(execute.Event{Path: source, Outcome: execute.NotReached})
	}
	s.notePortability(t.Plan)
	s.noteUnrecognized(t)
	suspect := s.suspect
	if s.Mode.Strict {
		s.lint(ctx, t)
		suspect = nil
	}
	s.Observer.Stage("cook")
	known := t.owned(d)
	owned := func(output string) bool { return known(output) || s.State.IsTag(output) }
	w := &Work{foreign: map[string]bool{}}
	if !s.Mode.DryRun {
		if err := s.writeJournal(t, owned, w.foreign); err != nil {
			return nil, err
		}
	}
	var err error
	w.Done, err = execute.Run(ctx, t.Plan, s.Env(t), execute.Options{
		Owned: owned, Workers: s.Limits.Workers, StopOnFailure: s.Mode.StopOnFailure, Strict: s.Mode.Strict,
		Hesitate: hesitate, DryRun: s.Mode.DryRun, Suspect: suspect, Report: s.Observer.Event, Warn: s.Observer.Note,
		Step: func(a *plan.Action, step string) { s.Observer.Step(a.Path, a.Target, step) },
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// writeJournal claims the outputs that are to be made, but for those whose names are
// foreign: no journal may make such a file ours.
func (s *Session) writeJournal(t *Todo, owned func(output string) bool, foreign map[string]bool) error {
	n := 0
	for range newOutputs(t.Plan) {
		n++
	}
	if n == 0 {
		return nil
	}
	finder := s.State.Finder()
	defer finder.Close()
	claims := append(make([]plan.Claim, 0, len(t.Claims)+n), t.Claims...)
	for _, c := range newOutputs(t.Plan) {
		if finder.MayBeFile(c.Output) && !owned(c.Output) {
			foreign[c.Output] = true
		} else {
			claims = append(claims, c)
		}
	}
	return s.State.WriteJournal(claims)
}

// Env is what actions work with.
func (s *Session) Env(t *Todo) execute.Env {
	memory := s.Limits.Memory
	if memory <= 0 { // asked for late: a no-op run has no use for it
		memory = DefaultMemory()
	}
	server, _ := remote.OptionsOf(s.Remote) // Open has judged it
	if !s.Probe.Run.IsZero() {
		server.Args = append(server.Args, "-run", s.Probe.Run.String())
	}
	work := ""
	if s.State != nil {
		work = s.State.Work()
	}
	return execute.Env{Work: work, Store: t.Store, Remote: server, Cook: cookone.Env{
		Assets: s.Assets, Out: s.Out, Contents: t.Contents, Artifacts: t.Artifacts, Checksum: s.Checksum, Memory: memory,
		Cores: parallel.NewCores(s.Limits.Workers), Now: s.Time.Now, Probe: s.Probe,
	}}
}

// newOutputs yields the outputs that a plan may make where the index knows of none, each
// with the number of its action.
func newOutputs(p *plan.Plan) iter.Seq2[int, plan.Claim] {
	return func(yield func(int, plan.Claim) bool) {
		for i := range p.Actions {
			a := &p.Actions[i]
			if !a.Runs() && (a.Err != nil || !a.IsLate()) {
				continue
			}
			for n, out := range a.Outputs {
				isNew := a.Last == nil || n >= len(a.Last.Outputs) || a.Last.Outputs[n].Artifact.Path != out
				if isNew && !yield(i, plan.Claim{Output: out, Source: a.Path, Target: a.Target}) {
					return
				}
			}
		}
	}
}
