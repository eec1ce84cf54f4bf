package scan

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/pathname"
)

// Kind is the kind of a Problem.
type Kind uint8

const (
	// Unreadable is a directory that could not be listed, or an entry without a stamp because its
	// lstat failed.
	Unreadable Kind = iota + 1
	// Escape is a link whose target exists, but outside the tree or in an excluded directory.
	Escape
	// Loop is a link to a directory that contains the link.
	Loop
	// Nested is a directory link below a directory that was itself reached by a link; it is not
	// followed.
	Nested
	// Dangling is a broken link, whose target exists neither inside nor outside the tree.
	Dangling
	// Irregular is a FIFO, socket or device, or a link to one.
	Irregular
	// BadIgnore is a .cookignore that cannot be read. Its rules are unknown, so its directory is
	// skipped.
	BadIgnore
	// Secret is a file that [Defaults] excludes because it may hold a private key or a password.
	// Err names the line of Defaults.
	Secret
	// Cache is a directory with a valid [CacheTag].
	Cache
	// Cooked is an output directory of cook without a CacheTag.
	Cooked
)

// String returns the kind's name in lower case.
func (k Kind) String() string {
	switch k {
	case Unreadable:
		return "unreadable"
	case Escape:
		return "escape"
	case Loop:
		return "loop"
	case Nested:
		return "nested"
	case Dangling:
		return "dangling"
	case Irregular:
		return "irregular"
	case BadIgnore:
		return "bad ignore file"
	case Secret:
		return "secret"
	case Cache:
		return "cache"
	case Cooked:
		return "cooked"
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// A Problem is a path that could not become an entry.
type Problem struct {
	Path string // path of the entry; see Entry
	Kind Kind
	Err  error // cause, if the kind does not explain the problem sufficiently
}

// Fatal reports whether the problem fails the run. Other problems are only reported: the tree is
// complete without them.
func (p Problem) Fatal() bool { return p.Kind == Unreadable || p.Kind == BadIgnore }

// Failed reports whether any problem is fatal.
func (t *Tree) Failed() bool { return slices.ContainsFunc(t.Problems, Problem.Fatal) }

// Unwrap returns the cause.
func (p Problem) Unwrap() error { return p.Err }

// Error returns one line for the user: the path, the problem, and what to do.
func (p Problem) Error() string { return pathname.Show(p.Path) + ": " + p.Reason() }

// Reason returns Error without the path.
func (p Problem) Reason() string {
	var text, next string
	switch p.Kind {
	case Unreadable:
		text = "cannot be read"
	case Escape:
		text, next = "link leads out of the asset directory", "copy the target into the asset directory"
	case Loop:
		text, next = "link leads to a directory that contains the link", "remove the link"
	case Nested:
		text, next = "cook does not follow a link to a directory inside another linked directory", "link to the target directory directly"
	case Dangling:
		text, next = "link is broken", "repair or remove the link"
	case Irregular:
		text, next = "neither a file nor a directory", "move it out of the asset directory"
	case BadIgnore:
		text, next = "cannot be used, so the whole directory is left out", "repair or remove it"
	case Secret:
		text, next = "left out, because the file may hold a secret", "to ship the file, write !"+p.Err.Error()+" into a "+IgnoreName
	case Cache:
		text, next = "directory left out, because its "+CacheTag+" marks it as a cache that a program can make again", "if it has assets, remove that file"
	case Cooked:
		text, next = "directory left out, because it is the output directory of another cook", "cook into a directory outside of the assets"
	default:
		text = p.Kind.String()
	}
	if p.Err != nil {
		text += ": " + plainCause(p.Err).Error()
	}
	if next != "" {
		text += "; " + next
	}
	return text
}

// plainCause removes the operation and the path that package os adds to an error. The message
// already contains the path, relative to the tree.
func plainCause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// resolver resolves the links of one tree.
type resolver struct {
	root    *os.Root
	real    string // absolute path of root, free of links
	exclude exclusions
}

// target is the end of a chain of links.
type target struct {
	path  string // relative to the root, with slashes, free of links; "." is the root
	stamp Stamp
	skip  bool // set for an excluded directory or a vanished link
}

// resolveLink follows the link at rel to its end; the parents of rel must not be links. kind is 0 if
// the end is a file or directory of the tree.
//
// The names on the way are looked up by absolute path, because a link may lead out of the tree
// and back in. The end is then checked with stat through the root, which never leaves the tree.
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
	case mode&fs.ModeSymlink != 0: // entry that was not a link a moment ago
		return t, Dangling, errors.New("the link changed while it was read")
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
	if !absent { // circle of links; its error names no path
		return Dangling, fmt.Errorf("the target %s is a link that leads back to this link", pathname.Show(text))
	}
	target := text
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(full), target)
	}
	if _, err := os.Lstat(target); err == nil { // another link
		return Dangling, fmt.Errorf("the target %s is a link to a missing file", pathname.Show(text))
	}
	if _, ok := pathname.Below(r.real, resolveExisting(filepath.Clean(target))); !ok {
		// To create the target would not help, because it would be outside.
		return Dangling, fmt.Errorf("%s does not exist, and would be outside of the asset directory", pathname.Show(text))
	}
	return Dangling, fmt.Errorf("%s does not exist", pathname.Show(text))
}

// isAtOrBelow reports whether path is a directory or is below it. "." is the root.
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
		return errors.New("is a junction, which cook does not follow (make it a symbolic link with mklink /D)")
	}
	return errors.New("is of a type that cannot be read as a file")
}
