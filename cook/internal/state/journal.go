package state

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/atomicfile"
)

// A Journal lists outputs that a run is about to make. It is on the disk before the first of them
// exists, so the run after a killed one knows which files are cook's own. A run that ends
// removes it, except for claims that must stay.
type Journal struct{ files *files }

// Claims returns the outputs that are ours although no index may have them: outputs of a killed
// run and, without an index, the outputs in the manifest. It notes damage.
func (j Journal) Claims(haveIndex bool, note func(string)) ([]plan.Claim, error) {
	data, err := j.files.readStateFile(journalName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("journal: %w; remove it", err)
	}
	claims, damaged := parseJournal(data)
	if damaged > 0 {
		note(fmt.Sprintf("journal %s: %d lines are damaged; cooked files that they named may have to be moved away by hand", j.files.absoluteName(journalName), damaged))
	}
	if haveIndex {
		return claims, nil
	}
	listed, err := Manifest(j).claims()
	if err != nil {
		note(fmt.Sprintf("%v; cooked files that the manifest listed may have to be moved away by hand", err))
		return claims, nil
	}
	return append(claims, listed...), nil
}

// Write replaces the claims. Without claims there is no journal.
func (j Journal) Write(claims []plan.Claim) error {
	if len(claims) == 0 {
		return j.files.removeMaybe(journalName)
	}
	var b bytes.Buffer
	size := 0
	for _, c := range claims {
		size += len(journalLine(plan.Claim{})) + len(c.Output) + len(c.Source) + len(c.Target)
	}
	b.Grow(size)
	for _, c := range claims {
		b.WriteString(journalLine(c))
	}
	if now, err := j.files.readStateFile(journalName); err == nil && bytes.Equal(now, b.Bytes()) {
		return atomicfile.SyncFolder(j.files.absoluteName(manifest.StateDir)) // a kill may have prevented that
	}
	return j.files.replaceDurably(journalName, b.Bytes())
}

// journalLine returns the line of a claim: quoted output, source and target, and a checksum,
// because a damaged name may be the name of a foreign file.
func journalLine(c plan.Claim) string {
	text := fmt.Sprintf("%q %q %q", c.Output, c.Source, c.Target)
	return text + " " + sealLine(text) + "\n"
}

// sealLine returns 16 hexadecimal digits of BLAKE3.
func sealLine(text string) string {
	sum := hashing.DigestOf([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// parseJournal parses a journal and counts the damaged lines.
func parseJournal(data []byte) (claims []plan.Claim, damaged int) {
	for line := range strings.Lines(string(data)) {
		if c, ok := parseJournalLine(line); ok {
			claims = append(claims, c)
		} else {
			damaged++
		}
	}
	return claims, damaged
}

func parseJournalLine(line string) (c plan.Claim, ok bool) {
	rest := line
	for _, word := range []*string{&c.Output, &c.Source, &c.Target} {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return c, false
		}
		*word, _ = strconv.Unquote(quoted)
		if rest, ok = strings.CutPrefix(rest[len(quoted):], " "); !ok {
			return c, false
		}
	}
	// The line must be exactly the line of the claim.
	return c, journalLine(c) == line && canBeOutput(c.Output)
}

// canBeOutput reports whether a path from a file can name an output.
func canBeOutput(p string) bool {
	return p != "." && filepath.IsLocal(filepath.FromSlash(p)) && path.Clean(p) == p
}
