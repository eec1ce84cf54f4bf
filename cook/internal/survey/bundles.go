package survey

import (
	"path"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/internal/dependency"
)

// bundles knows the artifacts in bundles.
type bundles struct {
	x    *index.Index
	made map[string][]output // by target; filled on the first use
}

// An output is an artifact, with its path below its target's directory and in the output directory.
type output struct{ source, below, path string }

// of returns the artifacts of a target.
func (b *bundles) of(target string) []output {
	if b.made == nil {
		b.made = map[string][]output{}
		for row := range b.x.Results().Rows("") {
			if row.State() != index.Done {
				continue
			}
			for k := range row.Made() {
				ref, _ := row.Artifact(k)
				o := output{source: row.Path(), path: b.x.Path(ref)}
				o.below = o.path
				if row.Target() != "" {
					o.below = strings.TrimPrefix(o.path, row.Target()+"/")
				}
				b.made[row.Target()] = append(b.made[row.Target()], o)
			}
		}
	}
	return b.made[target]
}

// chosen returns the artifacts that a dependency chooses.
func (b *bundles) chosen(on dependency.Dependency) (list []output) {
	var chosen glob.List
	for _, p := range on.Patterns() {
		if chosen.Add(p) != nil {
			return nil // the action has failed
		}
	}
	for _, o := range b.of(on.Path) {
		if chosen.Match(o.below, path.Base(o.below)) {
			list = append(list, o)
		}
	}
	return list
}

// takers adds the bundles that contain artifacts of some sources, and the bundles that contain
// these bundles, and so on.
func (b *bundles) takers(sources ...string) []string {
	takes := map[string][]string{} // sources of the artifacts in each bundle
	b.x.Results().Deps(dependency.Kind.IsArtifacts, func(bundle string, d index.Dep) {
		for _, o := range b.chosen(d.On) {
			takes[bundle] = append(takes[bundle], o.source)
		}
	})
	known := map[string]bool{}
	for _, s := range sources {
		known[s] = true
	}
	for again := true; again; {
		again = false
		for bundle, from := range takes {
			if !known[bundle] && slices.ContainsFunc(from, func(s string) bool { return known[s] }) {
				known[bundle], again = true, true
				sources = append(sources, bundle)
			}
		}
	}
	return sources
}
