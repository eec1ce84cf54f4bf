package pathname

import (
	"path"
	"strings"
)

// An extract is what files say of a subject, as a function that has a name makes it of their
// contents: one file, or those of a listing. It has a path like a file beside them: that of the
// file or of the listing, a NUL, the function's name, and another NUL. If there is a subject, its
// path relative to the folder follows with NULs for slashes, and one more NUL. So its folder is
// that of the files.

// An Extracted is an extract's path taken apart.
type Extracted struct {
	File    string // or the path of a listing of files
	Name    string // of the function
	Subject string // "" for what asks, in the name of a dependency, and for all that is said in a path
}

// Path puts the path of an extract together.
func (x Extracted) Path() string {
	p := x.File + "\x00" + x.Name + "\x00"
	if x.Subject != "" {
		p += strings.ReplaceAll(x.Subject, "/", "\x00") + "\x00"
	}
	return p
}

// CutExtract takes apart the path of an extract; ok is false for any other.
func CutExtract(name string) (x Extracted, ok bool) {
	rest, ok := strings.CutSuffix(name, "\x00")
	if !ok || IsArtifacts(name) || PresenceOnly(name) {
		return x, false
	}
	if _, listing := CutListing(name); listing {
		return x, false
	}
	var of string
	if x.File, of, ok = strings.Cut(rest, "\x00"); !ok {
		return x, false
	}
	if x.File == "." || strings.HasSuffix(x.File, "/.") { // a listing, whose pattern follows
		var pattern string
		pattern, of, ok = strings.Cut(of, "\x00")
		if x.File += "\x00" + pattern; !ok || pattern == "" || strings.Contains(pattern, "/") {
			return x, false
		}
	}
	subject := ""
	x.Name, subject, _ = strings.Cut(of, "\x00")
	x.Subject = strings.ReplaceAll(subject, "\x00", "/")
	return x, x.Name != "" && !strings.Contains(of, "/") && x.Path() == name
}

// OfMany reports whether it is of the files of a listing.
func (x Extracted) OfMany() bool {
	_, listing := CutListing(x.File)
	return listing
}

// Of is the extract of one of a folder's files by the same function, about all subjects.
func (x Extracted) Of(file string) Extracted {
	return Extracted{File: path.Join(path.Dir(x.File), file), Name: x.Name}
}

// All is the same extract about all subjects.
func (x Extracted) All() Extracted { return Extracted{File: x.File, Name: x.Name} }

// FileOf returns the file or the listing that an extract reads, the name of a link, or any other
// path unchanged.
func FileOf(name string) string {
	if link, ok := CutLink(name); ok {
		return link
	}
	if x, ok := CutExtract(name); ok {
		return x.File
	}
	return name
}

// String writes an extract as people know it: without the version of its function.
func (x Extracted) String() string {
	what, _, _ := strings.Cut(x.Name, ".")
	return Plain(x.File) + " (" + what + ")"
}
