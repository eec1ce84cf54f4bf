package scan

import (
	"errors"
	"io/fs"
	"slices"
	"strconv"

	"github.com/assetcook/assetcook/internal/pathname"
)

// Kind says what is wrong with a path.
type Kind uint8

const (
	// Unreadable is a folder that could not be listed or an entry that could
	// not be asked for its stamp.
	Unreadable Kind = iota + 1
	// Escape is a link to something that exists, out of the tree or in an excluded folder.
	Escape
	// Loop is a link to a folder that contains the link.
	Loop
	// Nested is a folder link below a folder that was itself reached by a
	// link; it is not followed.
	Nested
	// Dangling is a broken link: what it leads to does not exist, wherever that would be.
	Dangling
	// Irregular is a FIFO, socket or device, or a link to one.
	Irregular
	// BadIgnore is a .cookignore that cannot be read. It is unknown what of
	// its folder is wanted, so that folder is left out.
	BadIgnore
	// Secret is a file that [Defaults] leave out because it may hold a private key or a
	// password. Err names the line of Defaults.
	Secret
)

// String gives the kind's name in lower case.
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

// Problem is a path that could not become an entry.
type Problem struct {
	Path string // as in Entry
	Kind Kind
	Err  error // the cause; nil where the kind says it all
}

// Fatal reports whether the problem makes the run a failure. The others are
// only reported: the tree is whole without them.
func (p Problem) Fatal() bool { return p.Kind == Unreadable || p.Kind == BadIgnore }

// Failed reports whether any problem is fatal.
func (t *Tree) Failed() bool { return slices.ContainsFunc(t.Problems, Problem.Fatal) }

// Unwrap returns the cause.
func (p Problem) Unwrap() error { return p.Err }

// Error gives one line for people: the path, what is wrong with it, what to do.
func (p Problem) Error() string { return pathname.Show(p.Path) + ": " + p.Reason() }

// Reason is Error without the path.
func (p Problem) Reason() string {
	var text, next string
	switch p.Kind {
	case Unreadable:
		text = "cannot be read"
	case Escape:
		text, next = "link leads out of the asset folder", "copy the target in"
	case Loop:
		text, next = "link leads to a folder that contains it", "remove it"
	case Nested:
		text, next = "folder link below a linked folder is not followed", "link its target directly"
	case Dangling:
		text, next = "broken link", "repair or remove it"
	case Irregular:
		text, next = "neither file nor folder", "move it out of the asset folder"
	case BadIgnore:
		text, next = "cannot be used, its folder is left out", "repair or remove it"
	case Secret:
		text, next = "left out because it may hold a secret", "to ship it, write !"+p.Err.Error()+" into a "+IgnoreName
	default:
		text = p.Kind.String()
	}
	if p.Err != nil {
		text += ": " + cause(p.Err).Error()
	}
	if next != "" {
		text += "; " + next
	}
	return text
}

// cause drops the operation and path that package os put around an error: our
// line has named the path already, and relative to the tree.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
