package pass

import (
	"iter"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
)

// rest adds up the actions that a delta does not concern: all of them are up to date,
// those of touched by their checksums.
func (s *Session) rest(d *Delta) (rest, touched index.Totals) {
	if len(s.Scope.Patterns) > 0 {
		for row := range s.rowsOfRest(d) {
			rest.AddRow(row)
		}
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

// same reports whether a file was read and has the content that is known.
func (d *Delta) same(ref index.Ref) bool {
	_, reread := slices.BinarySearch(d.Found.Reread, ref)
	return reread || d.touchedAt(ref) != nil
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

// rowsOfRest yields the actions that a delta does not concern, with their sources.
func (s *Session) rowsOfRest(d *Delta) iter.Seq2[*index.Row, string] {
	return func(yield func(*index.Row, string) bool) {
		for row := range d.Last.Rows(s.Scope.prefix()) {
			source := row.Path()
			if s.wants(source, row.Target()) && !d.Concerned[source] && !yield(row, source) {
				return
			}
		}
	}
}

// reportRest reports each action that a delta does not concern to an observer, which is
// not to be one that counts: rest has counted them.
func (s *Session) reportRest(d *Delta, o Observer) {
	if d.Whole || !s.Mode.EveryAction {
		return
	}
	for row, source := range s.rowsOfRest(d) {
		o.Event(d.upToDate(row, source))
	}
}

// upToDate is the event of an action that a delta does not concern.
func (d *Delta) upToDate(row *index.Row, source string) execute.Event {
	e := execute.Event{
		Path: source, Target: row.Target(), Recipe: plan.RecipeOf(row.Method()), Outcome: execute.UpToDate, Reasons: plan.Untouched,
		CookTime: row.CookTime(), Outputs: make([]string, row.Made()),
	}
	ref, size, known := row.Source()
	e.In = size
	if known && d.same(ref) {
		e.Reasons = []plan.Reason{{Kind: plan.SameChecksum, Subject: source}}
	}
	for k := range e.Outputs {
		ref, size := row.Artifact(k)
		e.Outputs[k] = d.Last.Path(ref)
		e.Out += size
		if e.Reasons[0].Kind == plan.SameStamp && d.same(ref) {
			e.Reasons = []plan.Reason{{Kind: plan.SameChecksum, Subject: e.Outputs[k]}}
		}
	}
	return e
}
