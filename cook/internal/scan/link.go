package scan

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/assetcook/assetcook/internal/pathname"
)

// resolver resolves the links of one tree.
type resolver struct {
	root    *os.Root
	real    string // absolute path of root, free of links
	exclude exclusions
}

// target is the end of a link's chain.
type target struct {
	path  string // relative to the root, with slashes, free of links; "." is the root
	stamp Stamp
	skip  bool // an excluded directory or a vanished link: skip silently
}

// resolveLink follows the link at rel to its end; the parents of rel must not be links. kind is 0 if
// the end is a file or directory of the tree.
//
// The names on the way are looked up by absolute path, because a link may lead out of the tree
// and back in; the end is then checked with stat through the root, which never leaves it.
func (r *resolver) resolveLink(rel string) (t target, kind Kind, err error) {
	full := filepath.Join(r.real, filepath.FromSlash(rel))
	end, err := filepath.EvalSymlinks(full)
	if err != nil {
		if _, gone := os.Lstat(full); pathname.IsAbsent(gone) {
			return target{skip: true}, 0, nil
		}
		kind, err := r.unresolved(full, err)
		return t, kind, err
	}
	if r.exclude.isFolder(end) {
		return target{skip: true}, 0, nil
	}
	path, ok := pathname.Below(r.real, end)
	if !ok || r.exclude.holds(end) {
		return t, Escape, fmt.Errorf("target %s", pathname.Show(end))
	}
	fi, err := r.root.Lstat(filepath.FromSlash(path))
	switch {
	case pathname.IsAbsent(err):
		return t, Dangling, err
	case err != nil:
		return t, Unreadable, err
	}
	t = target{path: path, stamp: StampOf(fi)}
	switch mode := fi.Mode(); {
	case mode.IsDir():
		t.skip = r.exclude.isExcludedFolder(t.stamp, func() (fs.FileInfo, error) { return fi, nil })
		return t, 0, nil
	case mode.IsRegular():
		return t, 0, nil
	case mode&fs.ModeSymlink != 0: // was a plain entry a moment ago
		return t, Dangling, errors.New("changed while it was read")
	default:
		return t, Irregular, typeError(mode)
	}
}

// unresolved returns the reason why a link could not be followed.
func (r *resolver) unresolved(full string, err error) (Kind, error) {
	var pe *fs.PathError
	absent := errors.As(err, &pe)
	if absent && !pathname.IsAbsent(err) {
		return Unreadable, err
	}
	text, readErr := os.Readlink(full)
	if readErr != nil {
		return Dangling, readErr
	}
	if !absent { // an error without a path
		return Dangling, fmt.Errorf("%s leads back to the link", pathname.Show(text))
	}
	target := text
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(full), target)
	}
	if _, err := os.Lstat(target); err == nil { // another link
		return Dangling, fmt.Errorf("%s leads nowhere", pathname.Show(text))
	}
	if _, ok := pathname.Below(r.real, resolveExisting(filepath.Clean(target))); !ok {
		// Creating the target would not help.
		return Dangling, fmt.Errorf("%s does not exist, and would be outside of the asset directory", pathname.Show(text))
	}
	return Dangling, fmt.Errorf("%s does not exist", pathname.Show(text))
}

// isAtOrBelow reports whether directory ("." = root) is path or contains it.
func isAtOrBelow(folder, path string) bool {
	return folder == "." || folder == path ||
		len(path) > len(folder) && path[len(folder)] == '/' && strings.HasPrefix(path, folder)
}

// typeError names the type of an entry that is not a file, directory or link.
func typeError(mode fs.FileMode) error {
	switch {
	case mode.IsDir():
		return errors.New("is a directory")
	case mode&fs.ModeNamedPipe != 0:
		return errors.New("is a named pipe")
	case mode&fs.ModeSocket != 0:
		return errors.New("is a socket")
	case mode&fs.ModeDevice != 0:
		return errors.New("is a device")
	case mode&fs.ModeIrregular != 0 && runtime.GOOS == "windows":
		return errors.New("is a junction, which is not followed (make it a symbolic link with mklink /D)")
	}
	return errors.New("is of a type that cannot be read as a file")
}
