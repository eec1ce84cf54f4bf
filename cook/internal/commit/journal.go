package commit

import (
	"iter"
	"path"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/hashname"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/todo"
)

// ClaimOutputs claims the new outputs of a plan in the journal. Outputs whose names belong to
// files that cook did not make are foreign: ClaimOutputs skips and returns them. owned reports
// whether cook made a file.
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
		isForeign := finder.MayBeFile(c.Output) && !owned(c.Output)
		if name, ok := hashname.Parse(c.Target, c.Output); ok && t.Plan.Finals.Any {
			isForeign = slices.ContainsFunc(finder.Fitting(name), func(file string) bool { return !owned(file) })
		}
		if isForeign {
			foreign[c.Output] = true
		} else {
			claims = append(claims, c)
		}
	}
	return foreign, s.State.Journal.Write(claims)
}

// newOutputs yields the outputs that a plan may make and that the index lacks, each with the
// number of its action.
func newOutputs(p *plan.Plan) iter.Seq2[int, plan.Claim] {
	return func(yield func(int, plan.Claim) bool) {
		for i := range p.Actions {
			a := &p.Actions[i]
			if !a.Runs() && (a.Err != nil || !a.IsLate()) {
				continue
			}
			for n, out := range a.Outputs {
				isNew := a.Last == nil || n >= len(a.Last.Outputs) || !a.HashName(n).IsZero() || a.Last.Outputs[n].Artifact.Path != out
				if isNew && !yield(i, plan.Claim{Output: out, Source: a.Path, Target: a.Target}) {
					return
				}
			}
		}
	}
}

// openClaims returns the outputs that cook made but the next index lacks. Some could not be
// removed. Others belong to sources that this run did not reach. actions are the actions of the
// next index.
//
// old lists outputs with {hash} that no action makes and no artifact names any more. They need no
// claim, because they are removed once the new manifest is written.
func (r run) openClaims(actions []index.Action) (open, old []plan.Claim) {
	finder := r.s.State.Finder()
	defer finder.Close()
	candidates := slices.Clone(r.todo.Claims)
	for i, cl := range newOutputs(r.todo.Plan) {
		res := &r.work.Done.Results[i]
		name, hashed := hashname.Name{}, false
		if res.Action.HasHashes() {
			name, hashed = hashname.Parse(cl.Target, cl.Output)
		}
		isOutput := func(m index.Artifact) bool { return m.Path == cl.Output || name.Fits(m.Path) }
		switch {
		case res.State == index.Done && slices.ContainsFunc(res.Made, isOutput):
		case hashed && !r.work.Foreign[cl.Output]:
			for _, file := range finder.Fitting(name) {
				candidates = append(candidates, plan.Claim{Output: file, Source: cl.Source, Target: cl.Target})
			}
		default:
			candidates = append(candidates, cl)
		}
	}
	old = r.oldOutputs(actions)
	isOld := map[string]bool{}
	for _, cl := range old {
		isOld[cl.Output] = true
	}
	remade := r.remadeArtifacts()
	for i := range r.delta.Before {
		a := &r.delta.Before[i]
		for _, m := range a.Made {
			if !remade(a, m.Path) {
				candidates = append(candidates, plan.Claim{Output: m.Path, Source: a.Path, Target: a.Target})
			}
		}
	}
	if len(candidates) == 0 {
		return nil, old
	}
	// An output in the manifest needs no claim, even if the index is lost.
	known := map[string]bool{}
	for i := range actions {
		if a := &actions[i]; a.State == index.Done {
			for _, m := range a.Made {
				known[m.Path] = true
			}
		}
	}
	for i, cl := range candidates {
		if known[cl.Output] || isOld[cl.Output] {
			continue
		}
		known[cl.Output] = true
		if finder.MayBeFile(cl.Output) && !r.work.Foreign[cl.Output] || r.isStuck(cl.Output) || i < len(r.todo.Claims) && r.leavesFolder(cl) {
			open = append(open, cl)
		}
	}
	return open, old
}

// remadeArtifacts returns a function that reports whether this run left an artifact of a known
// action in place, or made it again under the same path. The known actions must come in the order of
// the delta, which is the order of the plan. Otherwise the function may return false.
func (r run) remadeArtifacts() func(known *index.Action, path string) bool {
	next := 0 // result of the first planned action that may belong to a known action
	results := r.work.Done.Results
	return func(known *index.Action, path string) bool {
		for next < len(results) && results[next].Action.Path < known.Path {
			next++
		}
		for i := next; i < len(results) && results[i].Action.Path == known.Path; i++ {
			if res := &results[i]; res.Action.Target == known.Target {
				return res.State == index.Done && slices.ContainsFunc(res.Made, func(m index.Artifact) bool { return m.Path == path })
			}
		}
		return false
	}
}

// oldOutputs returns the outputs with {hash} to remove: no action makes them, and no artifact
// names them. A run over part of the tree does not know all artifacts, so it leaves these
// outputs to the next full run.
func (r run) oldOutputs(actions []index.Action) (old []plan.Claim) {
	f := &r.todo.Plan.Finals
	if len(f.Old) == 0 || !r.s.Scope.Whole() {
		return nil
	}
	named := map[string]bool{}
	for i := range actions {
		for _, m := range actions[i].Made {
			named[m.Path] = true
		}
		for _, d := range actions[i].Deps {
			if final, ok := plan.FinalName(d); ok {
				named[final] = true
			}
		}
	}
	for _, o := range f.Old {
		if !named[o.Path] {
			old = append(old, plan.Claim{Output: o.Path, Source: o.Source, Target: o.Target})
		}
	}
	return old
}

// leavesFolder reports whether a removed output left a directory behind. The next run for its
// target removes the directory if nothing needs it.
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
