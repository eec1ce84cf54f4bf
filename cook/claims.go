package cook

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

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
	data, err := k.out.Root().ReadFile(journalName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	k.claims = parseJournal(data)
	if k.last.Actions() > 0 {
		return nil
	}
	data, err = k.out.Root().ReadFile(plan.ManifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	claims, err := parseManifest(data)
	if err != nil {
		k.Observer.Note(fmt.Sprintf("%s: %v; cooked files that it listed may have to be moved away by hand", plan.ManifestName, err))
		return nil
	}
	k.claims = append(k.claims, claims...)
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

// writeJournal records claims besides those that are open still. Without any
// there is no journal.
func (k *kitchen) writeJournal(claims []plan.Claim) error {
	var b bytes.Buffer
	for _, c := range append(k.claims, claims...) {
		fmt.Fprintf(&b, "%q %q %q\n", c.Output, c.Source, c.Target)
	}
	if len(claims) == 0 {
		return nil
	}
	return k.replace(journalName, b.Bytes())
}

// closeJournal leaves only what is open after a run.
func (k *kitchen) closeJournal(stuck []plan.Retired) error {
	if len(stuck) == 0 {
		err := k.out.Root().Remove(journalName)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	}
	k.claims = nil
	claims := make([]plan.Claim, len(stuck))
	for i, s := range stuck {
		claims[i] = plan.Claim{Output: s.Path, Source: s.Source, Target: s.Target}
	}
	return k.writeJournal(claims)
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
