package cooktest

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/manifest"
)

// partly compares what a run of a part was to bring up to date with what one
// from scratch gives. An output whose name something else has that the run was to
// leave alone could not be made.
func (p *Player) partly(w Way, want *wanted, before, got Tree, list listing) string {
	kept := map[string]bool{} // outputs, and the folders that they are in
	for name, l := range p.made {
		if _, there := before[name]; there && !inScope(w, l.Source) {
			for ; name != "."; name = path.Dir(name) {
				kept[name] = true
			}
		}
	}
	var lines []string
	for key, l := range want.list {
		if !inScope(w, l.Source) {
			continue
		}
		if slices.ContainsFunc(l.Outputs, func(o manifest.Output) bool { return taken(kept, o.Path) }) {
			continue
		}
		if list[key].text() != l.text() {
			lines = append(lines, fmt.Sprintf("manifest: %q has %s, want %s", key, list[key].text(), l.text()))
		}
		for _, o := range l.Outputs {
			if got[o.Path] != want.tree[o.Path] && !w.ByFolder {
				lines = append(lines, fmt.Sprintf("%s differs: %.80q, want %.80q", o.Path, got[o.Path], want.tree[o.Path]))
			}
		}
	}
	for key, l := range list {
		if _, there := want.list[key]; !there && inScope(w, l.Source) && slices.Contains(targets(w.Targets), l.Target) &&
			!slices.Contains(want.meal.Unplanned, l.Source) {
			lines = append(lines, fmt.Sprintf("manifest: superfluous %q", key))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// taken reports whether a name, or that of a folder it is in, is among those of
// files and their folders.
func taken(names map[string]bool, name string) bool {
	for ; name != "."; name = path.Dir(name) {
		if names[name] {
			return true
		}
	}
	return false
}

// inScope reports whether the patterns of a way mean a source. Those of scripts
// are paths, folders, and globs without a slash.
func inScope(w Way, source string) bool {
	return slices.ContainsFunc(w.Patterns, func(pattern string) bool {
		byName, _ := path.Match(pattern, path.Base(source))
		return source == pattern || strings.HasPrefix(source, pattern+"/") || byName && !strings.Contains(pattern, "/")
	})
}
