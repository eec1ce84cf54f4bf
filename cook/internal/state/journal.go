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

	"github.com/assetcook/assetcook/cook/internal/hashname"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/atomicfile"
)

// A Journal lists outputs that a run is about to make. It is on the disk before the first output
// exists, so that the run after a killed run knows which files are cook's own. At its end, a run
// removes the claims that are not needed any more.
type Journal struct{ files *files }

// Claims returns the outputs that cook may have made although no index has them. These are the
// outputs of a killed run and, without an index, the outputs in the manifest. It reports damage to
// the journal.
func (j Journal) Claims(haveIndex bool, note func(string)) ([]plan.Claim, error) {
	data, err := j.files.readStateFile(journalName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("journal: %w; remove it", err)
	}
	claims, damaged := parseJournal(data)
	if damaged > 0 {
		note(fmt.Sprintf("journal %s: %d lines are damaged; if cook refuses to replace cooked files, move these files away", j.files.absoluteName(journalName), damaged))
	}
	claims = j.withFinalNames(claims)
	if haveIndex {
		return claims, nil
	}
	listed, err := Manifest(j).claims()
	if err != nil {
		note(fmt.Sprintf("%v; if cook refuses to replace cooked files, move these files away", err))
		return claims, nil
	}
	return append(claims, listed...), nil
}

// withFinalNames replaces each claim of a name that contains {hash}. The new claims are the existing
// files whose names match, with any hash digits. Cook made these files, because a run claimed the
// name.
func (j Journal) withFinalNames(claims []plan.Claim) (list []plan.Claim) {
	finder := &Finder{out: j.files.out}
	defer finder.Close()
	for _, c := range claims {
		name, ok := hashname.Parse(c.Target, c.Output)
		if !ok {
			list = append(list, c)
			continue
		}
		for _, file := range finder.Fitting(name) {
			list = append(list, plan.Claim{Output: file, Source: c.Source, Target: c.Target})
		}
	}
	return list
}

// Write replaces the claims. Without claims, it removes the journal.
func (j Journal) Write(claims []plan.Claim) error {
	if len(claims) == 0 {
		return j.files.removeMaybe(journalName)
	}
	size, blank := 0, len(appendJournalLine(nil, plan.Claim{}))
	for _, c := range claims {
		size += blank + len(c.Output) + len(c.Source) + len(c.Target)
	}
	text := make([]byte, 0, size)
	for _, c := range claims {
		text = appendJournalLine(text, c)
	}
	if now, err := j.files.readStateFile(journalName); err == nil && bytes.Equal(now, text) {
		return atomicfile.SyncFolder(j.files.absoluteName(manifest.StateDir)) // a killed run may have missed this sync
	}
	return j.files.replaceDurably(journalName, text)
}

// appendJournalLine appends the line of a claim: the quoted output, source and target, and a
// checksum. Without the checksum, a damaged name could be the name of another program's file.
func appendJournalLine(b []byte, c plan.Claim) []byte {
	begin := len(b)
	b = append(strconv.AppendQuote(b, c.Output), ' ')
	b = append(strconv.AppendQuote(b, c.Source), ' ')
	b = strconv.AppendQuote(b, c.Target)
	sum := hashing.DigestOf(b[begin:])
	return append(hex.AppendEncode(append(b, ' '), sum[:8]), '\n')
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
	// A valid line is equal to the encoding of its claim.
	return c, string(appendJournalLine(nil, c)) == line && canBeOutput(c.Output)
}

// canBeOutput reports whether a path in a file may be the name of an output.
func canBeOutput(p string) bool {
	return p != "." && filepath.IsLocal(filepath.FromSlash(p)) && path.Clean(p) == p
}
