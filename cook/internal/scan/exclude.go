package scan

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/assetcook/assetcook/internal/pathname"
)

// errInsideExcluded reports a root that an empty tree would misrepresent.
var errInsideExcluded = errors.New("the asset directory is inside the output or store directory; choose separate ones")

// exclusions are the directories that the walk skips. There are few, so each test is a short
// loop.
type exclusions struct {
	folders []string      // absolute, links resolved if they exist
	names   []string      // relative to the root; includes links given for directories
	known   []fs.FileInfo // the existing directories
	ids     []Stamp       // their stamps, same order
}

func newExclusions(real string, info fs.FileInfo, folders []string) (exclusions, error) {
	var x exclusions
	for _, name := range folders {
		abs, err := filepath.Abs(name)
		if err != nil {
			return x, err
		}
		folder := resolveExisting(abs)
		if _, ok := pathname.Below(folder, real); ok {
			return x, errInsideExcluded
		}
		if fi, err := os.Stat(folder); err == nil {
			if os.SameFile(fi, info) {
				return x, errInsideExcluded
			}
			x.known = append(x.known, fi)
			x.ids = append(x.ids, StampOf(fi))
		}
		x.folders = append(x.folders, folder)
		asGiven := filepath.Join(resolveExisting(filepath.Dir(abs)), filepath.Base(abs))
		for _, f := range [...]string{folder, asGiven} {
			if rel, ok := pathname.Below(real, f); ok {
				x.names = append(x.names, rel)
			}
		}
	}
	return x, nil
}

// resolveExisting resolves the links in the existing part of abs, and keeps the rest unchanged.
func resolveExisting(abs string) string {
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	parent := filepath.Dir(abs)
	if parent == abs {
		return abs
	}
	return filepath.Join(resolveExisting(parent), filepath.Base(abs))
}

// isNamed reports whether rel names one of the directories, or a link that was given for one.
func (x *exclusions) isNamed(rel string) bool { return isOneOf(x.names, rel) }

// isExcludedFolder reports whether a directory with stamp st is one of the directories under another name.
// It calls stat only if stamps have no inode.
func (x *exclusions) isExcludedFolder(st Stamp, stat func() (fs.FileInfo, error)) bool {
	for i, id := range x.ids {
		if id.Inode != 0 {
			if id.Inode == st.Inode && id.Device == st.Device {
				return true
			}
			continue
		}
		if fi, err := stat(); err == nil && os.SameFile(fi, x.known[i]) {
			return true
		}
	}
	return false
}

// isFolder reports whether path, absolute and free of links, is one of the directories.
func (x *exclusions) isFolder(path string) bool { return isOneOf(x.folders, path) }

// holds reports whether path, absolute and free of links, is one of the directories or inside
// one.
func (x *exclusions) holds(path string) bool {
	for _, f := range x.folders {
		if _, ok := pathname.Below(f, path); ok {
			return true
		}
	}
	return false
}
