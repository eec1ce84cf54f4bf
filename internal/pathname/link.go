package pathname

import (
	"path"
	"strings"
)

// The text of a symbolic link is a dependency of its own, separate from the file that the link
// points to. Its path is the path of the link, a NUL and an arrow. No path of a listing or an
// extract ends so.
const arrow = "\x00->"

// Link returns the path that stands for the text of a symbolic link.
func Link(file string) string { return file + arrow }

// CutLink returns the file of a path that Link returned; ok is false for any other path. A "." is
// never a link: a path that looks like its link is a listing.
func CutLink(name string) (file string, ok bool) {
	file, ok = strings.CutSuffix(name, arrow)
	return file, ok && file != "" && path.Base(file) != "." && !strings.Contains(file, "\x00")
}
