package state

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/statedir"
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
	text, err := d.readStateFile(ownerName)
	if err != nil {
		return ""
	}
	return owner(d.out.Name(), text, assets)
}

// BelongsTo reports whether something was cooked into a folder, and of this asset folder or
// one that is gone, which was probably renamed. If it is not written down, as early
// versions did not, it is of the folder assets beside it, if there is one.
func BelongsTo(out, assets string) bool {
	if _, err := os.Lstat(filepath.Join(out, manifest.StateDir)); err != nil {
		return false
	}
	text, err := os.ReadFile(filepath.Join(statedir.Home(out), filepath.FromSlash(ownerName)))
	if err != nil {
		_, err := os.Lstat(filepath.Join(filepath.Dir(out), "assets"))
		return err != nil
	}
	return owner(out, text, assets) == ""
}

// owner returns the asset folder that a text names, "" if that is the given one or none
// that exists.
func owner(out string, text []byte, assets string) (other string) {
	lines := strings.Split(string(text), "\n")
	if len(lines) != 4 || lines[2] != ownerEnd || lines[3] != "" {
		return "" // not as it was written
	}
	own, err := os.Stat(assets)
	if err != nil {
		return ""
	}
	for _, name := range []string{filepath.Join(out, filepath.FromSlash(lines[0])), filepath.FromSlash(lines[1])} {
		info, err := os.Stat(name)
		switch {
		case err != nil, !info.IsDir():
		case os.SameFile(info, own):
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
	if before, err := d.readStateFile(ownerName); err == nil && string(before) == text {
		return nil
	}
	return d.putFile(ownerName, []byte(text), unsynced)
}
