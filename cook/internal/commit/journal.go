package commit

import (
	"iter"
	"path"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/todo"
)

// ClaimOutputs claims the new outputs of a plan in the journal. It skips and returns the foreign
// ones: outputs whose names belong to files that cook did not make. owned reports whether cook
// made a file.
func ClaimOutputs(s *session.Session, t *todo.Todo, owned func(output string) bool) (foreign map[string]bool, err error) {
	n := 0
	for range newOutputs(t.Plan) {
		n++
	}
	if n == 0 {
		return nil, nil
	}
	finder := s.State.Finder()
	defer finder.Close()
	foreign = map[string]bool{}
	claims := append(make([]plan.Claim, 0, len(t.Claims)+n), t.Claims...)
	for _, c := range newOutputs(t.Plan) {
		if finder.MayBeFile(c.Output) && !owned(c.Output) {
			foreign[c.Output] = true
		} else {
			claims = append(claims, c)
		}
	}
	return foreign, s.State.Journal.Write(claims)
}

// newOutputs yields the outputs that a plan may make and the index does not have, each with the
// number of its action.
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

// openClaims returns the outputs that are ours although the next index does not have them:
// artifacts that could not be removed, and artifacts of sources that this run did not reach
// after the index was lost or another action took their names. actions are the actions of the
// next index.
func (r run) openClaims(actions []index.Action) []plan.Claim {
	candidates := slices.Clone(r.todo.Claims)
	for i, cl := range newOutputs(r.todo.Plan) {
		if r := &r.work.Done.Results[i]; r.State != index.Done || !slices.ContainsFunc(r.Made, func(m index.Artifact) bool { return m.Path == cl.Output }) {
			candidates = append(candidates, cl)
		}
	}
	for i := range r.delta.Before {
		a := &r.delta.Before[i]
		for _, m := range a.Made {
			candidates = append(candidates, plan.Claim{Output: m.Path, Source: a.Path, Target: a.Target})
		}
	}
	if len(candidates) == 0 {
		return nil
	}
	// An output in the manifest needs no claim even if the index is lost. The manifest does
	// not have the earlier outputs of a failed action; these are among Before.
	known := map[string]bool{}
	for i := range actions {
		if a := &actions[i]; a.State == index.Done {
			for _, m := range a.Made {
				known[m.Path] = true
			}
		}
	}
	var open []plan.Claim
	finder := r.s.State.Finder()
	defer finder.Close()
	for i, cl := range candidates {
		if known[cl.Output] {
			continue
		}
		known[cl.Output] = true
		if finder.MayBeFile(cl.Output) && !r.work.Foreign[cl.Output] || r.isStuck(cl.Output) || i < len(r.todo.Claims) && r.leavesFolder(cl) {
			open = append(open, cl)
		}
	}
	return open
}

// leavesFolder reports whether a removed output left a directory that the next run for its target
// is to remove if nothing needs it.
func (r run) leavesFolder(cl plan.Claim) bool {
	dir := path.Dir(cl.Output)
	return dir != "." && !slices.Contains(r.todo.Targets, cl.Target) && r.todo.Rules.Set.HasTarget(cl.Target) && r.s.State.MayExist(dir)
}

// isStuck reports whether an output left an empty directory that could not be removed. The claim
// stays until the directory is gone.
func (r run) isStuck(output string) bool {
	for dir := path.Dir(output); dir != "."; dir = path.Dir(dir) {
		if r.work.Done.Stuck[dir] {
			return true
		}
	}
	return false
}
