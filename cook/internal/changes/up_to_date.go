package changes

import (
	"iter"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
)

// Totals adds up the actions that a delta does not concern. All of them are up to date; touched
// counts the ones with a touched file, whose checksums prove that.
func (d *Delta) Totals(scope *session.Scope) (all, touched index.Totals) {
	if len(scope.Patterns) > 0 {
		for row := range d.unchangedRows(scope) {
			all.AddRow(row)
		}
	} else {
		all = d.Last.Results().Totals()
		for i := range d.Before {
			if a := &d.Before[i]; slices.Contains(d.Targets, a.Target) {
				f, _ := d.Last.Files().File(a.Path)
				all.Take(a, f.Stamp.Size)
			}
		}
	}
	tally := d.Last.Results().Tally()
	d.eachSame(func(ref index.Ref, role index.Role) {
		if (role == index.Asset || role == index.Made) && !d.concerns(ref, role) {
			tally.Node(ref)
		}
	})
	return all, tally.Totals
}

// eachSame calls do for each file that was read and has the known content.
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

// hasSameContent reports whether a file was read and has the known content.
func (d *Delta) hasSameContent(ref index.Ref) bool {
	_, reread := slices.BinarySearch(d.Found.Reread, ref)
	return reread || d.touchedAt(ref) != nil
}

// concerns reports whether the delta concerns a source, or the source of an output.
func (d *Delta) concerns(ref index.Ref, role index.Role) bool {
	if len(d.Concerned) == 0 {
		return false
	}
	if role == index.Made {
		return d.Concerned[d.Last.Results().Source(ref)]
	}
	return d.Concerned[d.Last.Path(ref)]
}

// unchangedRows yields the actions in scope that the delta does not concern, with their
// sources.
func (d *Delta) unchangedRows(scope *session.Scope) iter.Seq2[*index.Row, string] {
	return func(yield func(*index.Row, string) bool) {
		for row := range d.Last.Results().Rows(scope.Prefix()) {
			source := row.Path()
			if slices.Contains(d.Targets, row.Target()) && scope.Has(source) && !d.Concerned[source] && !yield(row, source) {
				return
			}
		}
	}
}

// ReportUnchanged sends an observer an event for each action that the delta does not concern,
// for Mode.EveryAction. The observer must not count them, because Totals does.
func (d *Delta) ReportUnchanged(scope *session.Scope, o session.Observer) {
	if d.Whole {
		return
	}
	for row, source := range d.unchangedRows(scope) {
		o.Event(d.upToDate(row, source))
	}
}

// upToDate returns the event of an action that the delta does not concern.
func (d *Delta) upToDate(row *index.Row, source string) execute.Event {
	e := execute.Event{
		Path: source, Target: row.Target(), Recipe: plan.RecipeOf(row.Method()), Outcome: execute.UpToDate, Reasons: plan.Untouched,
		CookTime: row.CookTime(), Outputs: make([]string, row.Made()),
	}
	ref, size, known := row.Source()
	e.In = size
	if known && d.hasSameContent(ref) {
		e.Reasons = []plan.Reason{{Kind: plan.SameChecksum, Subject: source}}
	}
	for k := range e.Outputs {
		ref, size := row.Artifact(k)
		e.Outputs[k] = d.Last.Path(ref)
		e.Out += size
		if e.Reasons[0].Kind == plan.SameStamp && d.hasSameContent(ref) {
			e.Reasons = []plan.Reason{{Kind: plan.SameChecksum, Subject: e.Outputs[k]}}
		}
	}
	return e
}
