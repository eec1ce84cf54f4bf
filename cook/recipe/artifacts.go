package recipe

import (
	"errors"

	"github.com/assetcook/assetcook/cook/manifest"
)

// Artifacts returns the artifacts of other assets for the same target that patterns choose, sorted
// by source. Patterns are as in rules, in order, and see paths below the directory of the target:
// "ui/**/*.ktx2", "!*_old.*". The list of an asset has only outputs that the patterns choose; the
// outputs of the job itself are never among them. Only a recipe with Bundles may call Artifacts.
//
// The list and the content of the artifacts are a dependency, and cook brings them up to date
// first. If they are still to be cooked, or cannot be, Artifacts returns an error, which Cook must
// return.
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

// IDs returns the ID of each asset that Artifacts returns for the same patterns, by source. Assets
// without IDs are an error. The IDs are a dependency of recipes that call IDs.
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

// ReadArtifact reads a file that Artifacts has returned, by its path, and verifies that its content
// is the listed one. Several goroutines may call it at once.
func (j *Job) ReadArtifact(path string) ([]byte, error) { return j.env.ReadArtifact(path) }
