package plan

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/internal/pathname"
)

// claim finds outputs that two actions want, or one that needs a folder where
// another wants a file, or the cooker's own names.
func (p *planner) claim() {
	p.claims = make(map[string]int, len(p.plan.Actions))
	kept := map[string]string{} // outputs of actions that this run leaves alone
	for _, b := range p.plan.Kept {
		for _, m := range b.Made {
			kept[m.Path] = b.Path
		}
	}
	fail := func(i int, output, other string) {
		if a := &p.plan.Actions[i]; a.Err == nil {
			a.Err = fmt.Errorf("output %s is claimed by %s as well; give one of them another name with output = in cook.toml", output, other)
			a.Runs = false
		}
	}
	for i := range p.plan.Actions {
		a := &p.plan.Actions[i]
		for _, out := range a.Outputs {
			if err := checkName(out); err != nil {
				a.Err, a.Runs = err, false
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
	if p.FoldsCase {
		p.claimFolded(kept)
	}
	for i := range p.plan.Actions {
		for _, out := range p.plan.Actions[i].Outputs {
			p.contest(out)
			for dir := path.Dir(out); dir != "."; dir = path.Dir(dir) {
				if j, taken := p.claims[dir]; taken && j != i {
					fail(i, dir, p.plan.Actions[j].Path)
					fail(j, dir, p.plan.Actions[i].Path)
				}
			}
		}
	}
}

// A foldedClaim is an output as an action names it.
type foldedClaim struct {
	output string
	action int // -1 for one that this run leaves alone
}

// claimFolded fails actions whose outputs differ in case only from others, or from
// those in kept, where the file system takes them for one. Outside cannot be asked
// for such names, so an output that is new contests the plan.
func (p *planner) claimFolded(kept map[string]string) {
	p.folded = make(map[string]foldedClaim, len(p.plan.Actions))
	for out := range kept {
		p.folded[strings.ToLower(out)] = foldedClaim{out, -1}
	}
	fail := func(i int, out, other string) {
		if i >= 0 && p.plan.Actions[i].Err == nil {
			a := &p.plan.Actions[i]
			a.Err = fmt.Errorf("outputs %s and %s differ in case only, and are one file here; rename a source, or give one of them another name with output = in cook.toml", pathname.Show(out), pathname.Show(other))
			a.Runs = false
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
			p.plan.Contested = p.plan.Contested || p.Outside != nil && !known
		}
	}
}

// contest looks for actions elsewhere that claim an output, need a folder of its
// name, or have a file where it needs a folder.
func (p *planner) contest(out string) {
	if p.Outside == nil || p.plan.Contested {
		return
	}
	contested := p.Outside.Owns(out) || p.Outside.Holds(out)
	for dir := path.Dir(out); dir != "." && !contested; dir = path.Dir(dir) {
		contested = p.Outside.Owns(dir)
	}
	p.plan.Contested = contested
}

// longestName is how many bytes a file's name may have, without its folders, on
// almost every file system.
const longestName = 255

// checkName returns an error for an output that cannot be: its name is the cooker's
// own, or longer than a file's may be.
func checkName(out string) error {
	if manifest.Reserved(out) {
		return fmt.Errorf("output %s is the cooker's own file; choose another name with output = in cook.toml", out)
	}
	for name := range strings.SplitSeq(out, "/") {
		if len(name) > longestName {
			return fmt.Errorf("output %s: a name of %d bytes is too long, at most %d are possible; choose another one with output = in cook.toml",
				pathname.Show(out), len(name), longestName)
		}
	}
	return nil
}

// retire finds artifacts that no action claims any more: of sources that are
// gone, and of actions whose outputs were renamed.
func (p *planner) retire() {
	known := map[string]bool{}
	add := func(out, source, target string) {
		// Who fails will not replace what another one has made.
		i, claimed := p.claims[out]
		claimed = claimed && (p.plan.Actions[i].Err == nil || p.plan.Actions[i].Path == source)
		// Removing it would remove what has the name in other letters now.
		if p.FoldsCase {
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
		// An action that cannot even be planned keeps what it has.
		if a := &p.plan.Actions[i]; a.Last != nil && a.Err == nil {
			for _, m := range a.Last.Made {
				add(m.Path, a.Path, a.Target)
			}
		}
	}
	if len(p.Claims) == 0 {
		return
	}
	held := map[string]bool{}
	for i := range p.Before {
		for _, m := range p.Before[i].Made {
			held[m.Path] = true
		}
	}
	for _, c := range p.Claims {
		wanted := slices.Contains(p.Targets, c.Target) || !p.Rules.HasTarget(c.Target)
		if wanted && !held[c.Output] && !manifest.Reserved(c.Output) && p.InScope(c.Source) && !p.Incomplete(c.Source) {
			add(c.Output, c.Source, c.Target)
		}
	}
}
