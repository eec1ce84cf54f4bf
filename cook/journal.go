package cook

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/atomicfile"
)

// journalName is the list of outputs that a run is about to make. It is on the
// disk before the first of them is, so that a run that follows a killed one
// knows which files are the cooker's own. A run that ends removes it.
const journalName = plan.StateDir + "/journal"

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
		b.WriteString(journalLine(c))
	}
	if now, err := k.readState(journalName); err == nil && bytes.Equal(now, b.Bytes()) {
		return atomicfile.SyncFolder(k.outFile(plan.StateDir)) // who wrote it may not have come to that
	}
	return k.replaceForGood(journalName, b.Bytes())
}

// journalLine is a claim as the journal has it: quoted output, source and target,
// and a checksum of these, because a name with a wrong letter may be that of a
// file of the user's.
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
	return c, journalLine(c) == line && inside(c.Output)
}
