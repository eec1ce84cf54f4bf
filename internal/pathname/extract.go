package pathname

import "strings"

// An extract is what a file says of a subject, as a function that has a name makes it of the
// file's content. It has a path like a file beside it: the file's, a NUL, which no file's name
// has, the function's name, and another NUL. If there is a subject, its path relative to the
// file's folder follows with NULs for slashes, and one more NUL. So its folder is the file's.

// An Extracted is an extract's path taken apart.
type Extracted struct {
	File    string
	Name    string // of the function
	Subject string // "" for what asks, in the name of a dependency
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
	subject := ""
	x.Name, subject, _ = strings.Cut(of, "\x00")
	x.Subject = strings.ReplaceAll(subject, "\x00", "/")
	return x, x.Name != "" && !strings.Contains(of, "/") && x.Path() == name
}

// FileOf returns the file that an extract is of, and any other path as it is.
func FileOf(name string) string {
	if x, ok := CutExtract(name); ok {
		return x.File
	}
	return name
}

// String writes an extract as people know it: without the version of its function.
func (x Extracted) String() string {
	what, _, _ := strings.Cut(x.Name, ".")
	return x.File + " (" + what + ")"
}
