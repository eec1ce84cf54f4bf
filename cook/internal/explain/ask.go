// Package explain answers questions about one asset, and changes nothing.
//
// [AskAbout] predicts how a run treats an asset. [Answer.Against] compares the keys of the asset
// with the keys of a [Side]: another output directory, or an earlier run of this one.
package explain

import (
	"context"
	"errors"
	"fmt"

	"github.com/assetcook/assetcook/cook/internal/pass"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/cook/internal/todo"
	"github.com/assetcook/assetcook/cook/internal/watch"
	"github.com/assetcook/assetcook/internal/pathname"
)

// ErrNoAsset is the error for a path that names no asset.
var ErrNoAsset = errors.New("no such asset")

// An Answer is the plan of a run for one asset. It has at least one action.
type Answer struct {
	Session *session.Session
	Todo    *todo.Todo
	Source  string // path of the asset

	known  *state.Known
	opened *session.Session
}

// AskAbout plans a run for one asset. The name is a path in the asset directory, a path from the working
// directory, or an artifact. The caller must close the answer.
func AskAbout(ctx context.Context, opt session.Options, name string) (_ *Answer, err error) {
	s, err := session.Open(opt, session.Look)
	if err != nil {
		return nil, err
	}
	a := &Answer{opened: s, known: state.Empty()}
	defer func() {
		if err != nil {
			a.Close()
		}
	}()
	_, beside := watch.Beside(ctx, s)
	known, err := s.LoadIndex()
	if err != nil {
		return nil, err
	}
	a.known = known
	a.Source = survey.Source(s, known.Index, name)
	a.Session = s.Asking(session.Question{Source: a.Source, Beside: beside})
	if _, a.Todo, err = pass.Decide(ctx, a.Session, known.Index, nil); err != nil {
		return nil, err
	}
	if len(a.Todo.Plan.Actions) == 0 {
		err := fmt.Errorf("%s: %w in %s", pathname.Show(name), ErrNoAsset, s.Place.Dir)
		return nil, survey.NotAsset(err, a.Session, known.Index, a.Source)
	}
	return a, nil
}

// Close closes the session and the index.
func (a *Answer) Close() {
	a.known.Close()
	a.opened.Close()
}
