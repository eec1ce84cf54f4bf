// Package dependency defines the dependencies of a cooked asset in addition to its source: a file,
// names in a directory, the target of a symbolic link, extracts from other files about the source,
// or artifacts of other assets.
//
// A [Dependency] is comparable and can be a map key. The zero value of its [Kind] is File. Paths
// are slash-separated. A recipe gives paths relative to the directory of its source, or relative to
// the asset tree if they start with a slash; [Dependency.Resolve] returns the dependency with a
// path in the asset tree, and [Dependency.Named] does the reverse.
//
// Code that distinguishes kinds must use a switch that lists all of them. A test finds incomplete
// switches.
//
// The index, read sets, keys and messages between machines store dependencies as texts, which
// [Encode] returns and [Decode] parses. No other code parses these texts.
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
	Presence              // whether the file exists
	Link                  // target of a symbolic link
	Folder                // whether the directory exists
	Entries               // names and types of all entries of a directory
	Files                 // names of files in a directory
	Folders               // names of directories in a directory
	Extract               // extract from a file about a subject
	Extracts              // extracts from the files in a directory
	Artifacts             // artifacts of other assets
	IDs                   // IDs of the assets with these artifacts
	Name                  // name of an artifact, which contains a hash of its content
	kinds
)

// IsListing reports whether the kind depends on names in a directory.
func (k Kind) IsListing() bool { return k >= Folder && k <= Folders }

// IsExtract reports whether the kind depends only on parts of files.
func (k Kind) IsExtract() bool { return k == Extract || k == Extracts }

// IsArtifacts reports whether the kind depends on artifacts of other assets.
func (k Kind) IsArtifacts() bool { return k == Artifacts || k == IDs || k == Name }

// A Dependency is one file, directory or set of artifacts on which a result depends.
type Dependency struct {
	Kind Kind
	// Path is the path of the file, link or directory; "." is the directory that paths are relative
	// to. For Artifacts, IDs and Name it is the name of the target.
	Path string
	// Pattern selects names in the directory. For Artifacts and IDs see Patterns, for Name see
	// NamedOutput.
	Pattern string
	// Function is the name and version of the function that computes the extract.
	Function string
	// Subject is the path that the extract is about, relative to the directory. It is empty for an
	// extract about all subjects. In a dependency that a recipe declares, empty means the source.
	Subject string
}

// OfFile returns the dependency on the content of a file.
func OfFile(file string) Dependency { return Dependency{Path: file} }

// OfNames returns the dependency on the names in a directory that match a pattern.
func OfNames(folder, pattern string, folders bool) Dependency {
	switch {
	case folders:
		return Dependency{Kind: Folders, Path: folder, Pattern: pattern}
	case pattern == ".": // matches no name
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

// OfName returns the dependency on the final name of an artifact. output is the name that the plan
// gives to this output of the source for the target.
func OfName(target, source, output string) Dependency {
	return Dependency{Kind: Name, Path: target, Pattern: source + nul + output}
}

// NamedOutput returns the source and the planned output of a dependency of the kind Name.
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

// OfOne returns the dependency on the extract from one file in the directory. The extract has the
// function of d and is about all subjects.
func (d Dependency) OfOne(name string) Dependency {
	return Dependency{Kind: Extract, Path: path.Join(d.InFolder(), name), Function: d.Function}
}

// OfAll returns the same extract for all subjects. It returns other dependencies unchanged.
func (d Dependency) OfAll() Dependency {
	d.Subject = ""
	return d
}

// Seen returns the dependency whose stamp reveals changes of d. For example, if d is the Presence
// of a file, the stamp of the File reveals them.
func (d Dependency) Seen() Dependency {
	if d.Kind == Presence {
		d.Kind = File
	}
	return d
}

// OnFile returns the file on whose content or presence d depends. ok is false if there are several
// files or none.
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

// String returns the dependency in the form for messages: a listing as its pattern, an extract
// without the version of its function.
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

// maxName is the maximum length of a file name in bytes that Resolve accepts, which is the maximum
// of Windows. A longer name, from a hostile file, would end up in the index, the store and all
// messages.
const maxName = 32 << 10

// ErrOutside is the error for a path that leads out of the asset tree.
var ErrOutside = errors.New("the path is outside the asset tree")

// Resolve returns the dependency with its path in the asset tree; the path of d is relative to the
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

// hasText reports whether decoding the dependency's text returns the same dependency. It does
// not for an extract from a file named "@".
func (d Dependency) hasText() bool {
	if d.Kind == File {
		return true
	}
	back, err := Decode(Encode(d))
	return err == nil && back == d
}

// Named returns the dependency in the form that a recipe declares, with name as its path. It is the
// reverse of Resolve.
func (d Dependency) Named(name string) Dependency {
	d.Path, d.Subject = name, ""
	return d
}
