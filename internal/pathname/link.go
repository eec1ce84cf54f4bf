package pathname

import (
	"path"
	"strings"
)

// A symbolic link is a dependency by its text, apart from the file that it leads to. It has a
// path like a file beside it: its own, a NUL and an arrow. No listing and no extract ends so.
const arrow = "\x00->"

// Link returns the path of a symbolic link itself.
func Link(file string) string { return file + arrow }

// CutLink takes apart the path that Link returns; ok is false for any other. A folder's "." is no
// link: what looks like one is a listing.
func CutLink(name string) (file string, ok bool) {
	file, ok = strings.CutSuffix(name, arrow)
	return file, ok && file != "" && path.Base(file) != "." && !strings.Contains(file, "\x00")
}
