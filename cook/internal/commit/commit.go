// Package commit records the results of a pass for the next pass.
//
// [ClaimOutputs] writes the journal before anything is made: it claims the names of new outputs.
// [Commit] then writes the manifest, syncs each file system once, and writes the index (package
// state). Both write an amount of data proportional to the changes.
//
// The index lists its valid targets. These are the targets of this run, if every action ended. For
// each other target, the index also lists the sources that the next run must recheck.
package commit

import (
	"context"
	"maps"
	"path"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/todo"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Work is the execution of a plan.
type Work struct {
	Done    *execute.Done
	Foreign map[string]bool
}

// Committed is the result of Commit.
type Committed struct {
	// Actions are the new actions of the changed sources. They are nil after a run over the whole
	// tree.
	Actions []index.Action
	// StaleTargets are other targets with pending sources.
	StaleTargets []string
	// Replaced are the absolute names of the replaced files of the manifest.
	Replaced []string
}

// A run bundles the arguments of Commit.
type run struct {
	s     *session.Session
	delta *changes.Delta
	todo  *todo.Todo
	work  Work
}

// manyActions is the number of actions whose plan is worth returning to the system, before the
// manifest and the index take memory.
const manyActions = 10_000

// Commit records the results of a pass for the next pass. Writing the index takes as much
// memory as the plan does, so the caller should not keep delta, todo and work of a run over the
// whole tree.
func Commit(s *session.Session, delta *changes.Delta, t *todo.Todo, work Work) (Committed, error) {
	if delta.Empty() {
		return Committed{}, nil
	}
	r := run{s, delta, t, work}
	actions := r.resultActions()
	if !s.Probe.Run.IsZero() {
		if err := s.State.Earlier.AddRun(r.changedActions(actions)); err != nil {
			s.Observer.Note(err.Error())
		}
	}
	c, done, err := collectState(r, actions)
	if err != nil {
		return Committed{}, err
	}
	if len(actions) >= manyActions {
		debug.FreeOSMemory()
	}
	done.Replaced, err = s.State.Commit(c)
	return done, err
}

// collectState assembles the state to record after a run. After a run over the whole tree, the
// result does not refer to the run's data, and the planned actions and their results are gone.
func collectState(r run, actions []index.Action) (c state.Commit, done Committed, err error) {
	open, old := r.openClaims(actions)
	c = state.Commit{
		Last: r.delta.Last, IDs: r.todo.IDs.Of, Journal: open, Old: old, Whole: r.s.Scope.Whole(), Layout: r.s.Place.Manifest,
		Checksum: r.s.Basis.Checksum, Clock: r.s.Clock.Stamps, Note: r.s.Observer.Note,
	}
	if !r.delta.Whole {
		c.Listed = state.Changes(eachAction(r.delta.Before), actions, r.todo.IDs.Of)
		done.Actions = actions
	}
	if c.Pending, err = r.unsyncedFiles(); err != nil {
		return c, done, err
	}
	if len(r.todo.Plan.Actions)+len(r.delta.Before) > 0 {
		r.s.Observer.Stage("save")
	}
	if r.delta.Whole {
		fingerprint, valid, stale := r.validity()
		c.Next = r.newIndex(actions)
		c.Next.Vouch(fingerprint, valid)
		done.StaleTargets = stale
		return c, done, nil
	}
	c.Next = r.editedIndex(actions)
	fingerprint, valid, stale := r.validity()
	c.Next.Vouch(fingerprint, valid)
	done.StaleTargets = stale
	return c, done, nil
}

func eachAction(list []index.Action) func(yield func(*index.Action) bool) {
	return func(yield func(*index.Action) bool) {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

// resultActions returns the planned actions with their results, and the actions that the run keeps.
func (r run) resultActions() []index.Action {
	p := r.todo.Plan
	list := make([]index.Action, 0, len(p.Actions)+len(p.Kept))
	for _, b := range p.Kept {
		list = append(list, *b.Action)
	}
	stamps := recheck{hashing.NewSummer(r.s.Basis.Checksum), r.s.Clock.Stamps, r.s.Out, r.s.State.FineStamps, new(confine.LastFolder)}
	defer stamps.last.Close()
	for i := range r.work.Done.Results {
		res := &r.work.Done.Results[i]
		a := res.Action
		var row index.Action
		switch {
		case a.Err != nil || res.Outcome == execute.NotReached:
			if a.Last == nil {
				continue
			}
			row = *a.Last.Action
		case res.Outcome == execute.UpToDate:
			row = res.Row()
			row.Method = a.Method.Fields
		default:
			row = res.Row()
			row.Method = a.Method.Fields
			row.Decision = index.Decision{At: r.s.Clock.Started, Outcome: string(res.Outcome), Why: decisionText(a, res.Err)}
			if last := a.Last; last != nil && last.State == index.Failed && row.State == index.Failed && last.ID == row.ID && last.Decision.Why == row.Decision.Why {
				row.Decision.At = last.Decision.At // the same failure as in the last run keeps its time
			}
			stamps.settleArtifacts(row.Made)
		}
		list = append(list, row)
	}
	return list
}

// decisionText returns the reasons of an action and its error, one line each.
func decisionText(a *plan.Action, err error) string {
	lines := make([]string, len(a.Reasons))
	for i, r := range a.Reasons {
		lines[i] = r.String()
	}
	if err != nil {
		lines = append(lines, "error: "+strings.ReplaceAll(pathname.Escape(err.Error()), "\n", " | "))
	}
	return strings.Join(lines, "\n")
}

// A recheck reads new artifacts again after their stamps have become old enough to be trusted.
type recheck struct {
	summer *hashing.Summer
	clock  *scan.Clock
	out    *confine.Dir
	fine   func(device uint64) bool // whether a file system has fine stamps
	last   *confine.LastFolder
}

// settleArtifacts marks artifacts as settled if their stamps are now old enough to be trusted. On a
// file system with fine stamps every change sets a new time, so the recorded sum is still right. On
// other file systems settleArtifacts sums the artifact again.
func (c recheck) settleArtifacts(made []index.Artifact) {
	for i := range made {
		m := &made[i]
		if m.Settled || !c.clock.SettledSince(m.Stamp) {
			continue
		}
		dir, name := path.Split(m.Path)
		info, err := c.last.Open(c.out.Root(), path.Clean(dir)).Lstat(name)
		if err == nil && scan.StampOf(info) == m.Stamp {
			m.Settled = c.fine(m.Stamp.Device) || contents.Holds(context.Background(), c.summer, c.out, m.Path, m)
		}
	}
}

// validity returns the fingerprint of the next index and its valid targets. This run's targets are
// valid if every action ended. Each other target lists the sources that its next run must recheck.
// stale holds the other targets that have such sources.
func (r run) validity() (fingerprint hashing.Digest, valid []index.Vouch, stale []string) {
	d := r.delta
	known := r.endedAll()
	if d.Whole {
		known = known && r.s.Scope.Whole() && len(r.todo.Claims) == 0 && !d.Tree.Failed()
	}
	if !known {
		return hashing.Digest{}, nil, nil // the next run must check all files
	}
	actions := len(d.Sources) // number of actions for one target
	if !d.Whole {
		actions = d.Last.Results().Totals().Actions
	}
	for _, target := range r.todo.Targets {
		valid = append(valid, index.Vouch{Target: target, Pending: r.stillPending(target, r.aheadOfIndex(target))})
	}
	for _, target := range changes.OtherTargets(d.Last, r.s, r.todo.Targets, r.todo.Rules) {
		pending := r.stillPending(target, r.todo.Plan.Pending[target])
		if len(pending) > 0 {
			stale = append(stale, target)
		}
		if !changes.TooMany(len(pending), actions) {
			valid = append(valid, index.Vouch{Target: target, Pending: pending})
		}
	}
	if r.knowsDeclared(valid) {
		valid = append(valid, index.Vouch{Target: changes.AllDeclared})
	}
	return r.s.Basis.Fingerprint, valid, stale
}

// endedAll reports whether the index will know how each action of the plan ended.
func (r run) endedAll() bool {
	for i := range r.todo.Plan.Actions {
		if r.work.Done.Results[i].Action.Err != nil || r.work.Done.Results[i].Outcome == execute.NotReached {
			return false
		}
	}
	return true
}

// knowsDeclared reports whether the index will be valid for each target that the rules declare.
func (r run) knowsDeclared(valid []index.Vouch) bool {
	last := r.delta.Last
	if !r.delta.Whole && !slices.Contains(last.Vouched(), changes.AllDeclared) {
		return false // an edited index cannot become valid for a new target
	}
	targets := changes.ValidTargets(last)
	if r.todo.Rules != nil {
		targets = r.todo.Rules.Set.Targets()
	}
	return !slices.ContainsFunc(targets, func(t string) bool {
		return !slices.ContainsFunc(valid, func(v index.Vouch) bool { return v.Target == t })
	})
}

// aheadOfIndex returns the sources whose actions read a changed source outside the scope. The
// index keeps the old content of that source, so it would miss a change back to the old
// content.
func (r run) aheadOfIndex(target string) (sources []string) {
	outdated := r.delta.Stale.Sources
	if len(outdated) == 0 {
		return nil
	}
	for i := range r.work.Done.Results {
		res := &r.work.Done.Results[i]
		row := res.Row()
		if res.Action.Target == target && slices.ContainsFunc(row.Deps, func(d index.Dep) bool { return outdated[d.On.Path] }) {
			sources = append(sources, res.Action.Path)
		}
	}
	return sources
}

// stillPending returns the sources that the next run for a target must recheck. They include
// sources that were pending and are not in the delta, sources that edited rules made stale, and the
// sources in more.
func (r run) stillPending(target string, more []string) []string {
	if r.delta.Whole {
		return more
	}
	all := map[string]bool{}
	r.delta.Last.Pending(target, func(source string) {
		if !r.delta.Concerned[source] {
			all[source] = true
		}
	})
	for _, source := range slices.Concat(r.delta.Edited.Outdated[target], more) {
		all[source] = true
	}
	return slices.Sorted(maps.Keys(all))
}
