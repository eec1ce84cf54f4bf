package dependency

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
)

// The text of a File is its path. Texts of other kinds contain at least one NUL, which cannot occur
// in paths:
//
//	NUL file                                       Presence
//	file NUL ->                                    Link
//	dir /. NUL .                                   Folder
//	dir /. NUL                                     Entries
//	dir /. NUL pattern                             Files
//	dir /. NUL pattern NUL                         Folders
//	file NUL function NUL subject NUL              Extract
//	dir /. NUL pattern NUL function NUL subject NUL      Extracts
//	@ NUL target NUL pattern NUL pattern ...       Artifacts
//	@ NUL target NUL pattern NUL pattern ... NUL   IDs
//	@@ NUL target NUL source NUL output NUL        Name
//
// In the subject, NULs replace slashes. Without a subject, the last NUL is omitted as well. So the
// text up to its last slash is the directory of the files, and the index uses it to find the
// stamped files. The directory "." is written without its slash.
const (
	nul       = "\x00"
	here      = "."
	arrow     = "->"
	artifacts = "@" + nul
	named     = "@@" + nul
)

// Encode returns the text that represents a dependency.
func Encode(d Dependency) string {
	switch d.Kind {
	case File:
		return d.Path
	case Presence:
		return nul + d.Path
	case Link:
		return d.Path + nul + arrow
	case Folder:
		return isWithin(d.Path) + here
	case Entries:
		return isWithin(d.Path)
	case Files:
		return isWithin(d.Path) + d.Pattern
	case Folders:
		return isWithin(d.Path) + d.Pattern + nul
	case Extract:
		return d.Path + nul + d.encodedName()
	case Extracts:
		return isWithin(d.Path) + d.Pattern + nul + d.encodedName()
	case Artifacts:
		return artifacts + d.Path + nul + d.Pattern
	case IDs:
		return artifacts + d.Path + nul + d.Pattern + nul
	case Name:
		return named + d.Path + nul + d.Pattern + nul
	}
	panic("the dependency has no kind")
}

// isWithin returns the prefix that is common to the texts of all dependencies on a directory and on
// names in it.
func isWithin(folder string) string {
	if folder == here {
		return here + nul
	}
	return strings.TrimSuffix(folder, "/") + "/" + here + nul
}

// encodedName returns the last part of the text of an extract.
func (d Dependency) encodedName() string {
	if d.Subject == "" {
		return d.Function + nul
	}
	return d.Function + nul + strings.ReplaceAll(d.Subject, "/", nul) + nul
}

// Decode parses a text that Encode returned. It returns an error for any other text.
func Decode(text string) (Dependency, error) {
	head, rest, ok := strings.Cut(text, nul)
	if !ok {
		return Dependency{Path: text}, nil
	}
	d := parseEncoded(head, strings.Split(rest, nul))
	slash := strings.Contains(rest, "/") && d.Kind != Presence && !d.Kind.IsArtifacts()
	if slash || Encode(d) != text {
		return Dependency{}, fmt.Errorf("%.200q is not a dependency", text)
	}
	return d, nil
}

// parseEncoded parses a text that consists of head and rest, joined by NULs. It does not check the
// text, because Decode encodes the result again and compares.
func parseEncoded(head string, rest []string) Dependency {
	folder, inFolder := strings.CutSuffix(head, "/"+here)
	if head == here {
		folder, inFolder = here, true
	}
	folder = cmp.Or(folder, "/")
	last := len(rest) - 1
	switch {
	case inFolder && last == 0 && rest[0] == "":
		return Dependency{Kind: Entries, Path: folder}
	case inFolder && last == 0:
		return OfNames(folder, rest[0], false)
	case inFolder && last == 1:
		return OfNames(folder, rest[0], true)
	case inFolder:
		return Dependency{Kind: Extracts, Path: folder, Pattern: rest[0], Function: rest[1], Subject: strings.Join(rest[2:last], "/")}
	case head == "":
		return Dependency{Kind: Presence, Path: rest[0]}
	case last == 0 && rest[0] == arrow:
		return Dependency{Kind: Link, Path: head}
	case head+nul == named && last == 3 && rest[last] == "":
		return OfName(rest[0], rest[1], rest[2])
	case head+nul == artifacts && last > 1 && rest[last] == "":
		return OfArtifacts(IDs, rest[0], rest[1:last])
	case head+nul == artifacts:
		return OfArtifacts(Artifacts, rest[0], rest[1:])
	}
	return Dependency{Kind: Extract, Path: head, Function: rest[0], Subject: strings.Join(rest[min(1, last):last], "/")}
}

// MarshalText implements encoding.TextMarshaler, using Encode.
func (d Dependency) MarshalText() ([]byte, error) { return []byte(Encode(d)), nil }

// UnmarshalText implements encoding.TextUnmarshaler, using Decode.
func (d *Dependency) UnmarshalText(text []byte) (err error) {
	*d, err = Decode(string(text))
	return err
}

// MayBePart reports whether a text may encode an extract or a dependency on artifacts. It examines
// only a few bytes.
func MayBePart(text []byte) bool {
	n := len(text)
	return n > 1 && (text[n-1] == 0 || text[0] == artifacts[0] && text[1] == 0)
}

// Stamped returns the directory entry whose stamp changes whenever a dependency may have changed.
// text is the part of the dependency's text after the last slash, followed by a NUL.
//
// The entry is a File or a Link with a name, the directory itself, or, for an Extract, a file with
// a name. The name includes its NUL. Stamped examines only a few bytes of a file's name.
func Stamped(text []byte) (as Kind, name []byte) {
	as = File
	switch {
	case len(text) > 2 && text[0] == '.' && text[1] == 0:
		return Folder, nil
	case len(text) > 2 && text[len(text)-2] == 0:
		as = Extract
	case bytes.HasSuffix(text, linkEnd):
		as = Link
	default:
		return File, text
	}
	return as, text[:bytes.IndexByte(text, 0)+1]
}

var linkEnd = []byte(nul + arrow + nul)
