package main

import (
	"context"
	"fmt"
	"strings"
)

// configured returns a cook for which the rules are replaced in each round, with nothing else in
// progress.
func (b *bench) configured(c Contestant, t *Tree, rules func(round int) string) Contestant {
	c.Prepare = func(ctx context.Context, round int) error {
		if err := t.Configure(rules(round)); err != nil {
			return err
		}
		return settle(ctx)
	}
	return c
}

// comment adds a comment to the rules, which affects no output.
func (b *bench) comment(ctx context.Context, t *Tree) (Row, error) {
	if err := b.cmd.rest(ctx, t); err != nil {
		return Row{}, err
	}
	c := b.configured(b.cmd.contestant("cook, comment added", t, t.Files, 0), t, func(round int) string {
		return config + strings.Repeat("# one more line\n", round+1)
	})
	limits, err := b.limits.stat(ctx, t, t.Assets(), t.Cooked())
	return Row{Reference: statC, WarmUp: 1, Contestants: append([]Contestant{c}, limits...)}, err
}

// rule edits an option that affects ten files. The outputs vary, so the limits do not include
// them.
func (b *bench) rule(ctx context.Context, t *Tree) (Row, error) {
	files := min(10, t.Files)
	edited := b.cmd.contestant("cook, rule edited", t, t.Files, files)
	cooked, known := edited.Check, outcomes(t.Files, files, 0)
	levels := 0 // used so far: later uses restore known results
	edited.Check = func(r Result) error {
		if levels > zstdLevels {
			return known(r)
		}
		return cooked(r)
	}
	edited = b.configured(edited, t, func(int) string {
		level := levels%zstdLevels + 1
		levels++
		return config + fmt.Sprintf("\n[[rule]]\nmatch = \"/%s/asset000000[0-9].dat\"\nrecipe = \"zstd\"\nlevel = %d\n", t.Folder(0), level)
	})
	limits, err := b.limits.stat(ctx, t, t.Assets())
	return Row{Reference: statC, WarmUp: 1, Contestants: append([]Contestant{edited}, limits...)}, err
}

// zstdLevels is the highest level of the recipe.
const zstdLevels = 19
