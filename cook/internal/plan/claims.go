package plan

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/hashname"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/pathname"
)

// claimOutput records the outputs of actions. It fails an action whose output clashes with an
// output of another action, with a directory that another output needs, or with cook's own files.
func (p *planner) claimOutput() {
	p.claims = make(map[string]int, len(p.plan.Actions))
	kept := map[string]string{} // output paths of actions that this run does not touch, each with its source
	for _, b := range p.plan.Kept {
		for _, m := range b.Made {
			kept[m.Path] = b.Path
		}
	}
	p.plan.Finals.kept = kept
	fail := func(i int, output, other string) {
		if a := &p.plan.Actions[i]; a.Err == nil {
			a.Err, a.State = ClashError(hashname.Show(a.Target, output), other), Rests
		}
	}
	for i := range p.plan.Actions {
		a := &p.plan.Actions[i]
		for _, out := range a.Outputs {
			if err := checkName(out); err != nil {
				a.Err, a.State = err, Rests
				continue
			}
			if j, taken := p.claims[out]; taken {
				other := &p.plan.Actions[j]
				fail(i, out, other.Path)
				fail(j, out, a.Path)
				continue
			}
			if source, taken := kept[out]; taken {
				fail(i, out, source)
			}
			p.claims[out] = i
		}
	}
	if p.in.FoldsCase {
		p.claimFolded(kept)
	}
	for i := range p.plan.Actions {
		for _, out := range p.plan.Actions[i].Outputs {
			p.recordContest(out)
			for dir := path.Dir(out); dir != "."; dir = path.Dir(dir) {
				if j, taken := p.claims[dir]; taken && j != i {
					fail(i, dir, p.plan.Actions[j].Path)
					fail(j, dir, p.plan.Actions[i].Path)
				}
			}
		}
	}
}

// A foldedClaim is an output in its original spelling. It is found by the spelling in lower case.
type foldedClaim struct {
	output string
	action int // number of the action; -1 for an untouched action
}

// claimFolded handles file systems that ignore case. It fails actions whose outputs differ only in
// case from other outputs. The interface Outside cannot look up names without regard to case. Any
// new output therefore makes the plan contested.
func (p *planner) claimFolded(kept map[string]string) {
	p.folded = make(map[string]foldedClaim, len(p.plan.Actions))
	for out := range kept {
		p.folded[strings.ToLower(out)] = foldedClaim{out, -1}
	}
	fail := func(i int, out, other string) {
		if i >= 0 && p.plan.Actions[i].Err == nil {
			a := &p.plan.Actions[i]
			a.Err = fmt.Errorf("outputs %s and %s differ only in case, and are the same file on this file system; rename a source, or give one of them another name with output = in cook.toml", pathname.Show(out), pathname.Show(other))
			a.State = Rests
		}
	}
	for i := range p.plan.Actions {
		for _, out := range p.plan.Actions[i].Outputs {
			lower := strings.ToLower(out)
			if other, taken := p.folded[lower]; taken && other.output != out {
				fail(i, out, other.output)
				fail(other.action, other.output, out)
				continue
			}
			p.folded[lower] = foldedClaim{out, i}
			last := p.plan.Actions[i].Last
			known := last != nil && slices.ContainsFunc(last.Made, func(m index.Artifact) bool { return m.Path == out })
			p.plan.Contested = p.plan.Contested || p.in.Outside != nil && !known
		}
	}
}

// recordContest marks the plan as contested if an output clashes with an output of an action
// outside the run. The clash may also be between a file and a directory of the same name.
func (p *planner) recordContest(out string) {
	if p.in.Outside == nil || p.plan.Contested {
		return
	}
	contested := p.in.Outside.Owns(out) || p.in.Outside.Holds(out)
	for dir := path.Dir(out); dir != "." && !contested; dir = path.Dir(dir) {
		contested = p.in.Outside.Owns(dir)
	}
	p.plan.Contested = contested
}

// longestName is the maximum length of a file name in bytes, without directories, on almost
// every file system.
const longestName = 255

// checkName returns an error for an impossible output name: cook uses the name itself, or it is too
// long.
func checkName(out string) error {
	if manifest.Reserved(out) {
		return fmt.Errorf("output %s has the name of a file that cook itself writes; choose another name with output = in cook.toml", out)
	}
	for name := range strings.SplitSeq(out, "/") {
		if len(name) > longestName {
			return fmt.Errorf("output %s: the name has %d bytes, but the limit is %d; choose a shorter one with output = in cook.toml",
				pathname.Show(out), len(name), longestName)
		}
	}
	return nil
}

// retireClaims finds the artifacts that no action claims any more: artifacts of removed sources,
// and artifacts whose output was renamed.
func (p *planner) retireClaims() {
	known := map[string]bool{}
	add := func(out, source, target string) {
		// If an action failed, its claim protects only artifacts of its own source.
		i, claimed := p.claims[out]
		claimed = claimed && (p.plan.Actions[i].Err == nil || p.plan.Actions[i].Path == source)
		if !claimed && !known[out] {
			// An old artifact with {hash} stays until the manifest lists the new one, because other
			// files may contain its name.
			if i, fits := p.plan.Finals.fits(out); fits && (p.plan.Actions[i].Err == nil || p.plan.Actions[i].Path == source) {
				known[out] = true
				p.plan.Finals.Old = append(p.plan.Finals.Old, Retired{out, source, target})
				return
			}
		}
		// On this file system, removing the artifact would also remove an output whose name differs
		// only in case.
		if p.in.FoldsCase {
			if other, taken := p.folded[strings.ToLower(out)]; taken && other.output != out {
				return
			}
		}
		if !claimed && !known[out] {
			known[out] = true
			p.plan.Retired = append(p.plan.Retired, Retired{out, source, target})
		}
	}
	for _, b := range p.gone {
		for _, m := range b.Made {
			add(m.Path, b.Path, b.Target)
		}
	}
	for i := range p.plan.Actions {
		// An action that cannot be planned keeps its artifacts.
		if a := &p.plan.Actions[i]; a.Last != nil && a.Err == nil {
			for _, m := range a.Last.Made {
				add(m.Path, a.Path, a.Target)
			}
		}
	}
	if len(p.in.Claims) == 0 {
		return
	}
	held := map[string]bool{}
	for i := range p.in.Before {
		for _, m := range p.in.Before[i].Made {
			held[m.Path] = true
		}
	}
	for _, c := range p.in.Claims {
		wanted := slices.Contains(p.in.Targets, c.Target) || !p.in.Rules.HasTarget(c.Target)
		if wanted && !held[c.Output] && !manifest.Reserved(c.Output) && p.in.InScope(c.Source) && !p.in.Incomplete(c.Source) {
			add(c.Output, c.Source, c.Target)
		}
	}
}

// findMoves pairs actions that run with finished actions of the same ID whose artifacts are
// about to be retired.
func (p *planner) findMoves() {
	byID := map[store.ActionID][]*contents.Before{}
	for _, b := range p.gone {
		if b.State == index.Done && b.Intact() {
			byID[b.ID] = append(byID[b.ID], b)
		}
	}
	for i := range p.plan.Actions {
		a := &p.plan.Actions[i]
		if !a.Runs() || p.in.Demand.Force {
			continue
		}
		var from *contents.Before
		if renamed(a) && !a.Stale {
			from = a.Last
		} else if gone := byID[a.ID]; len(gone) > 0 {
			from, byID[a.ID] = gone[0], gone[1:]
		}
		if from == nil || IsLinked(from.Action) || !from.Intact() || len(from.Made) != len(a.Outputs) || !p.freeOutput(from.Made) || !p.sameDeps(a.Path, from) {
			continue
		}
		a.Moved = from
		if from.Path != a.Path {
			a.Reasons = append(a.Reasons, Reason{Kind: MovedFrom, Subject: from.Path})
		}
	}
}

// freeOutput reports whether no action will write to the paths of these artifacts.
func (p *planner) freeOutput(made []index.Artifact) bool {
	return !slices.ContainsFunc(made, func(m index.Artifact) bool {
		_, claimed := p.claims[m.Path]
		_, fits := p.plan.Finals.fits(m.Path) // the artifact stays in place for now
		return claimed || fits
	})
}

// renamed reports whether an output of an action was renamed.
func renamed(a *Action) bool {
	return slices.ContainsFunc(a.Reasons, func(r Reason) bool { return r.Kind == OutputRenamed })
}

// sameDeps reports whether a moved source has the same dependencies at its new path. The names in
// the dependencies of a known action must lead to the same content as before.
func (p *planner) sameDeps(source string, from *contents.Before) bool {
	for _, d := range from.Deps {
		at, err := d.Asked().Resolve(source)
		if err != nil {
			return false
		}
		d.On = at
		if now := p.in.Facts.File(at); now.How == contents.Unreadable || Dependency(d.Name, at, now) != d {
			return false
		}
	}
	return true
}
