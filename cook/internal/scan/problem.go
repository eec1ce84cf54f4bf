package scan

import (
	"errors"
	"io/fs"
	"slices"
	"strconv"

	"github.com/assetcook/assetcook/internal/pathname"
)

// Kind is the kind of a Problem.
type Kind uint8

const (
	// Unreadable is a directory that could not be listed, or an entry without a stamp because its
	// lstat failed.
	Unreadable Kind = iota + 1
	// Escape is a link to something that exists outside of the tree or in an excluded directory.
	Escape
	// Loop is a link to a directory that contains the link.
	Loop
	// Nested is a directory link below a directory that was itself reached by a link; it is not
	// followed.
	Nested
	// Dangling is a broken link: its target does not exist, inside or outside of the tree.
	Dangling
	// Irregular is a FIFO, socket or device, or a link to one.
	Irregular
	// BadIgnore is a .cookignore that cannot be read. Its rules are unknown, so its directory is
	// skipped.
	BadIgnore
	// Secret is a file that [Defaults] excludes because it may hold a private key or a password.
	// Err names the line of Defaults.
	Secret
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
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// A Problem is a path that could not become an entry.
type Problem struct {
	Path string // as in Entry
	Kind Kind
	Err  error // the cause; nil if the kind is enough
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
		text, next = "link leads out of the asset directory", "copy the target in"
	case Loop:
		text, next = "link leads to a directory that contains it", "remove it"
	case Nested:
		text, next = "directory link below a linked directory is not followed", "link its target directly"
	case Dangling:
		text, next = "broken link", "repair or remove it"
	case Irregular:
		text, next = "neither file nor directory", "move it out of the asset directory"
	case BadIgnore:
		text, next = "cannot be used, so its directory is left out", "repair or remove it"
	case Secret:
		text, next = "left out because it may hold a secret", "to ship it, write !"+p.Err.Error()+" into a "+IgnoreName
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

// plainCause removes the operation and path that package os adds to an error, because the message has
// the path already, relative to the tree.
func plainCause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
