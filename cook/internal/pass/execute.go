package pass

import (
	"context"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/internal/parallel"
)

// Work is what was done about a plan.
type Work struct {
	*execute.Done
	// foreign are outputs whose names are taken by files that are not ours.
	foreign map[string]bool
}

// Execute does what is to be done.
func Execute(ctx context.Context, s *Session, d *Delta, t *Todo) (*Work, error) {
	if !d.Whole && len(d.Concerned) == 0 {
		return &Work{Done: &execute.Done{}}, nil
	}
	for _, source := range t.Unseen {
		s.Observer.Event(execute.Event{Path: source, Outcome: execute.NotReached})
	}
	s.notePortability(t.Plan)
	suspect := s.suspect
	if s.Mode.Strict {
		s.lint(ctx, t)
		suspect = nil
	}
	s.Observer.Stage("cook")
	owned := t.owned(d)
	w := &Work{foreign: map[string]bool{}}
	if !s.Mode.DryRun {
		if claims := newOutputs(t.Plan); len(claims) > 0 {
			claims = slices.DeleteFunc(claims, func(c plan.Claim) bool {
				if s.State.MayBeFile(c.Output) && !owned(c.Output) {
					w.foreign[c.Output] = true
				}
				return w.foreign[c.Output] // no journal may make it ours
			})
			if err := s.State.WriteJournal(append(slices.Clone(t.Claims), claims...)); err != nil {
				return nil, err
			}
		}
	}
	var err error
	w.Done, err = execute.Run(ctx, t.Plan, s.Env(t), execute.Options{
		Owned: owned, Workers: s.Limits.Workers, StopOnFailure: s.Mode.StopOnFailure, Strict: s.Mode.Strict,
		DryRun: s.Mode.DryRun, Suspect: suspect, Report: s.Observer.Event, Warn: s.Observer.Note,
	})
	return w, err
}

// Env is what actions work with.
func (s *Session) Env(t *Todo) execute.Env {
	memory := s.Limits.Memory
	if memory <= 0 { // asked for late: a no-op run has no use for it
		memory = DefaultMemory()
	}
	return execute.Env{
		Assets: s.Assets, Out: s.Out, Contents: t.Contents, Checksum: s.Checksum, Store: t.Store, Memory: memory,
		Cores: parallel.NewCores(s.Limits.Workers), Now: s.Time.Now, Probe: s.Probe,
	}
}

// newOutputs lists the outputs that a plan may make where the index knows of none.
func newOutputs(p *plan.Plan) []plan.Claim {
	var claims []plan.Claim
	for i := range p.Actions {
		a := &p.Actions[i]
		if !a.Runs {
			continue
		}
		for n, out := range a.Outputs {
			if a.Last == nil || n >= len(a.Last.Outputs) || a.Last.Outputs[n].Artifact.Path != out {
				claims = append(claims, plan.Claim{Output: out, Source: a.Path, Target: a.Target})
			}
		}
	}
	return claims
}
