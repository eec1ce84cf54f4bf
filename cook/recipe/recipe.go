// Package recipe is the SDK for recipes. A recipe cooks one kind of source.
//
// A recipe is a struct. Its exported fields are the options that a user may set in cook.toml, and
// its method Cook does the work:
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
// A program adds the recipe to cook.Project.Recipes, or passes it to cli.Main. The recipe then
// cooks files with its extensions, and rules can select it for other files.
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
// They must not depend on the clock, the environment, the number of cores or the iteration order of
// maps. Cook relies on this promise when it restores a stored result instead of cooking the source
// again.
//
// Every option is part of the action ID, unless its tag gives a reason to leave it out.
//
// # Names of files
//
// The name of another file is relative to the directory of the source. If it begins with a slash,
// it is relative to the asset tree. All methods of Job that read or mention files take such names.
//
// # More about a recipe
//
// The fields of [Recipe] apply to all options of a recipe. The fields of [Traits] may depend on the
// options, such as the memory that a source needs or the programs that Cook runs:
//
//	Traits: func(c recipe.Cooker) recipe.Traits {
//		u := c.(*Upper)
//		return recipe.Traits{Check: u.check, Estimate: u.estimate}
//	},
//
// Function Check of package recipetest tests that a recipe keeps these rules. Call it in a test of
// each recipe.
package recipe

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/internal/fileformat"
)

// A Recipe describes how to cook one kind of source.
type Recipe struct {
	// Name is the name of the recipe in rules: lower-case letters, digits and '-'.
	Name string
	// Version must be raised if the same input and options may give different bytes.
	Version int
	// New returns a pointer to a new options struct with the defaults.
	New func() Cooker
	// Traits returns the traits of a cooker from New after its options have been set; may be nil.
	Traits func(Cooker) Traits
	// UsesPath allows Job.Path. The source is then cooked again when it is renamed.
	UsesPath bool
	// NamesOutputs allows Job.Link. Outputs may then contain the names of other outputs.
	NamesOutputs bool
	// Cheap marks a recipe that is as fast as restoring the result from the store. Its results are
	// not stored.
	Cheap bool
	// Bundles allows Job.Artifacts. The recipe may then read artifacts of other assets, and its
	// sources are cooked after these assets.
	Bundles bool
	// Extensions are the extensions of files that the recipe cooks by default. They are in lower
	// case; ".png" also matches ".PNG". No two recipes of a program may have the same extension.
	Extensions []string
	// Recognizes reports whether the recipe cooks a file with one of these extensions. head is the
	// first HeadSize bytes or the whole file. Other files may belong to other programs that use the
	// same extension, and are copied. If Recognizes is nil, the recipe cooks all files with these
	// extensions.
	Recognizes func(head []byte) bool
	// Hints are values of options that the path of a file may suggest. Hinted returns the index of
	// the hint for a path, or -1. A run calls Hinted for each file with one of the Extensions, so
	// it should not allocate. Version must be raised if Hinted returns a different hint for the
	// same path.
	Hints  []Hint
	Hinted func(path string) int
	// Extracts are the extracts that Job.ReadExtract and ReadExtracts may read.
	Extracts []Extract
	// Follow declares that outputs of this recipe mention outputs of another recipe; may be nil.
	// See Job.Followed.
	Follow *Follow
	// Formats are file formats that the recipe knows. A run warns of a file with an extension of
	// these formats if it is empty or if its first bytes contradict the extension, even if another
	// recipe cooks the file.
	Formats []Format
}

// A Hint sets an option for files whose paths suggest it. Rules override it. A renamed file with
// the same hint is not cooked again.
type Hint struct {
	Key   string
	Value any // value in the type of cook.toml: bool, int64, float64, string, []any, map[string]any
}

// A Cooker is a recipe's options struct. Several goroutines may use it at the same time, so Cook
// must not change it.
type Cooker interface {
	// Outputs returns templates for the names of the files that Cook writes, such as "{stem}.json".
	// A rule may replace the templates. Nil means that a rule must name the files.
	Outputs() []string
	// Cook reads the source and its dependencies through job, and writes every output. Errors need
	// not name the source.
	Cook(ctx context.Context, job *Job) error
}

// Traits describe a cooker in addition to its methods. Each field is optional, and most recipes
// need at most Check and Estimate.
type Traits struct {
	// Check returns an *OptionError if the options contradict each other. It is called once for
	// each combination of rules, before anything is cooked.
	Check func() error

	// Estimate returns the peak memory, in bytes, that Cook needs for a source of the given size.
	// head is the beginning of the source, at most HeadSize bytes. ErrShortHead requests another
	// call with the whole source; any other error makes the source fail without being cooked.
	// Without Estimate, a source is assumed to need three times its size.
	Estimate func(head []byte, size int64) (int64, error)

	// Lint returns one line for each likely mistake in a source that does not prevent cooking. head
	// is the same as for Estimate. The lines need not name the source.
	Lint func(path string, head []byte, size int64) []string

	// Explain returns lines for the command "cook why", about the expected result and its reasons.
	// It reads through job as Cook does, but writes nothing.
	Explain func(ctx context.Context, job *Job) ([]string, error)

	// Asks makes the same calls of Job.ReadExtracts as Cook, and must use no other method of job.
	// During Asks, these calls return no parts. The parts become part of the action ID.
	Asks func(job *Job) error

	// Declare calls Job.Depend for files named in options that Cook will read. If another machine
	// cooks the source, these files are sent to it.
	Declare func(job *Job) error

	// Tools are the programs that Cook runs: names in PATH, absolute paths, or paths in the asset
	// tree with a slash. Their contents are part of the action ID.
	Tools []string

	// Version returns the output of VersionCommand, which prints the version of a program; may be
	// nil. The output is part of the action ID. A run calls Version at most once for each command,
	// and only if Tools have changed since the last run. assets is the asset directory.
	Version        func(ctx context.Context, assets string) (string, error)
	VersionCommand []string

	// Machine names the kind of this machine if Cook may write different bytes on other kinds, for
	// example because of rounding. Results are not shared between kinds. "" means that the bytes
	// are the same on all machines.
	Machine string

	// Local prevents other machines from cooking the source, for results that depend on more than
	// dependencies and Tools.
	Local bool

	// Confined reports whether programs that outlive Cook can write only in Job.Scratch. If so, the
	// scratch directory may have the same name in each run. Confined is called when Cook calls
	// Job.Scratch.
	Confined func() bool

	// IgnoresPath promises that Cook does not call Job.Path with these options, although
	// Recipe.UsesPath is set.
	IgnoresPath bool

	// IgnoresNames promises that Cook does not call Job.Link with these options, although
	// Recipe.NamesOutputs is set.
	IgnoresNames bool

	// IgnoresArtifacts promises that Cook does not call Job.Artifacts with these options, although
	// Recipe.Bundles is set.
	IgnoresArtifacts bool
}

// An OptionError reports an option with an invalid value.
type OptionError struct {
	Key  string
	Got  string // the invalid value as written; "" if there is none
	Want string
}

func (e *OptionError) Error() string {
	if e.Got == "" {
		return fmt.Sprintf("%s: want %s", e.Key, e.Want)
	}
	return fmt.Sprintf("%s: want %s, have %s", e.Key, e.Want, e.Got)
}

// A Format is a file format. It has the fields
//
//	Name       string   // name with its article: "a PNG image"
//	Extensions []string // lower case, with dots
//	Magic      []string // possible first bytes; a dot is any byte
//	Loose      bool     // whether files may also begin with other bytes
//	Verify     func(file io.ReaderAt, size int64) string // describes damage in copied files; "" if none
type Format = fileformat.Format

// HeadSize is the number of bytes of a source that Estimate and Lint get.
const HeadSize = fileformat.HeadSize

// ErrShortHead is returned by Traits.Estimate if it needs the whole source.
var ErrShortHead = fileformat.ErrShortHead

// A Follow declares that outputs of one recipe mention outputs of another recipe. For example,
// models mention textures.
type Follow struct {
	// Recipe is the name of the other recipe. Keys are its options that determine the names and
	// formats of outputs.
	Recipe string
	Keys   []string
	// Option is the name of a string option of the recipe that has the Follow. A run sets the
	// option to a checksum of all rules for the target that set a recipe, outputs or one of the
	// Keys. Without such rules, it sets the option to "". The source is therefore cooked again when
	// one of these rules changes, but not when other rules change.
	//
	// The value ends with a slash if one of these rules names a directory. The results of
	// Job.Followed then depend on the path of the source.
	Option string
}
