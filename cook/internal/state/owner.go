package state

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/cook/manifest"
)

// ownerName is the file that says which asset folder an output folder is of: its path from
// the output folder, its absolute path, and ownerEnd, a line each.
const (
	ownerName = manifest.StateDir + "/owner"
	ownerEnd  = "owner"
)

// OtherOwner returns the asset folder that the output folder belongs to, if that is another
// one than assets and still exists; "" if it is this one, if none is known, or if it is
// gone: then it was probably renamed. What moves with its output folder stays the same.
func (d *Dir) OtherOwner(assets string) string {
	text, err := d.read(ownerName)
	lines := strings.Split(string(text), "\n")
	if err != nil || len(lines) != 4 || lines[2] != ownerEnd || lines[3] != "" {
		return "" // it is not there, or not as it was written
	}
	ours, err := os.Stat(assets)
	if err != nil {
		return ""
	}
	other := ""
	for _, name := range []string{filepath.Join(d.out.Name(), filepath.FromSlash(lines[0])), filepath.FromSlash(lines[1])} {
		info, err := os.Stat(name)
		switch {
		case err != nil, !info.IsDir():
		case os.SameFile(info, ours):
			return ""
		case other == "":
			other = name
		}
	}
	return other
}

// SetOwner notes which asset folder the output folder is of.
func (d *Dir) SetOwner(assets string) error {
	relative, err := filepath.Rel(d.out.Name(), assets)
	if err != nil || strings.Contains(assets, "\n") {
		return nil // on another drive, or with a name that a line cannot hold: nobody's
	}
	text := filepath.ToSlash(relative) + "\n" + filepath.ToSlash(assets) + "\n" + ownerEnd + "\n"
	if before, err := d.read(ownerName); err == nil && string(before) == text {
		return nil
	}
	return d.put(ownerName, []byte(text), unsynced)
}
