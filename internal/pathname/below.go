package pathname

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Below returns where a file lies in a folder, with slashes, "." for the folder
// itself, and whether it does. Both names are absolute and free of links, or both
// relative to the same folder; nothing is looked up.
func Below(folder, file string) (rel string, ok bool) {
	rel, err := filepath.Rel(folder, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// Relative returns the name of a file as another folder of the same tree would write it. Both
// are clean paths with slashes from the root of the tree, which is ".". On Windows filepath.Rel
// would take names that differ in case for the same.
func Relative(folder, file string) string {
	up := ""
	for folder != "." && folder != file && !strings.HasPrefix(file, folder+"/") {
		folder = path.Dir(folder)
		up += "../"
	}
	if folder == file {
		return path.Clean(up)
	}
	if folder != "." {
		file = file[len(folder)+1:]
	}
	return up + file
}

// FromHere returns an absolute name as one from the working directory, for messages. Other
// names stay as they are.
func FromHere(name string) string {
	if !filepath.IsAbs(name) {
		return name
	}
	wd, err := os.Getwd()
	if err != nil {
		return name
	}
	rel, err := filepath.Rel(wd, name)
	if err != nil {
		return name
	}
	return rel
}
