package rules

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/assetcook/assetcook/internal/recipeset"
)

// A compiler turns files into layers and collects the errors.
type compiler struct {
	set      *Set
	tables   []layer // tables of targets, which override rules without a target
	aimed    []layer // rules with a target, which override tables
	patterns int
	full     bool // set after an error about too many layers

	in    tableReader     // the current file, and the errors of all files
	torn  bool            // set if a file could not be parsed
	gives map[string]bool // recipes whose outputs some rule sets; "" means any recipe
	needs []need          // rules whose recipe has no default outputs
	aims  []aim           // the targets named in rules

	engines engineNames
	paths   func() iter.Seq[string] // yields the sources, for messages; may be nil
}

// An aim is the target of a rule.
type aim struct {
	target string
	at     Origin
}

// A need is a rule that names a recipe without default outputs. Some rule must set outputs for this
// recipe.
type need struct {
	recipe string
	at     Origin
}

func newCompiler(recipes *recipeset.Set) *compiler {
	return &compiler{
		set: &Set{
			vocab:   vocabulary{recipes},
			builtin: newBuiltinTable(recipes),
			number:  map[string]int{"": 0},
			texts:   documents{},
			cache: outcomeCache{
				seen:    map[string]*outcome{},
				decided: map[string]*outcome{},
				chains:  map[string]*Method{},
				numbers: map[*Method]int{},
			},
		},
		gives:   map[string]bool{},
		engines: engineNames{targets: map[string]string{}},
	}
}

// finishRules makes the Set after all files were read.
func (c *compiler) finishRules() (*Set, error) {
	for _, n := range c.needs {
		if !c.torn && !c.gives[n.recipe] && !c.gives[""] {
			c.in.errs = append(c.in.errs, &Error{File: n.at.File, Line: n.at.Line, Column: n.at.Column, Msg: needsOutputs(n.recipe)})
		}
	}
	c.set.targets = slices.Sorted(maps.Keys(c.set.number))[1:] // the first target is ""
	for _, a := range c.aims {
		if _, declared := c.set.number[a.target]; !c.torn && !declared {
			e := c.set.texts.errorInFile(a.at.File, a.at.Line, a.at.Column, fmt.Sprintf("target: no table [target.%s] declares %[1]q%s", clipText(a.target), instead(a.target, c.set.targets)))
			c.in.errs = append(c.in.errs, e.fixMisspelling(a.target, c.set.targets))
		}
	}
	if len(c.in.errs) > 0 {
		c.in.errs.sortByPlace()
		return nil, c.in.errs
	}
	s := c.set
	s.engines = c.engines.byEngine(s.number)
	var first []layer
	for i := range s.engines {
		first = append(first, compileEngine(&s.engines[i], s.vocab.recipes)...)
	}
	s.order.own = len(first)
	for i := range s.order.folders {
		s.order.folders[i].first += s.order.own
		s.order.folders[i].last += s.order.own
	}
	s.order.aimed = s.order.own + len(s.layers)
	s.layers = slices.Concat(first, s.layers, c.tables, c.aimed)
	s.calls.uses = make([]use, len(s.layers))
	return s, nil
}

// compileFile compiles one file.
func (c *compiler) compileFile(f File) {
	d, err := parseFile(f.Name, f.Data)
	if err != nil {
		c.in.errs = append(c.in.errs, err)
		c.torn = true
		return
	}
	c.in.file = d
	prefix := ""
	if f.Dir != "" {
		prefix = f.Dir + "/"
	}
	first := len(c.set.layers)
	for _, key := range sortedKeys(d.values) {
		switch at := d.places.fieldPlace(key); key {
		case "rule":
			c.compileRules(at, d.values[key], prefix)
		case "target":
			c.compileTargets(at, d.values[key], prefix)
		case "project":
			if f.Dir != "" {
				c.in.failf(at.key, "project: this table belongs in the cook.toml of the whole tree, in the asset directory or above it")
				continue
			}
			c.engines.project = cmp.Or(c.in.readProjectTable(at, d.values[key]).Engine, c.engines.project)
		case "remote":
			if f.Dir != "" {
				c.in.failf(at.key, "remote: this table belongs in the cook.toml of the whole tree, in the asset directory or above it")
				continue
			}
			c.in.readRemoteTable(at, d.values[key])
		default:
			words := []string{"rule", "target", "project", "remote"}
			c.in.failf(at.key, "unknown key %q%s", clipText(key), instead(key, words)).fixMisspelling(key, words)
		}
	}
	c.set.order.folders = append(c.set.order.folders, folder{prefix, first, len(c.set.layers)})
	c.set.texts[d.name] = &document{name: d.name, data: d.data, lines: d.lines}
}

func (c *compiler) compileRules(at *node, value any, prefix string) {
	list, ok := value.([]any)
	if !ok {
		c.in.failf(at.key, "rule: want a list of tables; write [[rule]] above each")
		return
	}
	for i, v := range list {
		table, ok := v.(map[string]any)
		if !ok {
			c.in.failf(at.itemPlace(i).value, "rule: want a table")
			continue
		}
		if !c.layerFits(at.itemPlace(i).value) {
			return
		}
		c.compileRule(at.itemPlace(i), table, prefix)
	}
}

// layerFits reports whether the limits allow another layer. If not, it records an error at the
// given offset.
func (c *compiler) layerFits(offset int) bool {
	if len(c.set.layers)+len(c.tables)+len(c.aimed) < maxLayers {
		return true
	}
	if !c.full {
		c.full = true
		c.in.failf(offset, "there are more than %d rules and target tables", maxLayers)
	}
	return false
}
