// Package dependency defines what a cooked asset may depend on in addition to its source: a file,
// names in a directory, the target of a symbolic link, extracts from other files about the source,
// or artifacts of other assets.
//
// A [Dependency] is comparable and can be a map key. The zero value of its [Kind] is File. Paths
// are slash-separated. A recipe gives paths relative to the directory of its source, or relative to
// the asset tree if they start with a slash. [Dependency.Resolve] returns the dependency with a
// path in the asset tree, and [Dependency.Named] does the reverse.
//
// Code that distinguishes kinds must use a switch that lists all of them. A test finds incomplete
// switches.
//
// The index, read sets, keys and messages between machines store dependencies as texts. [Encode]
// returns such a text and [Decode] parses it. No other code parses these texts.
package dependency

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/assetcook/assetcook/internal/pathname"
)

// A Kind is the property of files or assets that a result depends on.
type Kind uint8

const (
	File      Kind = iota // content of a file
	Presence              // existence of a file
	Link                  // target of a symbolic link
	Folder                // existence of a directory
	Entries               // names and types of all entries of a directory
	Files                 // names of files in a directory
	Folders               // names of directories in a directory
	Extract               // part of a file that concerns one subject
	Extracts              // parts of all files in a directory that concern one subject
	Artifacts             // artifacts of other assets
	IDs                   // IDs of the assets whose artifacts match the patterns
	Name                  // name of an artifact, which contains a hash of its content
	kinds
)

// IsListing reports whether the kind depends on names in a directory.
func (k Kind) IsListing() bool { return k >= Folder && k <= Folders }

// IsExtract reports whether the kind depends only on parts of files.
func (k Kind) IsExtract() bool { return k == Extract || k == Extracts }

// IsArtifacts reports whether the kind depends on artifacts of other assets.
func (k Kind) IsArtifacts() bool { return k == Artifacts || k == IDs || k == Name }

// A Dependency is one file, directory or set of artifacts that a result depends on.
type Dependency struct {
	Kind Kind
	// Path is the path of the file, link or directory. "." means the directory that paths are
	// relative to. For Artifacts, IDs and Name, Path is the name of the target.
	Path string
	// Pattern selects names in the directory. For Artifacts and IDs see Patterns. For Name see
	// NamedOutput.
	Pattern string
	// Function is the name and version of the function that computes the extract.
	Function string
	// Subject is the path that the extract concerns, relative to the directory. It is empty for an
	// extract about all subjects. In a dependency that a recipe declares, an empty Subject means
	// the source.
	Subject string
}

// OfFile returns the dependency on the content of a file.
func OfFile(file string) Dependency { return Dependency{Path: file} }

// OfNames returns the dependency on the names in a directory that match a pattern.
func OfNames(folder, pattern string, folders bool) Dependency {
	switch {
	case folders:
		return Dependency{Kind: Folders, Path: folder, Pattern: pattern}
	case pattern == ".": // the pattern "." matches no name
		return Dependency{Kind: Folder, Path: folder}
	}
	return Dependency{Kind: Files, Path: folder, Pattern: pattern}
}

// OfArtifacts returns the dependency on a target's artifacts selected by patterns, or on the IDs of
// their assets.
func OfArtifacts(kind Kind, target string, patterns []string) Dependency {
	return Dependency{Kind: kind, Path: target, Pattern: strings.Join(patterns, nul)}
}

// Patterns returns the patterns that select artifacts.
func (d Dependency) Patterns() []string { return strings.Split(d.Pattern, nul) }

// OfName returns the dependency on the final name of an artifact. The recipe of source planned this
// artifact for the target under the name output.
func OfName(target, source, output string) Dependency {
	return Dependency{Kind: Name, Path: target, Pattern: source + nul + output}
}

// NamedOutput returns the source and the planned output that were passed to OfName.
func (d Dependency) NamedOutput() (source, output string) {
	source, output, _ = strings.Cut(d.Pattern, nul)
	return source, output
}

// InFolder returns the directory of the files that the dependency reads or lists.
func (d Dependency) InFolder() string {
	if d.Kind.IsListing() || d.Kind == Extracts {
		return d.Path
	}
	return path.Dir(d.Path)
}

// OfOne returns the dependency on the extract that d.Function computes from one file of the
// directory, about all subjects.
func (d Dependency) OfOne(name string) Dependency {
	return Dependency{Kind: Extract, Path: path.Join(d.InFolder(), name), Function: d.Function}
}

// OfAll returns d without its subject, so that an extract concerns all subjects.
func (d Dependency) OfAll() Dependency {
	d.Subject = ""
	return d
}

// Seen returns a dependency whose stamp changes whenever d may have changed. For the kind Presence
// it returns the kind File, otherwise d.
func (d Dependency) Seen() Dependency {
	if d.Kind == Presence {
		d.Kind = File
	}
	return d
}

// OnFile returns the file whose content or presence d depends on. ok is false if d does not depend
// on exactly one file.
func (d Dependency) OnFile() (file string, ok bool) {
	switch d.Kind {
	case File, Presence, Extract:
		return d.Path, true
	case Link, Folder, Entries, Files, Folders, Extracts, Artifacts, IDs, Name:
	}
	return "", false
}

// Compare compares dependencies by their encoded texts.
func Compare(a, b Dependency) int {
	if a.Kind == File && b.Kind == File {
		return strings.Compare(a.Path, b.Path)
	}
	return strings.Compare(Encode(a), Encode(b))
}

// String returns the dependency in the form for messages. Names in a directory appear as a pattern,
// and an extract without the version of its function.
func (d Dependency) String() string {
	what, _, _ := strings.Cut(d.Function, ".")
	switch d.Kind {
	case File, Presence:
		return d.Path
	case Link:
		return d.Path + " (link)"
	case Folder:
		return path.Join(d.Path, here)
	case Entries, Folders:
		return path.Join(d.Path, d.Pattern) + "/"
	case Files:
		return path.Join(d.Path, d.Pattern)
	case Extract:
		return d.Path + " (" + what + ")"
	case Extracts:
		return path.Join(d.Path, d.Pattern) + " (" + what + ")"
	case Artifacts:
		return "artifacts " + strings.Join(d.Patterns(), " ")
	case IDs:
		return "IDs of " + strings.Join(d.Patterns(), " ")
	case Name:
		source, _ := d.NamedOutput()
		return "name of the cooked " + source
	}
	panic("the dependency has no kind")
}

// maxName is the maximum length in bytes of a file name that Resolve accepts; Windows has the same
// limit. A longer name from a hostile file would enter the index, the store and all messages.
const maxName = 32 << 10

// ErrOutside is the error for a path that leads out of the asset tree.
var ErrOutside = errors.New("the path is outside the asset tree")

// Resolve returns the dependency with a path in the asset tree. The path of d is relative to the
// directory of source. An extract without a subject gets the source as its subject.
func (d Dependency) Resolve(source string) (Dependency, error) {
	if d.Kind.IsArtifacts() {
		return d, nil
	}
	name, asked := d.Path, d
	if len(name) > maxName {
		return Dependency{}, fmt.Errorf("dependency %q...: the name has %d bytes; the limit is %d", name[:40], len(name), maxName)
	}
	if name == "" || strings.IndexByte(name, 0) >= 0 {
		return Dependency{}, fmt.Errorf("dependency %.200q is not a file name", name)
	}
	d.Path = path.Join(path.Dir(source), name)
	if rooted, ok := strings.CutPrefix(name, "/"); ok {
		d.Path = path.Join(".", rooted)
	}
	if d.Path == ".." || strings.HasPrefix(d.Path, "../") {
		return Dependency{}, fmt.Errorf("dependency %.200q: %w", name, ErrOutside)
	}
	if d.Path == "." && !d.Kind.IsListing() && d.Kind != Extracts {
		return Dependency{}, fmt.Errorf("dependency %q is a directory", name)
	}
	if d.Kind.IsExtract() && d.Subject == "" {
		d.Subject = pathname.Relative(d.InFolder(), source)
	}
	if !asked.hasText() || !d.hasText() {
		return Dependency{}, fmt.Errorf("cook cannot record the name of dependency %.200q", name)
	}
	return d, nil
}

// hasText reports whether encoding d and decoding the text restores d. It returns false for an
// extract from a file named "@".
func (d Dependency) hasText() bool {
	if d.Kind == File || d.surelyHasText() {
		return true
	}
	back, err := Decode(Encode(d))
	return err == nil && back == d
}

// surelyHasText reports whether d is an extract, or a listing of files, that surely has a text. It
// allocates nothing.
func (d *Dependency) surelyHasText() bool {
	hasNUL := strings.Contains(d.Path, nul) || strings.Contains(d.Subject, nul)
	inFolder := d.Path == "/" || d.Path != "" && !strings.HasSuffix(d.Path, "/")
	switch d.Kind {
	case Extract:
		reserved := d.Path == here || d.Path+nul == artifacts || d.Path+nul == named || strings.HasSuffix(d.Path, "/"+here)
		return !hasNUL && d.Path != "" && !reserved && d.Pattern == "" && isNonemptyName(d.Function)
	case Extracts:
		return !hasNUL && inFolder && isNonemptyName(d.Pattern) && isNonemptyName(d.Function)
	case Files:
		return !hasNUL && inFolder && isNonemptyName(d.Pattern) && d.Pattern != here && d.Function == "" && d.Subject == ""
	case File, Presence, Link, Folder, Entries, Folders, Artifacts, IDs, Name:
	}
	return false
}

// isNonemptyName reports whether a text is not empty and has neither a slash nor a NUL.
func isNonemptyName(text string) bool { return text != "" && !strings.ContainsAny(text, "/"+nul) }

// Named returns the dependency as a recipe declares it, with name as its path. It is the reverse of
// Resolve.
func (d Dependency) Named(name string) Dependency {
	d.Path, d.Subject = name, ""
	return d
}
