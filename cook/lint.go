package cook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/assetcook/assetcook/cook/lint"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/run"
)

// lint looks at the first bytes of the sources that are to be cooked, for warn to
// tell of what is odd about them. If the run is strict it looks at all sources, and
// what is odd fails: its outputs stay as they are.
func (k *kitchen) lint(ctx context.Context, p *plan.Plan) {
	odd := make([][]string, len(p.Actions))
	var looks errgroup.Group
	looks.SetLimit(k.Workers)
	for i := range p.Actions {
		if a := &p.Actions[i]; a.Err == nil && (a.Runs || k.Strict) && ctx.Err() == nil {
			looks.Go(func() error {
				odd[i] = k.oddities(a)
				return nil
			})
		}
	}
	looks.Wait()
	k.odd, k.said = map[*plan.Action][]string{}, map[[2]string]bool{}
	for i, lines := range odd {
		a := &p.Actions[i]
		switch {
		case len(lines) == 0:
		case k.Strict:
			a.Err, a.Runs = errors.New(strings.Join(lines, "; ")), false
		default:
			k.odd[a] = lines
		}
	}
}

// warn reports what is odd about the source of an asset that came out well, and what
// the recipe warned of; once if several targets say the same. The failure of one that
// did not says more.
func (k *kitchen) warn(e run.Event) {
	if e.Action == nil || e.Started || e.Outcome == run.Failed || e.Outcome == run.NotReached {
		return
	}
	for _, line := range append(k.odd[e.Action], e.Warnings...) {
		said := [2]string{e.Path, line}
		if k.said[said] {
			continue
		}
		k.said[said] = true
		k.event(run.Event{Path: e.Path, Target: e.Target, Outcome: run.Warned, Warning: line})
	}
}

// oddities are what is odd about an action's source, a line each. A source that
// cannot be read has none: its recipe will say more.
func (k *kitchen) oddities(a *plan.Action) (lines []string) {
	defer func() {
		if p := recover(); p != nil {
			lines = []string{fmt.Sprintf("looking at it panicked: %v", p)}
		}
	}()
	linter, ok := a.Method.Cooker.(recipe.Linter)
	want := lint.Head
	if ok {
		want = recipe.HeadSize
	}
	f, err := k.assets.OpenFile(a.Path)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, min(int64(want), a.Source.Stamp.Size))
	n, err := io.ReadFull(f, head)
	if err != nil {
		return nil // it is being written
	}
	head = head[:n]
	lines = lint.Source(a.Path, head[:min(lint.Head, n)], a.Source.Stamp.Size)
	if ok && len(lines) == 0 {
		lines = linter.Lint(a.Path, head, a.Source.Stamp.Size)
	}
	return lines
}
