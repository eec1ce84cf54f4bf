package pass

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/lint"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/parallel"
	"github.com/assetcook/assetcook/internal/pathname"
)

// lint fails the actions of a strict session whose sources look like mistakes, whether
// they are to be cooked or not: their outputs stay.
func (s *Session) lint(ctx context.Context, t *Todo) {
	parallel.Each(ctx, s.Limits.Workers, len(t.Actions), func(_, i int) error {
		if a := &t.Actions[i]; a.Err == nil {
			if lines := s.Suspect(a); len(lines) > 0 {
				a.Err, a.Runs = errors.New(strings.Join(lines, "; ")), false
			}
		}
		return nil
	})
}

// Suspect returns what in an action's source looks like a mistake, a line each.
func (s *Session) Suspect(a *plan.Action) []string {
	f, err := s.Assets.OpenFile(a.Path)
	if err != nil {
		return nil
	}
	defer f.Close()
	return s.suspect(a, func(n int64) ([]byte, error) {
		head := make([]byte, n)
		got, err := io.ReadFull(f, head)
		return head[:got], err
	})
}

// suspect is Suspect for a source whose first bytes the caller reads. One that cannot be
// read has no mistakes: its recipe will say more.
func (s *Session) suspect(a *plan.Action, first func(n int64) ([]byte, error)) (lines []string) {
	defer func() {
		if p := recover(); p != nil {
			lines = []string{fmt.Sprintf("looking at it panicked: %v", p)}
		}
	}()
	find := a.Method.Traits().Lint
	want := int64(lint.Head)
	if find != nil {
		want = recipe.HeadSize
	}
	want = min(want, a.Source.Stamp.Size)
	head, err := first(want)
	if err != nil || int64(len(head)) < want {
		return nil // it is being written
	}
	lines = lint.Source(s.Recipes.Formats(), a.Path, head[:min(lint.Head, len(head))], a.Source.Stamp.Size)
	if find != nil && len(lines) == 0 {
		lines = find(a.Path, head, a.Source.Stamp.Size)
	}
	return lines
}

// A tally is the first of many texts and how many there are.
type tally struct {
	first string
	n     int
}

func (t *tally) add(text string) {
	if t.n++; t.n == 1 {
		t.first = text
	}
}

func (t *tally) String() string {
	if t.n == 1 {
		return t.first
	}
	return fmt.Sprintf("%s (and %d more like it)", t.first, t.n-1)
}

// head reads the first bytes of a source.
func (s *Session) head(path string) ([]byte, error) {
	f, err := s.Assets.OpenFile(path)
	if err != nil {
		return nil, err
	}
	head, err := io.ReadAll(io.LimitReader(f, recipe.HeadSize))
	return head, errors.Join(err, f.Close())
}

// noteUnrecognized reports sources that are copied although a recipe has their extension.
func (s *Session) noteUnrecognized(t *Todo) {
	var list tally
	for i := range t.Actions {
		a := &t.Actions[i]
		if a.Err != nil || !a.Runs || a.Method.Recipe.Name != recipe.Fallback {
			continue
		}
		if name := t.Rules.Unrecognized(a.Path); name != "" {
			list.add(fmt.Sprintf("%s is copied: its content is not what the recipe %q reads", pathname.Show(a.Path), name))
		}
	}
	if list.n > 0 {
		s.Observer.Note(list.String())
	}
}

// notePortability reports sources and outputs about to be made that not every system
// can have: others may work on other systems. It is no failure, because here they are
// fine.
func (s *Session) notePortability(p *plan.Plan) {
	folded := map[string]string{} // every output and folder of outputs, by its name in lower case
	var clashes, names tally
	for i := range p.Actions {
		a := &p.Actions[i]
		source := ""
		if a.Runs {
			source = rules.Unportable(a.Path)
		}
		if source != "" {
			names.add(fmt.Sprintf("source %s %s, which Windows does not take; rename it", pathname.Show(a.Path), source))
		}
		for _, out := range a.Outputs {
			if why := rules.Unportable(out); why != "" && source == "" && a.Runs {
				names.add(fmt.Sprintf("output %s %s, which Windows does not take; choose another one with output = in cook.toml", pathname.Show(out), why))
			}
			for name := out; name != "."; name = path.Dir(name) {
				lower := strings.ToLower(name)
				other, known := folded[lower]
				if !known {
					folded[lower] = name
				} else if other == name {
					break // and so are all folders above it
				} else if a.Runs {
					clashes.add(fmt.Sprintf("outputs %s and %s differ in case only; Windows and macOS take them for one", pathname.Show(other), pathname.Show(name)))
				}
			}
		}
	}
	for _, t := range []tally{names, clashes} {
		if t.first != "" {
			s.Observer.Note(t.String())
		}
	}
}
