package recipe

import (
	"path"

	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Follow declares that outputs of the recipe mention outputs of another recipe, as models name
// textures.
type Follow struct {
	// Recipe is the other recipe, and Keys are its options that decide the names and the
	// formats of its outputs.
	Recipe string
	Keys   []string
	// Option is a string option of the recipe with the Follow. It is set to a checksum of all rules
	// for the target that set one of the Keys, a recipe or outputs; it is empty if there is no such
	// rule. A source is cooked again when one of these rules changes, and not when other rules
	// change.
	Option string
}

// Followed returns how another file is cooked for the same target: the name of the recipe, its
// options, and the artifacts, relative to the directory of the artifacts of the source. For a chain
// it returns the recipe and the options of the first step. The recipe of the job must have a Follow
// and, if Follow.Option is set, use the path. by is empty if the answer is unknown, for example if
// Follow.Option is not set; then assume the defaults of the other recipe.
func (j *Job) Followed(name string) (by string, options Cooker, outputs []string) {
	if j.env.Followed == nil || j.recipe.Follow == nil {
		return "", nil, nil
	}
	at, err := dependency.OfFile(name).Resolve(j.env.Path)
	if err != nil {
		return "", nil, nil
	}
	by, cooker, outputs := j.env.Followed(at.Path)
	options, _ = cooker.(Cooker)
	for i, artifact := range outputs {
		outputs[i] = pathname.Relative(path.Dir(j.env.Path), artifact)
	}
	return by, options, outputs
}
