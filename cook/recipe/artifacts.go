package recipe

import (
	"errors"

	"github.com/assetcook/assetcook/cook/manifest"
)

// Artifacts returns what other assets were cooked to for the same target, as far as patterns
// choose it, sorted by source; the outputs of each that they do not choose are left out.
// Patterns are those of rules, in order, and see paths below the folder of the target:
// "ui/**/*.ktx2", "!*_old.*". The job's own outputs are never among them. Only a recipe with
// Bundles may ask.
//
// Which artifacts there are, and what they hold, is a dependency. The cooker sees to it that
// they are up to date: if they are still to be cooked, or cannot be, the error says so and
// has to be returned.
func (j *Job) Artifacts(patterns ...string) ([]manifest.Asset, error) {
	if !j.recipe.Bundles {
		panic("recipe " + j.recipe.Name + ": Job.Artifacts without Recipe.Bundles")
	}
	if j.env.Artifacts == nil {
		return nil, errors.New("there are no artifacts here")
	}
	list, on, err := j.env.Artifacts(patterns)
	if err == nil {
		j.record(on.Path, on, true)
	}
	return list, err
}

// IDs returns the ID of each asset that Artifacts returns for the same patterns, by source. It
// is an error if assets have none. Only a recipe that asks depends on them.
func (j *Job) IDs(patterns ...string) (map[string]string, error) {
	if !j.recipe.Bundles {
		panic("recipe " + j.recipe.Name + ": Job.IDs without Recipe.Bundles")
	}
	if j.env.IDs == nil {
		return nil, errors.New("there are no artifacts here")
	}
	ids, on, err := j.env.IDs(patterns)
	if err == nil {
		j.record(on.Path, on, true)
	}
	return ids, err
}

// ReadArtifact reads one of the files that Artifacts has returned, by its path, and proves
// that it is what was listed. Several goroutines may call it at once.
func (j *Job) ReadArtifact(path string) ([]byte, error) { return j.env.ReadArtifact(path) }
