package plan

import (
	"slices"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// findMoves pairs actions that have to run with finished ones of the same
// identity whose artifacts are about to be retired.
func (p *planner) findMoves() {
	byID := map[store.ActionID][]*contents.Before{}
	for _, b := range p.gone {
		if b.State == index.Done && b.Intact() {
			byID[b.ID] = append(byID[b.ID], b)
		}
	}
	for i := range p.plan.Actions {
		a := &p.plan.Actions[i]
		if !a.Runs || p.Force {
			continue
		}
		var from *contents.Before
		if renamed(a) && !a.Stale {
			from = a.Last
		} else if gone := byID[a.ID]; len(gone) > 0 {
			from, byID[a.ID] = gone[0], gone[1:]
		}
		if from == nil || !from.Intact() || len(from.Made) != len(a.Outputs) || !p.free(from.Made) || !p.sameDeps(a.Path, from) {
			continue
		}
		a.Moved = from
		if from.Path != a.Path {
			a.Reasons = append(a.Reasons, Reason{Kind: MovedFrom, Subject: from.Path})
		}
	}
}

// free reports whether no action will write to where these artifacts lie.
func (p *planner) free(made []index.Artifact) bool {
	return !slices.ContainsFunc(made, func(m index.Artifact) bool {
		_, claimed := p.claims[m.Path]
		return claimed
	})
}

func renamed(a *Action) bool {
	return slices.ContainsFunc(a.Reasons, func(r Reason) bool { return r.Kind == OutputRenamed })
}

// sameDeps reports whether what an action read under its old path reads the
// same from the new one.
func (p *planner) sameDeps(source string, from *contents.Before) bool {
	for _, d := range from.Deps {
		at, err := d.Asked().Resolve(source)
		if err != nil {
			return false
		}
		d.On = at
		if now := p.File(at); now.How == contents.Unreadable || Dependency(d.Name, at, now) != d {
			return false
		}
	}
	return true
}
