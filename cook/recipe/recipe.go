// Package recipe is the SDK for recipes. A recipe cooks one kind of source.
//
// A recipe is written as a struct. Its exported fields are the options that a user may set in
// cook.toml, and its method Cook does the work:
//
//	type Upper struct {
//		Suffix string `toml:"suffix" doc:"text put after the last line"`
//	}
//
//	func (u *Upper) Outputs() []string { return []string{"{path}"} }
//
//	func (u *Upper) Cook(ctx context.Context, job *recipe.Job) error {
//		text, err := job.Source()
//		if err != nil {
//			return err
//		}
//		return job.Write(0, append(bytes.ToUpper(text), u.Suffix...))
//	}
//
//	var upper = recipe.Recipe{
//		Name: "upper", Version: 1, Extensions: []string{".shout"},
//		New: func() recipe.Cooker { return &Upper{Suffix: "\n"} },
//	}
//
// A program lists it in cook.Project.Recipes, or passes it to cli.Main. It then cooks files with its
// extensions, and rules can name it for other files.
//
// # Promises of a recipe
//
// The written bytes depend only on
//
//   - name, version and options of the recipe, and the content of its tools,
//   - the extension and the content of the source,
//   - files and listings that the recipe read through its Job,
//   - the path of the source, with Recipe.UsesPath,
//   - the kind of machine, if Traits.Machine names it.
//
// Clock, environment, number of cores and order of maps must not show. Cook relies on this: it
// takes a known result from the store instead of calling the recipe again.
//
// Every option is part of the action ID, unless its tag gives a reason to leave it out.
//
// # Names of files
//
// The name of another file is relative to the directory of the source, or to the asset tree if it
// begins with a slash. All methods of Job that read or mention files take such names.
//
// # More about a recipe
//
// [Recipe] has a field for each thing that a recipe may declare about all of its cookers, and
// [Traits] for the things that depend on the options, such as the memory that a source needs or
// the programs that are run:
//
//	Traits: func(c recipe.Cooker) recipe.Traits {
//		u := c.(*Upper)
//		return recipe.Traits{Check: u.check, Estimate: u.estimate}
//	},
//
// Check of package recipetest proves the rules above for a recipe. Call it in a test of each
// recipe.
package recipe

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/fileformat"
)

// A Recipe is a named way to cook sources, with a constructor of its options.
type Recipe struct {
	// Name is how rules refer to it: lower-case letters, digits, '-'.
	Name string
	// Version rises whenever the same input and options may give other bytes.
	Version int
	// New returns a pointer to a fresh options struct that holds the defaults.
	New func() Cooker
	// Traits returns more about a cooker of New whose options are set; nil for no traits.
	Traits func(Cooker) Traits
	// UsesPath allows Job.Path: the bytes depend on the path of the source. A renamed source is
	// cooked again.
	UsesPath bool
	// NamesOutputs allows Job.Link: some outputs contain the names of others.
	NamesOutputs bool
	// Cheap marks a recipe that takes no longer than a copy of the result from the store. The
	// store keeps no results of it.
	Cheap bool
	// Bundles allows Job.Artifacts: the recipe reads artifacts of other assets. Its source is
	// cooked after these assets.
	Bundles bool
	// Extensions are the extensions of files that the recipe cooks without a rule: ".png", in
	// lower case, means ".PNG" as well. No two recipes of a program share one.
	Extensions []string
	// Recognizes reports whether the recipe cooks a file with one of these extensions that begins
	// with head, the first HeadSize bytes or the whole file. Other files are copied, because other
	// programs use the same extension. Nil recognizes all files.
	Recognizes func(head []byte) bool
	// Hints are options that paths of these files may suggest. Hinted returns the index of the
	// hint for a path, or -1. A run calls it for each such file, so it should not allocate.
	// Version must rise if it returns another hint for the same path.
	Hints  []Hint
	Hinted func(path string) int
	// Extracts are the parts of files that the recipe reads by Job.ReadExtract.
	Extracts []Extract
	// Follow names the recipe whose outputs the outputs of this recipe mention; nil for none. See
	// Job.Followed.
	Follow *Follow
	// Formats are kinds of files that the recipe knows. A file that is empty, or whose first bytes
	// contradict its name, gets a warning, whatever recipe cooks it.
	Formats []Format
}

// A Hint sets an option for files whose paths suggest it. Rules override it. A renamed file whose
// path suggests the same is not cooked again.
type Hint struct {
	Key   string
	Value any // as in cook.toml: bool, int64, float64, string, []any, map[string]any
}

// A Cooker has the options of a recipe, filled in and ready to cook. Many goroutines use it at once,
// so Cook must not change it.
type Cooker interface {
	// Outputs returns templates for the names of the files that Cook writes, in order, such as
	// "{stem}.json". A rule may replace them one for one. Nil means that a rule must name them.
	Outputs() []string
	// Cook reads the source and its dependencies through job and writes every output. Errors
	// need not name the source.
	Cook(ctx context.Context, job *Job) error
}

// Traits describe a cooker beyond its outputs and its method Cook. Recipe.Traits returns them for
// a cooker whose options are set. Each field is optional, and most recipes need at most Check and
// Estimate.
type Traits struct {
	// Check refuses options that do not fit together. It returns nil or an *OptionError. It is
	// called once for each combination of rules, before anything is cooked.
	Check func() error

	// Estimate returns the peak memory, in bytes, that Cook needs for a source of the given size.
	// head is the beginning of the source, of up to HeadSize bytes. An error refuses the source;
	// ErrShortHead asks for a second call with the whole source. Without Estimate, a source
	// needs three times its size.
	Estimate func(head []byte, size int64) (int64, error)

	// Lint returns one line for each likely mistake in a source that can be cooked all the same.
	// head is as in Estimate. The lines need not name the source.
	Lint func(path string, head []byte, size int64) []string

	// Explain returns lines for cook why: the result for this source and its reasons. It reads
	// through job like Cook, and writes nothing.
	Explain func(ctx context.Context, job *Job) ([]string, error)

	// Asks calls Job.ReadExtracts with every question that Cook asks, and uses nothing else of
	// job. It gets no answers. The answers become part of the action ID.
	Asks func(job *Job) error

	// Declare calls Job.Depend for files that Cook will read, as far as the options name them.
	// Another machine that cooks the source gets these files.
	Declare func(job *Job) error

	// Tools are the programs that Cook runs: names on PATH, absolute files, or files of the asset
	// tree with a slash. Their content is part of the action ID.
	Tools []string

	// Machine names the kind of this machine if Cook may make other bytes on another kind, for
	// example because a library rounds as the processor does. Each kind has its own results.
	// Empty means the same bytes everywhere.
	Machine string

	// Local keeps the source on this machine: the result may depend on more than the dependencies
	// and Tools.
	Local bool

	// Confined reports whether programs that outlive Cook cannot write outside Job.Scratch. Then
	// the name of that directory may be the same in each run. It is called when Cook asks for it.
	Confined func() bool

	// IgnoresPath promises that Cook does not call Job.Path with these options, in spite of
	// Recipe.UsesPath.
	IgnoresPath bool

	// IgnoresArtifacts promises that Cook does not call Job.Artifacts with these options, in
	// spite of Recipe.Bundles.
	IgnoresArtifacts bool
}

// An OptionError is the error of an option with a wrong value.
type OptionError struct {
	Key  string
	Got  string // the offending value as written, "" if there is none
	Want string
}

func (e *OptionError) Error() string {
	if e.Got == "" {
		return fmt.Sprintf("%s: want %s", e.Key, e.Want)
	}
	return fmt.Sprintf("%s: want %s, have %s", e.Key, e.Want, e.Got)
}

// A Format is a kind of file. It has the fields
//
//	Name       string   // with its article: "a PNG picture"
//	Extensions []string // in lower case, with their dots
//	Magic      []string // beginnings of such files; a dot is any byte
//	Loose      bool     // files may begin otherwise as well
type Format = fileformat.Format

// HeadSize is the number of bytes at the beginning of a source that Estimate and Lint get.
const HeadSize = fileformat.HeadSize

// ErrShortHead is returned by Traits.Estimate if it needs the whole source.
var ErrShortHead = fileformat.ErrShortHead

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
