package lint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/todo"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/parallel"
)

// FailSuspects fails each action whose source looks like a mistake, for strict runs. It also
// fails up-to-date actions; their outputs stay.
func FailSuspects(ctx context.Context, s *session.Session, t *todo.Todo) {
	parallel.Each(ctx, s.Limits.Workers, len(t.Plan.Actions), func(_, i int) error {
		if a := &t.Plan.Actions[i]; a.Err == nil {
			if lines := Suspect(s, a); len(lines) > 0 {
				a.Err, a.State = errors.New(strings.Join(lines, "; ")), plan.Rests
			}
		}
		return nil
	})
}

// Suspect returns the likely mistakes in the source of an action, one line each.
func Suspect(s *session.Session, a *plan.Action) []string {
	f, err := s.Assets.OpenFile(a.Path)
	if err != nil {
		return nil
	}
	defer f.Close()
	return SuspectHead(s.Basis.Recipes.Formats(), a, func(n int64) ([]byte, error) {
		head := make([]byte, n)
		got, err := io.ReadFull(f, head)
		return head[:got], err
	})
}

// SuspectHead is Suspect for a source whose first bytes the caller reads. formats are the
// formats of the recipes. An unreadable source has no mistakes, because its recipe will report
// the error.
func SuspectHead(formats []recipe.Format, a *plan.Action, first func(n int64) ([]byte, error)) (lines []string) {
	defer func() {
		if p := recover(); p != nil {
			lines = []string{fmt.Sprintf("looking at it panicked: %v", p)}
		}
	}()
	find := a.Method.Choice.Traits().Lint
	want := int64(Head)
	if find != nil {
		want = recipe.HeadSize
	}
	want = min(want, a.Source.Stamp.Size)
	head, err := first(want)
	if err != nil || int64(len(head)) < want {
		return nil // another program is writing it
	}
	lines = Source(formats, a.Path, head[:min(Head, len(head))], a.Source.Stamp.Size)
	if find != nil && len(lines) == 0 {
		lines = find(a.Path, head, a.Source.Stamp.Size)
	}
	return lines
}
