// Package rules reads cook.toml, which defines the recipe, the options and the outputs for each
// source.
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
// Every rule that matches a source applies, and for each key the last rule wins. The order,
// weakest first:
//
//  1. defaults of the recipes (recipe.Recipe.Extensions and Hints; "copy" cooks all other files)
//  2. rules of the target's engine, or of the engine "any" if none is named; see package engine
//  3. rules without a target
//  4. tables of the target
//  5. rules with a target
//
// Within 3, 4 and 5, the file at the root comes first, from top to bottom, and then the files of
// the directories down to the source.
//
// A rule's keys are match (required), recipe, output (one template) or outputs (a list), target
// (a name or a list; the rule applies to these targets only, which must be declared elsewhere),
// and the options of its recipe. A rule with a command but no recipe means the recipe
// "command". The last matching rule that names a recipe chooses the recipe; rules that name
// other recipes have no effect. A rule without a recipe sets its options for every recipe that
// has them and accepts the value.
//
// A table such as [target.mobile.image] holds options of one recipe for one target and declares
// the target, as an empty table [target.mobile] does. No target can have the name "all", which
// means all declared targets.
//
// # Chains
//
// A rule with from = "artifacts" matches artifacts instead of sources: its patterns see the names
// of artifacts, without the directory of the target. If such a rule names a recipe for an
// artifact, the artifact is not placed but cooked further, as if it were a source. Other rules
// may cook the result further; a rule never applies to its own output.
//
// # Patterns
//
// Patterns have the syntax of package glob. They match the path relative to the directory of
// their file.
//
// # Outputs
//
// See Template.
package rules

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/assetcook/assetcook/cook/internal/engine"
	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// A File is one configuration file.
type File struct {
	// Name is the file's name in messages: "assets/cook.toml".
	Name string
	// Dir is the directory whose sources the rules match: a clean slash path in the asset tree, ""
	// for the root.
	Dir string
	// Data is the file's content in TOML 1.0.
	Data []byte
}

// These limits are far above real use. A hostile file then causes a message and does not exhaust
// the machine.
const (
	// MaxFile is the maximum length of a file in bytes. A longer file is an error. Callers of
	// Compile need to read at most one byte more.
	MaxFile         = 4 << 20
	maxLayers       = 10_000 // rules and tables of targets in all files together
	maxEngineLayers = 200    // rules of all engines together
	maxPatterns     = 50_000 // patterns of all files, with alternatives expanded
)

// A Set is the compiled configuration of an asset tree. It may be used concurrently.
type Set struct {
	vocab   vocabulary
	builtin table
	layers  []layer // sorted: rules of engines, rules without a target, tables of targets, rules with a target
	engines engineList
	order   layerOrder
	chains  bool     // set if a rule is for artifacts
	targets []string // declared targets, sorted
	number  map[string]int

	mu    sync.RWMutex
	cache outcomeCache
	calls callLog

	texts documents
}

// A layerOrder holds the start of each kind of layer.
type layerOrder struct {
	own     int      // index of the first layer after the rules of engines
	folders []folder // files with rules for all targets
	aimed   int      // index of the first layer for some targets only
}

// An outcomeCache caches outcomes.
type outcomeCache struct {
	seen    map[string]*outcome // cached outcome of each selection
	decided map[string]*outcome // cached outcome of each set of layers with an effect
	chains  map[string]*Method  // chain for each list of step numbers
	numbers map[*Method]int     // number of each method
}

// A callLog records what Method was called for.
type callLog struct {
	targets []string
	uses    []use
}

// folder holds the rules of one file that apply to all targets.
type folder struct {
	prefix      string // common prefix of the paths: "" or "dir/"
	first, last int    // the layers of the file are layers[first:last]
}

// A layer is one [[rule]] or one [target.name.recipe] table.
type layer struct {
	origin       Origin
	patterns     glob.List // nil for a table
	texts        []string  // text of the patterns; nil for a table
	matched      Origin
	forArtifacts bool      // set if the patterns match artifacts and not sources
	targets      []string  // targets of the layer; nil means all
	prefix       string    // same as folder.prefix
	recipe       string    // "" if the rule names no recipe
	chosen       Origin    // position of the recipe's name
	settings     []setting // settings, sorted by key
	outputs      []Template
	written      Origin
}

type setting struct {
	key    string
	value  any // value as the TOML library decodes it
	at     Origin
	column int
	line   int
}

// Compile compiles configuration files, in any order. If two files are for the same directory, the
// later file takes precedence. The error has type Errors and has every error of every file.
func Compile(files []File, recipes *recipeset.Set) (*Set, error) {
	return CompileFor("", files, recipes, nil)
}

// CompileFor is like Compile, but loader overrides the engine of the project unless loader is "".
// paths yields the sources for error messages. It may be nil.
func CompileFor(loader string, files []File, recipes *recipeset.Set, paths func() iter.Seq[string]) (*Set, error) {
	if names := engine.Names(); loader != "" && !slices.Contains(names, loader) {
		return nil, Errors{{Msg: fmt.Sprintf("unknown engine %q%s", clipText(loader), instead(loader, names))}}
	}
	files = slices.Clone(files)
	for i := range files {
		files[i].Dir = strings.Trim(files[i].Dir, "/")
		if files[i].Dir == "." {
			files[i].Dir = ""
		}
	}
	// Only files on one path apply to the same source, so their depth determines the order.
	// Comparing names as well makes the order total.
	slices.SortStableFunc(files, func(a, b File) int {
		return cmp.Or(cmp.Compare(folderDepth(a.Dir), folderDepth(b.Dir)), cmp.Compare(a.Dir, b.Dir))
	})

	c := newCompiler(recipes)
	c.engines.run, c.paths = loader, paths
	for _, f := range files {
		c.compileFile(f)
	}
	return c.finishRules()
}

func folderDepth(dir string) int {
	if dir == "" {
		return 0
	}
	return 1 + strings.Count(dir, "/")
}

// Targets lists the declared targets, sorted. The caller must not change the slice.
func (s *Set) Targets() []string { return s.targets }

// DifferByTarget reports whether the method of a source may depend on the target.
func (s *Set) DifferByTarget() bool {
	return s.order.aimed < len(s.layers) || slices.ContainsFunc(s.engines, func(e loadingEngine) bool { return len(e.targets) < len(s.number) })
}

// HasTarget reports whether a file declares the target. The target "" is always declared.
func (s *Set) HasTarget(name string) bool { return name == "" || s.number[name] > 0 }
