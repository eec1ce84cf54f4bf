// Package dependency defines the dependencies of a cooked asset besides its source: a file, names
// in a directory, the text of a symbolic link, extracts of other files about the source, or
// artifacts of other assets.
//
// A [Dependency] is a value that can be compared and can be the key of a map. Its zero value of
// [Kind] is a file. Paths have slashes. A recipe names a path relative to the directory of its
// source, or relative to the asset tree if it begins with a slash; [Dependency.Resolve] returns the
// dependency with a path in the asset tree, and [Dependency.Named] does the reverse.
//
// Code that treats kinds differently uses a switch that lists all of them. A test finds switches
// that miss one.
//
// The index, read sets, keys and messages between machines hold dependencies as texts, which
// [Encode] returns and [Decode] reads. No other code parses these texts.
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
	Link                  // text of a symbolic link
	Folder                // whether the directory exists
	Entries               // names and types of all entries of a directory
	Files                 // names of files in a directory
	Folders               // names of directories in a directory
	Extract               // extract of a file about a subject
	Extracts              // extracts of the files in a directory
	Artifacts             // artifacts of other assets
	IDs                   // IDs of the assets with these artifacts
	kinds
)

// IsListing reports whether names in a directory matter.
func (k Kind) IsListing() bool { return k >= Folder && k <= Folders }

// IsExtract reports whether the content of files matters only in part.
func (k Kind) IsExtract() bool { return k == Extract || k == Extracts }

// IsArtifacts reports whether patterns choose artifacts.
func (k Kind) IsArtifacts() bool { return k == Artifacts || k == IDs }

// A Dependency is one thing that a result depends on.
type Dependency struct {
	Kind Kind
	// Path is the path of the file, link or directory; "." is the directory that paths are relative
	// to. For Artifacts and IDs it is the target.
	Path string
	// Pattern chooses names in the directory. For Artifacts and IDs see Patterns.
	Pattern string
	// Function is the name and version of the extract's function.
	Function string
	// Subject is the path that the extract is about, relative to the directory. It is empty for a
	// whole extract, and for the source in a dependency as recipes name it.
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

// OfArtifacts returns the dependency on a target's artifacts chosen by patterns, or on the IDs of
// their assets.
func OfArtifacts(kind Kind, target string, patterns []string) Dependency {
	return Dependency{Kind: kind, Path: target, Pattern: strings.Join(patterns, nul)}
}

// Patterns returns the patterns that choose artifacts.
func (d Dependency) Patterns() []string { return strings.Split(d.Pattern, nul) }

// InFolder returns the directory of all files that the dependency looks at.
func (d Dependency) InFolder() string {
	if d.Kind.IsListing() || d.Kind == Extracts {
		return d.Path
	}
	return path.Dir(d.Path)
}

// OfOne returns the extract of one file in the directory by the same function, for all subjects.
func (d Dependency) OfOne(name string) Dependency {
	return Dependency{Kind: Extract, Path: path.Join(d.InFolder(), name), Function: d.Function}
}

// OfAll returns the same extract for all subjects, and any other dependency unchanged.
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

// OnFile returns the file whose content or presence matters, and false if there are several or
// none.
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

// maxName is the longest file name, in bytes, that Resolve accepts: the longest that Windows
// allows. A hostile file with a longer name would send it through the index, the store and all
// messages.
const maxName = 32 << 10

// ErrOutside is the error for a path that leads out of the asset tree.
var ErrOutside = errors.New("outside the asset tree")

// Resolve returns a dependency named by the file at source, with its path in the asset tree. An
// extract without a subject is about the source.
func (d Dependency) Resolve(source string) (Dependency, error) {
	if d.Kind.IsArtifacts() {
		return d, nil
	}
	name, asked := d.Path, d
	if len(name) > maxName {
		return Dependency{}, fmt.Errorf("dependency %q...: a name of %d bytes, but no system has names of more than %d", name[:40], len(name), maxName)
	}
	if name == "" || strings.IndexByte(name, 0) >= 0 {
		return Dependency{}, fmt.Errorf("dependency %.200q: not a file name", name)
	}
	d.Path = path.Join(path.Dir(source), name)
	if rooted, ok := strings.CutPrefix(name, "/"); ok {
		d.Path = path.Join(".", rooted)
	}
	if d.Path == ".." || strings.HasPrefix(d.Path, "../") {
		return Dependency{}, fmt.Errorf("dependency %.200q: %w", name, ErrOutside)
	}
	if d.Path == "." && !d.Kind.IsListing() && d.Kind != Extracts {
		return Dependency{}, fmt.Errorf("dependency %q: a directory", name)
	}
	if d.Kind.IsExtract() && d.Subject == "" {
		d.Subject = pathname.Relative(d.InFolder(), source)
	}
	if !asked.hasText() || !d.hasText() {
		return Dependency{}, fmt.Errorf("dependency %.200q: not a name that can be recorded", name)
	}
	return d, nil
}

// hasText reports whether the dependency's text decodes to it: the text of an extract of a file "@"
// does not.
func (d Dependency) hasText() bool {
	if d.Kind == File {
		return true
	}
	back, err := Decode(Encode(d))
	return err == nil && back == d
}

// Named returns the dependency as a recipe names it that writes its path as name.
func (d Dependency) Named(name string) Dependency {
	d.Path, d.Subject = name, ""
	return d
}
