package pass

import (
	"slices"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
)

// rest adds up the actions that a delta does not concern: all of them are up to date,
// those of touched by their checksums.
func (s *Session) rest(d *Delta) (rest, touched index.Totals) {
	if len(s.Scope.Patterns) > 0 {
		rest = s.restInScope(d)
	} else {
		rest = d.Last.Totals()
		for i := range d.Before {
			if a := &d.Before[i]; slices.Contains(s.Scope.Targets, a.Target) {
				f, _ := d.Last.File(a.Path)
				rest.Take(a, f.Stamp.Size)
			}
		}
	}
	tally := d.Last.Tally()
	d.eachSame(func(ref index.Ref, role index.Role) {
		if (role == index.Asset || role == index.Made) && !d.concerns(ref, role) {
			tally.Node(ref)
		}
	})
	return rest, tally.Totals
}

// restInScope adds up the actions that match the patterns and are not concerned.
func (s *Session) restInScope(d *Delta) (rest index.Totals) {
	for a := range d.Last.Actions() {
		if s.Wants(a) && !d.Concerned[a.Path] {
			f, _ := d.Last.File(a.Path)
			rest.Add(a, f.Stamp.Size)
		}
	}
	return rest
}

// eachSame calls do for each file that was read and has the content that is known.
func (d *Delta) eachSame(do func(ref index.Ref, role index.Role)) {
	for i := range d.Found.Files {
		if f := &d.Found.Files[i]; f.Same {
			do(f.Ref, f.Role)
		}
	}
	for _, ref := range d.Found.Reread {
		do(ref, d.Last.Node(ref).Role)
	}
}

// concerns reports whether the source that a file is, or was made from, is to be seen
// to.
func (d *Delta) concerns(ref index.Ref, role index.Role) bool {
	if len(d.Concerned) == 0 {
		return false
	}
	if role == index.Made {
		return d.Concerned[d.Last.Source(ref)]
	}
	return d.Concerned[d.Last.Path(ref)]
}

// reportRest reports each action that a delta does not concern to an observer, which is
// not to be one that counts: rest has counted them.
func (s *Session) reportRest(d *Delta, o Observer) {
	if d.Whole || !o.EveryAction() {
		return
	}
	touched := map[string]bool{}
	d.eachSame(func(ref index.Ref, role index.Role) { touched[roleName(role, d.Last.Path(ref))] = true })
	reason := func(a *index.Action) plan.Reason {
		if touched[roleName(index.Asset, a.Path)] {
			return plan.Reason{Kind: plan.SameChecksum, Subject: a.Path}
		}
		for i := range a.Made {
			if touched[roleName(index.Made, a.Made[i].Path)] {
				return plan.Reason{Kind: plan.SameChecksum, Subject: a.Made[i].Path}
			}
		}
		return plan.Reason{Kind: plan.SameStamp}
	}
	for a := range d.Last.Actions() {
		if d.Concerned[a.Path] || !s.Wants(a) {
			continue
		}
		f, _ := d.Last.File(a.Path)
		e := execute.Event{
			Path: a.Path, Target: a.Target, Recipe: plan.RecipeOf(a.Method), Outcome: execute.UpToDate, Reasons: []plan.Reason{reason(a)},
			In: f.Stamp.Size, CookTime: a.CookTime, Outputs: make([]string, len(a.Made)),
		}
		for i, m := range a.Made {
			e.Outputs[i] = m.Path
			e.Out += m.Stamp.Size
		}
		o.Event(e)
	}
}

// roleName tells outputs from sources of the same path.
func roleName(role index.Role, path string) string {
	if role == index.Made {
		return "\x00" + path
	}
	return path
}
