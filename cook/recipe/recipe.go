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
// They must not depend on the clock, the environment, the number of cores or the iteration order of
// maps. Cook relies on this: it takes a known result from the store instead of cooking the source
// again.
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
// The fields of [Recipe] declare what is the same for all options of a recipe. The fields of
// [Traits] declare what depends on the options, such as the memory that a source needs or the
// programs that Cook runs:
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

// A Recipe is a named way to cook sources, with a constructor for its options.
type Recipe struct {
	// Name is the name by which rules refer to the recipe: lower-case letters, digits and '-'.
	Name string
	// Version must be raised whenever the same input and options may give different bytes.
	Version int
	// New returns a pointer to a fresh options struct that holds the defaults.
	New func() Cooker
	// Traits returns the traits of a cooker that New returned, after its options have been set. The
	// field may be nil.
	Traits func(Cooker) Traits
	// UsesPath allows Job.Path: the bytes depend on the path of the source. A renamed source is
	// cooked again.
	UsesPath bool
	// NamesOutputs allows Job.Link: some outputs contain the names of others.
	NamesOutputs bool
	// Cheap marks a recipe that takes no longer than a copy of the result from the store. Its
	// results are not stored.
	Cheap bool
	// Bundles allows Job.Artifacts: the recipe reads artifacts of other assets. Its sources are
	// cooked after these assets.
	Bundles bool
	// Extensions are the extensions of files that the recipe cooks without a rule. They are in
	// lower case; ".png" matches ".PNG" as well. Two recipes of a program must not have the same
	// extension.
	Extensions []string
	// Recognizes reports whether the recipe cooks a file that has one of these extensions and
	// begins with head. head is the first HeadSize bytes or the whole file. Files that are not
	// recognized are copied; they belong to other programs that use the same extension. If
	// Recognizes is nil, the recipe cooks all files with these extensions.
	Recognizes func(head []byte) bool
	// Hints are option settings. The path of a file with one of the Extensions may suggest one of
	// them: Hinted returns the index of the hint for a path, or -1. A run calls Hinted for each
	// such file, so it should not allocate. Version must be raised if Hinted returns a different
	// hint for the same path.
	Hints  []Hint
	Hinted func(path string) int
	// Extracts are the extracts that the recipe reads with Job.ReadExtract and ReadExtracts.
	Extracts []Extract
	// Follow names another recipe whose outputs are mentioned in the outputs of this recipe; nil
	// for none. See Job.Followed.
	Follow *Follow
	// Formats are file formats that the recipe knows. Files of these formats get a warning if they
	// are empty or if their first bytes contradict their names, even if another recipe cooks them.
	Formats []Format
}

// A Hint sets an option for files whose paths suggest it. Rules override it. A renamed file is not
// cooked again if its new path suggests the same value.
type Hint struct {
	Key   string
	Value any // value as in cook.toml: bool, int64, float64, string, []any, map[string]any
}

// A Cooker has the options of a recipe, filled in and ready to cook. Several goroutines may use it
// at once, so Cook must not change it.
type Cooker interface {
	// Outputs returns templates for the names of the files that Cook writes, in order, such as
	// "{stem}.json". A rule may replace them one for one. Nil means that a rule must name them.
	Outputs() []string
	// Cook reads the source and its dependencies through job and writes every output. Errors
	// need not name the source.
	Cook(ctx context.Context, job *Job) error
}

// Traits describe a cooker in addition to its methods. Recipe.Traits returns them for a cooker
// whose options are set. Each field is optional, and most recipes need at most Check and Estimate.
type Traits struct {
	// Check returns an *OptionError if the options contradict each other, otherwise nil. It is
	// called once for each combination of rules, before anything is cooked.
	Check func() error

	// Estimate returns the peak memory, in bytes, that Cook needs for a source of the given size.
	// head is the beginning of the source, at most HeadSize bytes. If Estimate returns an error,
	// the source fails without being cooked, except that ErrShortHead requests a second call with
	// the whole source. Without Estimate, a source is assumed to need three times its size.
	Estimate func(head []byte, size int64) (int64, error)

	// Lint returns one line for each likely mistake in a source that does not prevent cooking. head
	// is as in Estimate. The lines need not name the source.
	Lint func(path string, head []byte, size int64) []string

	// Explain returns lines for the command cook why: the result for this source and the reasons
	// for it. It reads through job as Cook does, but writes nothing.
	Explain func(ctx context.Context, job *Job) ([]string, error)

	// Asks makes the same calls of Job.ReadExtracts as Cook, and must use no other method of job.
	// During Asks, these calls return no parts. The parts become part of the action ID.
	Asks func(job *Job) error

	// Declare calls Job.Depend for the files that Cook will read and that the options name. If
	// another machine cooks the source, these files are sent along.
	Declare func(job *Job) error

	// Tools are the programs that Cook runs: names looked up in PATH, absolute paths, or paths
	// in the asset tree, which contain a slash. Their contents are part of the action ID.
	Tools []string

	// Version runs VersionCommand, which prints the version of a program, and returns its output.
	// The output is part of the action ID. A run calls Version at most once for each command, and
	// only if Tools have changed since the last run. assets is the asset directory. Version is nil
	// if there is no command.
	Version        func(ctx context.Context, assets string) (string, error)
	VersionCommand []string

	// Machine names the kind of this machine if Cook may write different bytes on other kinds, for
	// example because a library's rounding depends on the processor. Each kind has its own results.
	// Empty means that the bytes are the same on all machines.
	Machine string

	// Local prevents other machines from cooking the source, because the result may depend on more
	// than the dependencies and Tools.
	Local bool

	// Confined reports whether programs that outlive Cook are unable to write outside of
	// Job.Scratch. If so, the scratch directory may have the same name in each run. Confined is
	// called when Cook calls Job.Scratch.
	Confined func() bool

	// IgnoresPath promises that, with these options, Cook does not call Job.Path although
	// Recipe.UsesPath is set.
	IgnoresPath bool

	// IgnoresNames promises that, with these options, Cook does not call Job.Link although
	// Recipe.NamesOutputs is set.
	IgnoresNames bool

	// IgnoresArtifacts promises that, with these options, Cook does not call Job.Artifacts although
	// Recipe.Bundles is set.
	IgnoresArtifacts bool
}

// An OptionError reports an option with an invalid value.
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

// A Format is a file format. It has the fields
//
//	Name       string   // name with its article: "a PNG image"
//	Extensions []string // lower case, with dots
//	Magic      []string // possible first bytes; a dot is any byte
//	Loose      bool     // whether files may begin differently as well
//	Verify     func(file io.ReaderAt, size int64) string // description of damage in copied files
type Format = fileformat.Format

// HeadSize is the number of bytes at the beginning of a source that Estimate and Lint get.
const HeadSize = fileformat.HeadSize

// ErrShortHead is returned by Traits.Estimate if it needs the whole source.
var ErrShortHead = fileformat.ErrShortHead

// A Follow declares that outputs of the recipe mention outputs of another recipe, for example as
// models refer to textures.
type Follow struct {
	// Recipe is the name of the other recipe. Keys are the options that determine the names and
	// formats of its outputs.
	Recipe string
	Keys   []string
	// Option is the name of a string option of the recipe that has the Follow. A run sets the
	// option to a checksum of all rules for the target that set one of the Keys, a recipe or
	// outputs, or to "" if there is no such rule. The value ends with a slash if one of these rules
	// names a directory, so that the results of Job.Followed depend on the path of the source. Thus
	// a source is cooked again when one of these rules changes, but not when other rules change.
	Option string
}
