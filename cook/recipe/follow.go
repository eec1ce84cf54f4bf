package recipe

import (
	"path"

	"github.com/assetcook/assetcook/internal/pathname"
)

// A Follow says that a recipe names what another one makes of files, as models name textures.
type Follow struct {
	// Recipe is the other one, and Keys its options that say what its outputs are called and
	// what is in them.
	Recipe string
	Keys   []string
	// Option is an option of the following recipe, a string. Rules set it to what identifies
	// all rules that may have a say in this for a target, and leave it empty if there are
	// none. So a source is cooked again when one of them changes, and not for others.
	Option string
}

// Followed returns how a file, whose name is as in Dep, is cooked for the same target: the name of
// the recipe, which of a chain is that of its first step, its options, and the artifacts, relative
// to where those of the source are. The recipe must have a Follow and, if its option is set, use
// the path. by is empty where the answer is not known, as if the option is not set: then the other
// recipe's defaults hold.
func (j *Job) Followed(name string) (by string, options Cooker, outputs []string) {
	if j.env.Followed == nil || j.env.Recipe.Follow == nil {
		return "", nil, nil
	}
	at, err := Resolve(j.env.Path, name)
	if err != nil {
		return "", nil, nil
	}
	by, options, outputs = j.env.Followed(at)
	for i, artifact := range outputs {
		outputs[i] = pathname.Relative(path.Dir(j.env.Path), artifact)
	}
	return by, options, outputs
}
