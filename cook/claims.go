package cook

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/internal/pathname"
)

// readClaims collects the outputs that are ours though the index may not say
// so: those of a run that was killed and, when the index was lost, those that
// the manifest lists.
func (k *kitchen) readClaims() error {
	if k.out == nil {
		return nil
	}
	data, err := k.readState(journalName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("journal: %w; remove it", err)
	}
	damaged := 0
	if k.claims, damaged = parseJournal(data); damaged > 0 {
		k.Observer.Note(fmt.Sprintf("journal %s: %d lines are damaged; cooked files that they named may have to be moved away by hand", k.outFile(journalName), damaged))
	}
	if len(k.last.Bytes()) > 0 {
		return nil
	}
	claims, err := k.manifestClaims()
	if err != nil {
		k.Observer.Note(fmt.Sprintf("%v; cooked files that the manifest listed may have to be moved away by hand", err))
		return nil
	}
	k.claims = append(k.claims, claims...)
	return nil
}

// checkForeign refuses an output folder that has somebody else's manifest.
func (k *kitchen) checkForeign() error {
	data, err := k.readState(manifest.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && isOurs(data):
		return nil
	case err != nil:
		return configError("%s: %w; cannot tell whether cook made it", k.outFile(manifest.Name), err)
	}
	return configError("%s exists and was not made by cook; move it away or choose another -out", k.outFile(manifest.Name))
}

// newOutputs lists the outputs that a plan may make where the index knows of
// none.
func newOutputs(p *plan.Plan) []plan.Claim {
	var claims []plan.Claim
	for i := range p.Actions {
		a := &p.Actions[i]
		if !a.Runs {
			continue
		}
		for n, out := range a.Outputs {
			if n >= len(a.LastMade) || a.LastMade[n].Artifact.Path != out {
				claims = append(claims, plan.Claim{Output: out, Source: a.Path, Target: a.Target})
			}
		}
	}
	return claims
}

// notTheirs leaves out the claims whose names are taken by files that are not
// ours, and remembers them: no journal may make them ours. A folder is no such
// file: an output may take the place of a folder of outputs, and no folder is ever
// removed for a claim.
func (k *kitchen) notTheirs(claims []plan.Claim) []plan.Claim {
	k.theirs = map[string]bool{}
	return slices.DeleteFunc(claims, func(c plan.Claim) bool {
		if k.mayBeFile(c.Output) && !k.owned(c.Output) {
			k.theirs[c.Output] = true
		}
		return k.theirs[c.Output]
	})
}

// closeJournal leaves in the journal what is ours though the new index does not
// say so: artifacts that could not be removed, and those of sources that this
// run did not come to after the index was lost or their name was taken over.
func (k *kitchen) closeJournal(p *plan.Plan, actions []index.Action) error {
	candidates := append(k.claims, newOutputs(p)...)
	for i := range k.last.Actions() {
		a := k.last.Action(i)
		for _, m := range a.Made {
			candidates = append(candidates, plan.Claim{Output: m.Path, Source: a.Path, Target: a.Target})
		}
	}
	// What the manifest lists needs no journal even if the index is lost. It does
	// not list what an action that failed has left from before.
	known := map[string]bool{}
	for i := range actions {
		if actions[i].State != index.Done {
			for _, m := range actions[i].Made {
				candidates = append(candidates, plan.Claim{Output: m.Path, Source: actions[i].Path, Target: actions[i].Target})
			}
			continue
		}
		for _, m := range actions[i].Made {
			known[m.Path] = true
		}
	}
	var open []plan.Claim
	for i, c := range candidates {
		if known[c.Output] {
			continue
		}
		known[c.Output] = true
		if k.mayBeFile(c.Output) && !k.theirs[c.Output] || k.isStuck(c.Output) || i < len(k.claims) && k.leftFolder(c) {
			open = append(open, c)
		}
	}
	return k.writeJournal(open)
}

// leftFolder reports whether an output that somebody removed was in a folder that
// is still there, and the next run for its target is to remove if nothing needs it.
func (k *kitchen) leftFolder(c plan.Claim) bool {
	dir := path.Dir(c.Output)
	return dir != "." && !slices.Contains(k.Targets, c.Target) && k.mayExist(dir)
}

// mayExist reports whether something of that name is in the output folder, or
// cannot be ruled out.
func (k *kitchen) mayExist(output string) bool {
	_, err := k.out.Root().Lstat(output)
	return err == nil || !pathname.IsAbsent(err)
}

// mayBeFile is mayExist for anything but a folder.
func (k *kitchen) mayBeFile(output string) bool {
	info, err := k.out.Root().Lstat(output)
	return err == nil && !info.IsDir() || err != nil && !pathname.IsAbsent(err)
}

// isStuck reports whether an output left an empty folder that could not be
// removed. Its claim stays until that is gone.
func (k *kitchen) isStuck(output string) bool {
	for dir := path.Dir(output); dir != "."; dir = path.Dir(dir) {
		if k.stuck[dir] {
			return true
		}
	}
	return false
}

// inside reports whether a path from a file can name an output.
func inside(p string) bool {
	return p != "." && filepath.IsLocal(filepath.FromSlash(p)) && path.Clean(p) == p
}
