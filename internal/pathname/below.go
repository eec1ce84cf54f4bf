package pathname

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// Below returns the path of a file relative to a directory, with slashes, "." for the directory
// itself, and whether the file is in the directory. Both paths must be absolute and free of
// symbolic links, or both relative to the same directory. Below reads nothing from the disk.
func Below(folder, file string) (rel string, ok bool) {
	rel, err := filepath.Rel(folder, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// Relative returns the path of a file relative to another directory of the same tree. Both are
// clean paths with slashes from the root of the tree, which is ".". On Windows, filepath.Rel would
// treat names that differ only in case as equal.
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

// FromHere makes an absolute path relative to the working directory, for messages. It returns other
// paths unchanged.
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

// IsAbsent reports whether an error says that no file has the name: the file does not exist, a
// parent is not a directory, or the name is too long for the system.
func IsAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG)
}
