package pass

import (
	"context"

	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/lint"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/todo"
)

// Decide finds the differences from the last run and plans the work. It changes nothing.
func Decide(ctx context.Context, s *session.Session, last *index.Index, where changes.Where) (*changes.Delta, *todo.Todo, error) {
	delta, err := changes.Find(ctx, s, last, where)
	if err != nil {
		return nil, nil, err
	}
	if delta.Whole {
		t, err := planWork(ctx, s, delta)
		return delta, t, err
	}
	var t *todo.Todo
	err = index.Guard(func() (err error) { t, err = planWork(ctx, s, delta); return err })
	if err == nil && !t.Partial() {
		return delta, t, nil
	}
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	// Unreadable rules, contested outputs or a damaged index: listing the whole tree shows
	// what is wrong.
	s.Observer.Stage("scan")
	if delta, err = changes.ListTree(ctx, s, s.CheckedIndex(last)); err != nil {
		return nil, nil, err
	}
	t, err = planWork(ctx, s, delta)
	return delta, t, err
}

// planWork plans the work for a delta and judges the rules.
func planWork(ctx context.Context, s *session.Session, delta *changes.Delta) (*todo.Todo, error) {
	t, err := todo.Make(ctx, s, delta)
	if err != nil {
		return nil, err
	}
	return t, lint.Rules(s, delta, t)
}
