package cook

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/cook/plan"
)

// journalName is the list of outputs that a run is about to make. It is on the
// disk before the first of them is, so that a run that follows a killed one
// knows which files are the cooker's own. A run that ends removes it.
const journalName = plan.StateDir + "/journal"

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
	k.claims = parseJournal(data)
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
	if !errors.Is(err, fs.ErrNotExist) && (err != nil || !isOurs(data)) {
		return configError("%s exists and was not made by cook; move it away or choose another -out", k.outFile(manifest.Name))
	}
	return nil
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
// ours, and remembers them: no journal may make them ours.
func (k *kitchen) notTheirs(claims []plan.Claim) []plan.Claim {
	k.theirs = map[string]bool{}
	return slices.DeleteFunc(claims, func(c plan.Claim) bool {
		if _, err := k.out.Root().Lstat(c.Output); err == nil && !k.owned(c.Output) {
			k.theirs[c.Output] = true
		}
		return k.theirs[c.Output]
	})
}

// writeJournal records claims. Without any there is no journal.
func (k *kitchen) writeJournal(claims []plan.Claim) error {
	if len(claims) == 0 {
		err := k.out.Root().Remove(journalName)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	}
	var b bytes.Buffer
	for _, c := range claims {
		fmt.Fprintf(&b, "%q %q %q\n", c.Output, c.Source, c.Target)
	}
	return k.replace(journalName, b.Bytes())
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
	known := map[string]bool{}
	for i := range actions {
		for _, m := range actions[i].Made {
			known[m.Path] = true
		}
	}
	var open []plan.Claim
	for _, c := range candidates {
		if known[c.Output] {
			continue
		}
		known[c.Output] = true
		if info, err := k.out.Root().Lstat(c.Output); err == nil && !info.IsDir() && !k.theirs[c.Output] {
			open = append(open, c)
		}
	}
	return k.writeJournal(open)
}

// parseJournal reads what it can: a line that was cut off was not followed by
// any output.
func parseJournal(data []byte) []plan.Claim {
	var claims []plan.Claim
	for line := range strings.Lines(string(data)) {
		var words [3]string
		rest, ok := strings.TrimSuffix(line, "\n"), true
		for i := range words {
			quoted, err := strconv.QuotedPrefix(strings.TrimPrefix(rest, " "))
			if err != nil {
				ok = false
				break
			}
			rest = strings.TrimPrefix(rest, " ")[len(quoted):]
			words[i], _ = strconv.Unquote(quoted)
		}
		if ok && rest == "" && inside(words[0]) {
			claims = append(claims, plan.Claim{Output: words[0], Source: words[1], Target: words[2]})
		}
	}
	return claims
}

// inside reports whether a path from a file can name an output.
func inside(p string) bool {
	return p != "." && filepath.IsLocal(filepath.FromSlash(p)) && path.Clean(p) == p
}
