package plan

import (
	"slices"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/store"
	"github.com/assetcook/assetcook/cook/survey"
)

// findMoves pairs actions that have to run with finished ones of the same
// identity whose artifacts are about to be retired.
func (p *planner) findMoves() {
	byID := map[store.ActionID][]int{}
	for _, row := range p.gone {
		if a := p.Last.Action(row); a.State == index.Done && p.intact(row) {
			byID[a.ID] = append(byID[a.ID], row)
		}
	}
	for i := range p.plan.Actions {
		a := &p.plan.Actions[i]
		if !a.Runs || p.Force {
			continue
		}
		row := -1
		if renamed(a) && !a.Stale {
			row, _ = p.Last.FindAction(a.Path, a.Target)
		} else if rows := byID[a.ID]; len(rows) > 0 {
			row, byID[a.ID] = rows[0], rows[1:]
		}
		if row < 0 || !p.intact(row) {
			continue
		}
		from := p.Last.Action(row)
		if len(from.Made) != len(a.Outputs) || !p.free(from.Made) || !p.sameDeps(a.Path, from) {
			continue
		}
		first, n := p.Last.ActionArtifacts(row)
		a.Moved = &Move{From: from, Made: p.Outputs[first : first+n]}
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

func (p *planner) intact(row int) bool {
	first, n := p.Last.ActionArtifacts(row)
	for _, o := range p.Outputs[first : first+n] {
		if o.State != survey.Intact {
			return false
		}
	}
	return true
}

// sameDeps reports whether what an action read under its old path reads the
// same from the new one.
func (p *planner) sameDeps(source string, from index.Action) bool {
	for _, d := range from.Deps {
		at, err := recipe.Resolve(source, d.Name)
		if err != nil {
			return false
		}
		d.Path = at
		if now := p.File(at); now.How == survey.Unreadable || Dependency(d.Name, at, now) != d {
			return false
		}
	}
	return true
}
