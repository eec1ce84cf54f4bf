package commit

import (
	"slices"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
)

// changedActions returns the actions that the run changed, with their state before. actions comes
// from resultActions. A first run changes no action, because the index has none.
func (r run) changedActions(actions []index.Action) *index.RunChanges {
	c := &index.RunChanges{Run: r.s.Probe.Run, At: r.s.Clock.Started}
	if r.delta.Last.ID() == "" {
		return c
	}
	rows := actions[len(r.todo.Plan.Kept):]
	known := len(r.todo.Plan.Kept)
	for i := range r.work.Done.Results {
		res := &r.work.Done.Results[i]
		a := res.Action
		unchanged := a.Err != nil || res.Outcome == execute.NotReached
		if unchanged && a.Last == nil {
			continue
		}
		row := &rows[0]
		rows = rows[1:]
		var before *index.Action
		if a.Last != nil {
			known++
			before = a.Last.Action
		}
		if !unchanged && res.Outcome != execute.UpToDate {
			c.Changes = append(c.Changes, index.RowChange{Before: before, After: row})
		}
	}
	if known < len(r.delta.Before) {
		c.Changes = append(c.Changes, r.removedActions()...)
	}
	return c
}

// removedActions returns the known actions that are neither planned nor kept.
func (r run) removedActions() (removed []index.RowChange) {
	kept := map[[2]string]bool{}
	for _, b := range r.todo.Plan.Kept {
		kept[[2]string{b.Path, b.Target}] = true
	}
	for i := range r.delta.Before {
		b := &r.delta.Before[i]
		_, planned := slices.BinarySearchFunc(r.todo.Plan.Actions, b, func(a plan.Action, b *index.Action) int {
			return slices.Compare([]string{a.Path, a.Target}, []string{b.Path, b.Target})
		})
		if !planned && !kept[[2]string{b.Path, b.Target}] {
			removed = append(removed, index.RowChange{Before: b})
		}
	}
	return removed
}
