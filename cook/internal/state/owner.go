package state

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/statedir"
)

// ownerName is the file that names the asset directory of an output directory: its path from the
// output directory, its absolute path, and ownerEnd, one line each.
const (
	ownerName = manifest.StateDir + "/owner"
	ownerEnd  = "owner"
)

// OtherOwner returns the asset directory that the output directory belongs to, if that is
// another directory than assets and exists. A missing owner was probably renamed. An owner that
// moved together with its output directory is the same.
func (d *Dir) OtherOwner(assets string) string {
	text, err := d.files.readStateFile(ownerName)
	if err != nil {
		return ""
	}
	return owner(d.files.out.Name(), text, assets)
}

// BelongsTo reports whether a run has cooked into an output directory from this asset directory,
// or from one that is gone and was probably renamed. Early versions wrote no owner; then the
// owner is the directory "assets" beside the output directory, if it exists.
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

// owner returns the asset directory that a text names, "" if that is the given one or does not
// exist.
func owner(out string, text []byte, assets string) (other string) {
	lines := strings.Split(string(text), "\n")
	if len(lines) != 4 || lines[2] != ownerEnd || lines[3] != "" {
		return "" // damaged
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

// SetOwner records the asset directory of the output directory.
func (d *Dir) SetOwner(assets string) error {
	relative, err := filepath.Rel(d.files.out.Name(), assets)
	if err != nil || strings.Contains(assets, "\n") {
		return nil // on another drive, or with a name that a line cannot hold
	}
	text := filepath.ToSlash(relative) + "\n" + filepath.ToSlash(assets) + "\n" + ownerEnd + "\n"
	if before, err := d.files.readStateFile(ownerName); err == nil && string(before) == text {
		return nil
	}
	return d.files.putFile(ownerName, []byte(text), withoutSync)
}
