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
	// Nested is a directory link below a directory that was reached by a link. It is not followed.
	Nested
	// Dangling is a broken link. Its target does not exist.
	Dangling
	// Irregular is a FIFO, socket or device, or a link to one.
	Irregular
	// BadIgnore is a .cookignore that cannot be read. Its directory is skipped, because its rules
	// are unknown.
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
	Path string // path in the form of Entry.Path
	Kind Kind
	Err  error // cause; nil if Kind explains the problem
}

// Fatal reports whether the problem makes the run fail. Problems that are not fatal are only
// reported.
func (p Problem) Fatal() bool { return p.Kind == Unreadable || p.Kind == BadIgnore }

// Failed reports whether any problem is fatal.
func (t *Tree) Failed() bool { return slices.ContainsFunc(t.Problems, Problem.Fatal) }

// Unwrap returns the cause.
func (p Problem) Unwrap() error { return p.Err }

// Error returns one line for the user: the path, the problem, and what to do.
func (p Problem) Error() string { return pathname.Show(p.Path) + ": " + p.Reason() }

// Reason returns the text of Error without the path.
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

// plainCause removes the operation and the path from an error of package os. The message already
// contains the path relative to the tree.
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
	real    string // absolute path of root, without links
	exclude exclusions
}

// target is the final target of a link.
type target struct {
	path  string // slash-separated path below the root, without links; "." is the root
	stamp Stamp
	skip  bool // set if the target is excluded or the link has disappeared
}

// resolveLink follows the link at rel to its final target. The parents of rel must not be links.
// kind is 0 if the target is a file or directory of the tree.
//
// The target is found by absolute paths, because a link may lead out of the tree and back in. It is
// then checked with stat through the root, which cannot leave the tree.
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
	case mode&fs.ModeSymlink != 0: // the target became a link a moment ago
		return t, Dangling, errors.New("the link changed while it was read")
	default:
		return t, Irregular, typeError(mode)
	}
}

// unresolved returns the reason why a link cannot be followed.
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
	if !absent { // EvalSymlinks names no path if links form a circle
		return Dangling, fmt.Errorf("the target %s is a link that leads back to this link", pathname.Show(text))
	}
	target := text
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(full), target)
	}
	if _, err := os.Lstat(target); err == nil { // the target is a broken link
		return Dangling, fmt.Errorf("the target %s is a link to a missing file", pathname.Show(text))
	}
	if _, ok := pathname.Below(r.real, resolveExisting(filepath.Clean(target))); !ok {
		// Creating the target would not help, because the target would be outside of the tree.
		return Dangling, fmt.Errorf("%s does not exist, and would be outside of the asset directory", pathname.Show(text))
	}
	return Dangling, fmt.Errorf("%s does not exist", pathname.Show(text))
}

// isAtOrBelow reports whether path is folder or is below it. "." is the root.
func isAtOrBelow(folder, path string) bool {
	return folder == "." || folder == path ||
		len(path) > len(folder) && path[len(folder)] == '/' && strings.HasPrefix(path, folder)
}

// typeError names the type of a file that is not a regular file, directory or link.
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
