package oracle

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/manifest"
)

// A model approximates the asset directory while a script is generated. It maps paths below assets
// to contents. It may be wrong, but is correct often enough that most edits affect existing files.
type model map[string]string

func (m model) files() []string { return slices.Sorted(maps.Keys(m)) }

// pick returns a random file whose extension is kind, or any file if kind is "".
func (m model) pick(r *rand.Rand, kind string) (string, bool) {
	files := slices.DeleteFunc(m.files(), func(f string) bool { return kind != "" && path.Ext(f) != kind })
	if len(files) == 0 {
		return "", false
	}
	return oneOf(r, files...), true
}

func (m model) folders() []string {
	set := map[string]bool{}
	for name := range m {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			set[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// write records a file. It removes the files and directories that prevent a file at this path.
func (m model) write(name, data string) {
	m.remove(name)
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		delete(m, dir)
	}
	m[name] = data
}

func (m model) remove(name string) {
	maps.DeleteFunc(m, func(f, _ string) bool { return f == name || strings.HasPrefix(f, name+"/") })
}

func (m model) rename(from, to string) {
	moved := model{}
	for name, data := range m {
		if name == from || strings.HasPrefix(name, from+"/") {
			moved[to+strings.TrimPrefix(name, from)] = data
		}
	}
	m.remove(from)
	for name, data := range moved {
		m.write(name, data)
	}
}

// diffScope compares the outputs of the selected sources with the outputs of a run from scratch. It
// skips a path where an unselected source has an output, because the run must not remove this
// output.
func (p *Player) diffScope(mode Mode, want *expected, before, got Tree, list listing) string {
	kept := map[string]bool{} // outputs of unselected sources, and their parent directories
	for name, l := range p.made {
		if _, there := before[name]; there && !inScope(mode, l.Source) {
			for ; name != "."; name = path.Dir(name) {
				kept[name] = true
			}
		}
	}
	var lines []string
	hashes := hasHashes(want.list)
	for key, l := range want.list {
		if !inScope(mode, l.Source) || bundle(l.Source) || hashes && namesPictures(l.Source) {
			continue // artifacts in a bundle, or names in a model, may belong to sources that were not selected
		}
		if slices.ContainsFunc(l.Outputs, func(o manifest.Output) bool { return taken(kept, o.Path) }) {
			continue
		}
		if list[key].text() != l.text() {
			lines = append(lines, fmt.Sprintf("manifest: %q is %s, want %s", key, list[key].text(), l.text()))
		}
		for _, o := range l.Outputs {
			if got[o.Path] != want.tree[o.Path] && !mode.ByFolder {
				lines = append(lines, fmt.Sprintf("%s differs: %.80q, want %.80q", o.Path, got[o.Path], want.tree[o.Path]))
			}
		}
	}
	for key, l := range list {
		if _, there := want.list[key]; !there && inScope(mode, l.Source) && !bundle(l.Source) && slices.Contains(targets(mode.Targets), l.Target) &&
			!slices.Contains(want.result.Unplanned, l.Source) {
			lines = append(lines, fmt.Sprintf("manifest: superfluous %q", key))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// bundle reports whether a source is cooked from the artifacts of other assets.
func bundle(source string) bool {
	return slices.Contains([]string{".paklist", ".tmpl"}, path.Ext(source))
}

// hasHashes reports whether the name of any image artifact has a hash.
func hasHashes(list listing) bool {
	for _, l := range list {
		for _, o := range l.Outputs {
			if path.Ext(l.Source) == ".png" && hashInName.MatchString(o.Path) {
				return true
			}
		}
	}
	return false
}

var hashInName = regexp.MustCompile(`[0-9a-f]{16}`)

// namesPictures reports whether the artifacts of a source contain the names of image artifacts.
func namesPictures(source string) bool {
	return slices.Contains([]string{".gltf", ".obj"}, path.Ext(source))
}

// taken reports whether a set of names contains a path or one of its parents.
func taken(names map[string]bool, name string) bool {
	for ; name != "."; name = path.Dir(name) {
		if names[name] {
			return true
		}
	}
	return false
}

// inScope reports whether the patterns of a mode match a source. The patterns of scripts are
// paths, directories, and globs without a slash.
func inScope(mode Mode, source string) bool {
	return slices.ContainsFunc(mode.Patterns, func(pattern string) bool {
		byName, _ := path.Match(pattern, path.Base(source))
		return source == pattern || strings.HasPrefix(source, pattern+"/") || byName && !strings.Contains(pattern, "/")
	})
}
