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

// The journal lists outputs that a run is about to make. It is on the disk before the
// first of them is, so that a run that follows a killed one knows which files are the
// cooker's own. A run that ends removes it, but for claims that have to stay.

// Claims returns the outputs that are ours though the index may not say so: those of a
// run that was killed and, if there is no index, those that the manifest lists. What is
// damaged is noted.
func (d *Dir) Claims(haveIndex bool, note func(string)) ([]plan.Claim, error) {
	data, err := d.readStateFile(journalName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("journal: %w; remove it", err)
	}
	claims, damaged := parseJournal(data)
	if damaged > 0 {
		note(fmt.Sprintf("journal %s: %d lines are damaged; cooked files that they named may have to be moved away by hand", d.name(journalName), damaged))
	}
	if haveIndex {
		return claims, nil
	}
	listed, err := d.manifestClaims()
	if err != nil {
		note(fmt.Sprintf("%v; cooked files that the manifest listed may have to be moved away by hand", err))
		return claims, nil
	}
	return append(claims, listed...), nil
}

// manifestClaims returns the outputs that the manifest lists, none if there is no
// manifest.
func (d *Dir) manifestClaims() ([]plan.Claim, error) {
	root, err := d.readStateFile(manifest.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var claims []plan.Claim
	for a, err := range manifest.Read(root, d.readStateFile) {
		if err != nil {
			return nil, err
		}
		for _, o := range a.Outputs {
			claims = append(claims, plan.Claim{Output: o.Path, Source: a.Source, Target: a.Target})
		}
	}
	return claims, nil
}

// WriteJournal records claims. Without any there is no journal.
func (d *Dir) WriteJournal(claims []plan.Claim) error {
	if len(claims) == 0 {
		err := d.home.Root().Remove(journalName)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
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
	if now, err := d.readStateFile(journalName); err == nil && bytes.Equal(now, b.Bytes()) {
		return atomicfile.SyncFolder(d.Folder()) // the run that wrote it may have been killed before that
	}
	return d.replaceDurably(journalName, b.Bytes())
}

// journalLine is a claim as the journal has it: quoted output, source and target, and a
// checksum of these, because a name with a wrong letter may be that of a foreign file.
func journalLine(c plan.Claim) string {
	text := fmt.Sprintf("%q %q %q", c.Output, c.Source, c.Target)
	return text + " " + sealLine(text) + "\n"
}

// sealLine is 16 hexadecimal digits of BLAKE3.
func sealLine(text string) string {
	sum := hashing.DigestOf([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// parseJournal reads what it can, and counts the lines that it cannot.
func parseJournal(data []byte) (claims []plan.Claim, damaged int) {
	for line := range strings.Lines(string(data)) {
		if c, ok := parseLine(line); ok {
			claims = append(claims, c)
		} else {
			damaged++
		}
	}
	return claims, damaged
}

func parseLine(line string) (c plan.Claim, ok bool) {
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
	// The line has to be the one that would be written for the claim.
	return c, journalLine(c) == line && canBeOutput(c.Output)
}

// canBeOutput reports whether a path from a file can name an output.
func canBeOutput(p string) bool {
	return p != "." && filepath.IsLocal(filepath.FromSlash(p)) && path.Clean(p) == p
}
