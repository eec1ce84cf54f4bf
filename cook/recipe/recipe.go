// Package recipe says what a recipe is: how one kind of source is cooked.
//
// A recipe is written as a struct. Its exported fields are the options that a
// user may set in cook.toml, its Cook method does the work:
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
// Once it is one of cook.Project.Recipes, or handed to cli.Main, it cooks the files of
// its extensions, and rules can name it for others.
//
// # What a recipe promises
//
// The bytes it writes are decided by its name, version, options, tools, the
// source's extension and content, and the content of what it read through
// its Job; by its path only where UsesPath says so. Clock, environment, core
// count and map order must not show, and the machine only where a
// Traits.Machine says so. The cooker relies on it: a result once
// seen is taken from the store ever after.
//
// Options are in the fingerprint by construction: Fields walks the struct, and
// a field stays out only if its tag gives a reason for it.
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

import "context"

// A Recipe names a kind of cooking and makes its options.
type Recipe struct {
	// Name is how rules refer to it: lower-case letters, digits, '-'.
	Name string
	// Version rises whenever the same input and options may give other bytes.
	Version int
	// New returns a pointer to a fresh options struct that holds the defaults.
	New func() Cooker
	// Traits returns more about a cooker of New whose options are set; nil for no traits.
	Traits func(Cooker) Traits
	// UsesPath says that the bytes depend on where the source lies. Such an
	// asset is cooked again when it is renamed.
	UsesPath bool
	// NamesOutputs says that some outputs contain the names of others, by Job.Link.
	NamesOutputs bool
	// Cheap says that cooking costs no more than copying the result out of the
	// store, so the store keeps nothing of it.
	Cheap bool
	// Bundles says that the recipe makes something of other assets' artifacts, by
	// Job.Artifacts. Such a source is cooked when all that it asks for is up to date.
	Bundles bool
	// Extensions are the files that the recipe cooks where no rule names another
	// recipe: ".png", in lower case, which stands for ".PNG" as well. No two recipes
	// of a set share one.
	Extensions []string
	// Recognizes reports whether the recipe cooks a file with one of these extensions that begins
	// with head, the first HeadSize bytes or the whole file. Other files are copied, because other
	// programs use the same extension. Nil recognizes all files.
	Recognizes func(head []byte) bool
	// Hints are what the paths of these files may say, and Hinted returns which of them a
	// path says, by its index, or -1. Hinted is called for each such file of a run, so it
	// should make no garbage. If it comes to say otherwise, Version must rise.
	Hints  []Hint
	Hinted func(path string) int
	// Extracts are what the recipe reads of files of which it needs only a part; see
	// Job.ReadExtract.
	Extracts []Extract
	// Follow names the recipe to whose outputs the outputs of this recipe refer; it may be nil. See
	// Job.Followed.
	Follow *Follow
	// Formats are those that the recipe knows by their first bytes. A file that is empty
	// or of another format than its name says gets a warning, whatever cooks it.
	Formats []Format
}

// A Hint sets an option of files whose paths say so. Rules override it. A file that is
// renamed so that its path says the same is not cooked again.
type Hint struct {
	Key   string
	Value any // as SetOption takes it
}

// A Cooker is a recipe's options, filled in and ready to cook. It is used by
// many goroutines at once and must not change while it cooks.
type Cooker interface {
	// Outputs are the templates of the files that Cook writes, in order; see
	// package rules for the words in braces. A rule may replace them one for
	// one. None means that the rule must say.
	Outputs() []string
	// Cook reads the source and its dependencies through job and writes every
	// output. Errors need not name the source: the cooker does.
	Cook(ctx context.Context, job *Job) error
}
