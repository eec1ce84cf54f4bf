package pathname

import (
	"path"
	"strings"
)

// A listing is what a folder holds under the names of a pattern. It has a path like a file
// of the folder: that of a file named ".", which is the folder, and behind a NUL, which no
// file's name has, the pattern. Where it ends in another NUL, folders are meant, else files.
// Without a pattern it is all that the folder holds, of any kind.
const (
	listing = ".\x00"
	folders = "\x00"
)

// Listing returns the path of a listing: of the folder's files that match a pattern, or of
// the folders in it.
func Listing(folder, pattern string, ofFolders bool) string {
	if ofFolders {
		pattern += folders
	}
	switch {
	case folder == "" || folder == ".":
		return listing + pattern
	case strings.HasSuffix(folder, "/"):
		return folder + listing + pattern
	}
	return folder + "/" + listing + pattern
}

// there is the pattern of no name.
const there = "."

// Folder returns the path of a listing of which only counts that there is the folder.
func Folder(folder string) string { return Listing(folder, there, false) }

// A Listed is a listing's path taken apart.
type Listed struct {
	Folder    string // "." for that to which paths are relative
	Pattern   string // "" for everything
	OfFolders bool
}

// CutListing takes apart the path of a listing; ok is false for any other.
func CutListing(name string) (l Listed, ok bool) {
	i := strings.Index(name, listing)
	switch {
	case i == 0:
		l.Folder = "."
	case i == 1 && name[0] == '/':
		l.Folder = "/"
	case i > 1 && name[i-1] == '/':
		l.Folder = name[:i-1]
	default:
		return l, false
	}
	l.Pattern, l.OfFolders = strings.CutSuffix(name[i+len(listing):], folders)
	return l, (l.Pattern != "" || !l.OfFolders) && !strings.ContainsAny(l.Pattern, "/\x00") && !strings.Contains(l.Folder, "\x00")
}

// FolderOnly reports whether a listing is one that Folder returns.
func (l Listed) FolderOnly() bool { return l.Pattern == there }

// Plain returns a path as messages show it: a listing as its pattern, an extract as its file and
// name, a link marked as a link, artifacts as the patterns that choose them, and any other path
// unchanged.
func Plain(name string) string {
	if l, ok := CutListing(name); ok {
		return l.String()
	}
	if x, ok := CutExtract(name); ok {
		return x.String()
	}
	if link, ok := CutLink(name); ok {
		return link + " (link)"
	}
	if _, patterns, ok := CutArtifacts(name); ok {
		what := "artifacts "
		if IsIDs(name) {
			what = "IDs of "
		}
		return what + strings.Join(patterns, " ")
	}
	return name
}

// String writes a listing as the pattern that it is.
func (l Listed) String() string {
	if l.OfFolders || l.Pattern == "" {
		return path.Join(l.Folder, l.Pattern) + "/"
	}
	return path.Join(l.Folder, l.Pattern)
}
