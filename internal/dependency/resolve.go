package dependency

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/assetcook/assetcook/internal/pathname"
)

// maxName is the longest file name, in bytes, that Resolve accepts: the longest that Windows
// allows. A hostile file with a longer name would send it through the index, the store and all
// messages.
const maxName = 32 << 10

// ErrOutside says that a path leads out of the asset tree.
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
