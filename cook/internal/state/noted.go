package state

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/manifest"
)

// notedName lists the warnings of earlier runs that a run would repeat: quoted lines, sorted.
const notedName = manifest.StateDir + "/noted"

// Noted is the list of warnings that earlier runs have reported.
type Noted struct{ files *files }

// Lines returns the lines, without damaged ones.
func (n Noted) Lines() map[string]bool {
	data, _ := n.files.readStateFile(notedName) // a run repeats lost warnings
	lines := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if text, err := strconv.Unquote(strings.TrimSuffix(line, "\n")); err == nil {
			lines[text] = true
		}
	}
	return lines
}

// Set replaces the lines. Without lines there is no file.
func (n Noted) Set(lines []string) error {
	if len(lines) == 0 {
		return n.files.removeMaybe(notedName)
	}
	lines = slices.Clone(lines)
	slices.Sort(lines)
	var b bytes.Buffer
	for _, line := range slices.Compact(lines) {
		b.WriteString(strconv.Quote(line) + "\n")
	}
	if now, err := n.files.readStateFile(notedName); err == nil && bytes.Equal(now, b.Bytes()) {
		return nil
	}
	return n.files.putFile(notedName, b.Bytes(), withoutSync)
}
