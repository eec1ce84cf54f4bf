package cooktest

import (
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
)

// A model is what a script's author thinks is in the asset folder: the content of
// each file by its path below assets. It need not be true, only so often that
// edits meet something.
type model map[string]string

func (m model) files() []string { return slices.Sorted(maps.Keys(m)) }

// pick chooses a file, one of a kind if the kind is not "".
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

// write notes that a file is there, and that nothing is in its way.
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
