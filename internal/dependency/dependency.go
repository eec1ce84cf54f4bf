// Package dependency has the dependencies of a cooked asset besides its source: a file, names in a
// folder, the text of a link, what other files say of the source, or artifacts of other assets.
//
// A [Dependency] is a value that can be compared and can be the key of a map. Its zero value of
// [Kind] is a file. Paths have slashes. A recipe names a path relative to the folder of its source,
// or relative to the asset tree if it begins with a slash; [Dependency.Resolve] returns the
// dependency with a path in the asset tree, and [Dependency.Named] does the reverse.
//
// Code that treats kinds differently uses a switch that lists all of them. A test finds a switch
// that misses one.
//
// The index, read sets, keys and messages between machines hold dependencies as texts, which
// [Encode] returns and [Decode] reads. No other code looks into these texts.
package dependency

import (
	"path"
	"strings"
)

// A Kind says what counts of a dependency.
type Kind uint8

const (
	File      Kind = iota // content of a file
	Presence              // whether there is a file
	Link                  // text of a symbolic link
	Folder                // whether there is a folder
	Entries               // names and types of all in a folder
	Files                 // names of files in a folder
	Folders               // names of folders in a folder
	Extract               // what a file says of a subject
	Extracts              // what files in a folder say
	Artifacts             // artifacts of other assets
	IDs                   // IDs of the assets with these artifacts
	kinds
)

// IsListing reports whether names in a folder count.
func (k Kind) IsListing() bool { return k >= Folder && k <= Folders }

// IsExtract reports whether files are asked.
func (k Kind) IsExtract() bool { return k == Extract || k == Extracts }

// IsArtifacts reports whether artifacts are chosen by patterns.
func (k Kind) IsArtifacts() bool { return k == Artifacts || k == IDs }

// A Dependency is one thing that a result depends on.
type Dependency struct {
	Kind Kind
	// Path is that of the file, link or folder; "." is the folder that paths are relative to. Of
	// Artifacts and IDs it is the target.
	Path string
	// Pattern chooses names in the folder. Of Artifacts and IDs see Patterns.
	Pattern string
	// Function is the name and version of the extract's function.
	Function string
	// Subject is the path that the extract is about, relative to the folder. It is empty for
	// everything that the files say, and for the source in a dependency as recipes name it.
	Subject string
}

// OfFile returns the dependency on the content of a file.
func OfFile(file string) Dependency { return Dependency{Path: file} }

// OfNames returns the dependency on the names in a folder that match a pattern.
func OfNames(folder, pattern string, folders bool) Dependency {
	switch {
	case folders:
		return Dependency{Kind: Folders, Path: folder, Pattern: pattern}
	case pattern == ".": // matches no name
		return Dependency{Kind: Folder, Path: folder}
	}
	return Dependency{Kind: Files, Path: folder, Pattern: pattern}
}

// OfArtifacts returns the dependency on the Artifacts of a target that patterns choose, or on the
// IDs of their assets.
func OfArtifacts(kind Kind, target string, patterns []string) Dependency {
	return Dependency{Kind: kind, Path: target, Pattern: strings.Join(patterns, nul)}
}

// Patterns returns the patterns that choose artifacts.
func (d Dependency) Patterns() []string { return strings.Split(d.Pattern, nul) }

// InFolder returns the folder of all files that the dependency looks at.
func (d Dependency) InFolder() string {
	if d.Kind.IsListing() || d.Kind == Extracts {
		return d.Path
	}
	return path.Dir(d.Path)
}

// OfOne returns the extract of one file in the folder by the same function, of all subjects.
func (d Dependency) OfOne(name string) Dependency {
	return Dependency{Kind: Extract, Path: path.Join(d.InFolder(), name), Function: d.Function}
}

// OfAll returns the same extract of all subjects, and any other dependency unchanged.
func (d Dependency) OfAll() Dependency {
	d.Subject = ""
	return d
}

// Seen returns the dependency whose stamp shows changes of d: presence changes only with the file.
func (d Dependency) Seen() Dependency {
	if d.Kind == Presence {
		d.Kind = File
	}
	return d
}

// OnFile returns the file whose content or presence is looked at, and false if it is not one file.
func (d Dependency) OnFile() (file string, ok bool) {
	switch d.Kind {
	case File, Presence, Extract:
		return d.Path, true
	case Link, Folder, Entries, Files, Folders, Extracts, Artifacts, IDs:
	}
	return "", false
}

// Compare orders dependencies by their encoded texts.
func Compare(a, b Dependency) int {
	if a.Kind == File && b.Kind == File {
		return strings.Compare(a.Path, b.Path)
	}
	return strings.Compare(Encode(a), Encode(b))
}

// String returns the dependency as messages show it: a listing as its pattern, an extract without
// the version of its function.
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
	}
	panic("dependency of no kind")
}
