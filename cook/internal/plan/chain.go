package plan

import (
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

// Step returns the action of a step of a chain by itself: a method applied to a source, which
// an earlier step may have made. It has the ID of an asset that is cooked so. File is that of
// Identify.
func (a *Action) Step(k *hashing.Key, m *Method, source *contents.File, file func(on dependency.Dependency) contents.File) (*Action, error) {
	step := &Action{Path: source.Path, Target: a.Target, Source: source, Method: m, Outputs: outputs(m, source.Path, a.Target)}
	return step, step.Identify(k, source, file)
}

// outputs are the paths of what a method makes of a source.
func outputs(m *Method, path, target string) []string {
	list := m.Names(path)
	for i, name := range list {
		list[i] = under(target, name)
	}
	return list
}
