// Package rules reads cook.toml: which source is cooked by which recipe, with
// which options, into which files.
//
//	[[rule]]
//	match  = "textures/**/*_n.png"   # or a list of patterns
//	recipe = "image"
//	srgb   = false
//
//	[[rule]]
//	match   = "shaders/**/*.frag"
//	command = ["glslangValidator", "-V", "{in}", "-o", "{out}"]
//	outputs = ["{stem}.spv"]
//
//	[target.mobile.image]
//	max_size = 1024
//
// # Rules
//
// Every rule that matches a source has its say, and for each key the last one
// wins. The order, weakest first:
//
//  1. defaults of the recipes (recipe.Recipe.Extensions and Hints; "copy" cooks
//     all other files)
//  2. rules without a target
//  3. tables of the target
//  4. rules with a target
//
// Within 2, 3 and 4, the file at the root comes first, from top to bottom, and then
// the files of the folders down to the source.
//
// A rule's keys are match (required), recipe, output (one template) or outputs
// (a list), target (a name or a list; it has its say for these only, which are declared
// elsewhere), and the options of its recipe. A rule that has a command but no
// recipe means the recipe "command". The last matching rule that names a recipe
// decides; what rules say that name another one is dropped. A rule that names
// none sets its options for every recipe that has them and takes the value.
//
// A table such as [target.mobile.image] holds options of one recipe for one
// target and declares the target, as an empty table [target.mobile] does. The name all
// is not for targets: it stands for all that are declared.
//
// # Chains
//
// A rule with from = "artifacts" is not for sources but for what they are cooked to: its
// patterns see the names of artifacts, without the folder of the target. If rules of that
// kind name a recipe for an artifact, it is not placed but cooked further, as if it were a
// source. What comes of that may be cooked further by other rules; one that has named a
// recipe has no say in what is made of it.
//
// # Patterns
//
// Patterns are those of package glob. They see the path relative to the folder of their
// file.
//
// # Outputs
//
// See Template.
package rules

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/cook/recipe"
)

// A File is one configuration file.
type File struct {
	// Name is how messages call it: "assets/cook.toml".
	Name string
	// Dir is the folder that it governs: a clean slash path within the asset
	// tree, "" for the tree's root.
	Dir string
	// Data is the file's content, TOML 1.0.
	Data []byte
}

// Bounds on configuration, far above what people write, so that a hostile file
// costs a message and not the machine.
const (
	// MaxFile is how many bytes of one file are read. A longer one is an error,
	// so who reads files for Compile needs no more than one byte beyond.
	MaxFile     = 4 << 20
	maxLayers   = 10_000 // rules and target tables of all files together
	maxPatterns = 50_000 // of all files, alternatives spelled out
)

// A Set is the compiled configuration of an asset tree. It may be used by many
// goroutines at once.
type Set struct {
	recipes *recipe.Set
	builtin table
	layers  []layer  // rules without a target, tables of targets, rules with a target
	chains  bool     // some rule is for artifacts
	folders []folder // of the rules without a target
	aimed   int      // index of the first layer that is for some targets only
	targets []string // declared, sorted
	number  map[string]int

	mu    sync.RWMutex
	made  choices
	asked asked

	texts map[string]*document // of the files, by name, to show where something is
}

// choices are the outcomes so far.
type choices struct {
	seen    map[string]*outcome // by all that matched
	decided map[string]*outcome // by those that had a say
	chains  map[string]*Method  // by the numbers of their steps
	numbers map[*Method]int     // of steps
}

// asked is what was asked about.
type asked struct {
	targets []string
	uses    []use // of the layers, by the sources
}

// A folder has the rules of one file that apply to all targets.
type folder struct {
	prefix      string // of the paths below it: "" or "dir/"
	first, last int    // its rules are layers[first:last]
}

// A layer is one [[rule]] or one [target.name.recipe] table.
type layer struct {
	origin   Origin
	patterns glob.List // of a rule
	texts    []string  // of the patterns; a table has none
	matched  Origin    // where the patterns stand
	made     bool      // a rule for artifacts
	targets  []string  // that it is for: one of a target table; of a rule nil for all
	prefix   string    // as in folder
	recipe   string    // "" if it names none
	chosen   Origin    // where the rule names its recipe
	settings []setting // sorted by key
	outputs  []Template
	written  Origin // where the outputs stand
}

type setting struct {
	key    string
	value  any // as the TOML reader gives it
	at     Origin
	column int // where the value stands, if in the line of the key
	line   int
}

// Compile reads configuration files, in any order. Of two files for one folder
// the later is the stronger. An error is of type Errors and holds every problem
// of every file.
func Compile(files []File, recipes *recipe.Set) (*Set, error) {
	files = slices.Clone(files)
	for i := range files {
		files[i].Dir = strings.Trim(files[i].Dir, "/")
		if files[i].Dir == "." {
			files[i].Dir = ""
		}
	}
	// Only files on one way down ever meet, so depth decides. The name is
	// compared to make the order a total one.
	slices.SortStableFunc(files, func(a, b File) int {
		return cmp.Or(cmp.Compare(depth(a.Dir), depth(b.Dir)), cmp.Compare(a.Dir, b.Dir))
	})

	c := newCompiler(recipes)
	for _, f := range files {
		c.compileFile(f)
	}
	return c.finishRules()
}

func depth(dir string) int {
	if dir == "" {
		return 0
	}
	return 1 + strings.Count(dir, "/")
}

// Targets lists the declared targets in order. The caller must not change the
// slice.
func (s *Set) Targets() []string { return s.targets }

// DifferByTarget reports whether a rule or a table is for some targets only, so that the
// method of a source may depend on the target.
func (s *Set) DifferByTarget() bool { return s.aimed < len(s.layers) }

// HasTarget says whether any file declares the target. The one without a name needs none.
func (s *Set) HasTarget(name string) bool { return name == "" || s.number[name] > 0 }
