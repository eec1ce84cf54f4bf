package oracle

import (
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
)

// A model approximates the asset directory while a script is generated: it maps paths
// below assets to contents. It may be wrong, but is right often enough for edits to
// hit existing files.
type model map[string]string

func (m model) files() []string { return slices.Sorted(maps.Keys(m)) }

// pick chooses a file, with the extension kind unless that is "".
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

// write records a file, and drops everything in its way.
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
