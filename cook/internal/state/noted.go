package state

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/manifest"
)

// notedName is the file that lists what earlier runs have said of the tree and would say
// again: a quoted line each, sorted.
const notedName = manifest.StateDir + "/noted"

// Noted returns the lines that SetNoted was given last. What is damaged is not among them.
func (d *Dir) Noted() map[string]bool {
	data, _ := d.readStateFile(notedName) // what cannot be read is said again
	lines := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if text, err := strconv.Unquote(strings.TrimSuffix(line, "\n")); err == nil {
			lines[text] = true
		}
	}
	return lines
}

// SetNoted records lines. Without any there is no file.
func (d *Dir) SetNoted(lines []string) error {
	if len(lines) == 0 {
		if err := d.home.Root().Remove(notedName); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	lines = slices.Clone(lines)
	slices.Sort(lines)
	var b bytes.Buffer
	for _, line := range slices.Compact(lines) {
		b.WriteString(strconv.Quote(line) + "\n")
	}
	if now, err := d.readStateFile(notedName); err == nil && bytes.Equal(now, b.Bytes()) {
		return nil
	}
	return d.putFile(notedName, b.Bytes(), unsynced)
}
