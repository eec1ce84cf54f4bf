package rules

import (
	"cmp"
	"fmt"
	"iter"
	"path"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/engine"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// engineKey is the key of [project] and of a target that names an engine.
const engineKey = "engine"

// engineNames are the engines that the files name.
type engineNames struct {
	project string            // "" for none
	targets map[string]string // engines by target
}

// A loadingEngine is an engine that loads the artifacts of some targets.
type loadingEngine struct {
	engine.Engine
	targets []string // sorted; "" is the target without a name
}

// An engineList has the engines of all targets that have one.
type engineList []loadingEngine

// readEngine reads the name of an engine, "" after an error.
func (r *tableReader) readEngine(at *node, value any) string {
	name, _ := value.(string)
	if _, ok := engine.Lookup(name); ok {
		return name
	}
	names := engine.Names()
	if text, ok := value.(string); ok {
		r.failf(at.value, "engine: unknown engine %q%s", clipText(text), instead(text, names)).fixMisspelling(text, names)
	} else {
		r.failf(at.value, `engine: want the name of an engine, such as "three"; cook help engines lists them`)
	}
	return ""
}

// byEngine returns the named engines with their targets. A target has the engine of the project
// unless it names another.
func (n *engineNames) byEngine(targets map[string]int) (list engineList) {
	for _, e := range engine.All() {
		with := loadingEngine{Engine: e}
		for _, target := range sortedKeys(targets) {
			if cmp.Or(n.targets[target], n.project) == e.Name {
				with.targets = append(with.targets, target)
			}
		}
		if with.targets != nil {
			list = append(list, with)
		}
	}
	return list
}

// compileEngine returns the rules of an engine as layers for its targets. It leaves out settings
// that no recipe accepts, since a program may have other recipes.
func compileEngine(e *loadingEngine, recipes *recipeset.Set) []layer {
	d, err := parseFile("engine "+e.Name, e.Rules())
	if err != nil {
		panic(err) // a test parses the rules of all engines
	}
	c := newCompiler(recipes)
	c.in.file = d
	if rules, ok := d.values["rule"]; ok {
		c.compileRules(d.places.fieldPlace("rule"), rules, "")
	}
	for i := range c.set.layers {
		l := &c.set.layers[i]
		l.targets, l.origin = e.targets, Origin{File: d.name, Match: l.origin.Match}
		for k := range l.settings {
			l.settings[k].at = l.origin
		}
		l.chosen.File, l.chosen.Line, l.chosen.Column = d.name, 0, 0
	}
	return c.set.layers
}

// engineOf returns the engine of a target, nil for none.
func (list engineList) engineOf(target string) *loadingEngine {
	for i := range list {
		if e := &list[i]; slices.Contains(e.targets, target) {
			return e
		}
	}
	return nil
}

// NotLoaded returns an error for each way of cooking whose artifacts the engine of the target does
// not load. sources yields all sources; Method must have been called for each of them and every
// target.
func (s *Set) NotLoaded(sources iter.Seq[string]) (errs Errors) {
	s.mu.RLock()
	targets := slices.Clone(s.calls.targets)
	s.mu.RUnlock()
	for _, target := range targets {
		e := s.engines.engineOf(target)
		if e == nil || e.Loads == nil {
			continue
		}
		judged := map[*Method]bool{}
		for source := range sources {
			m, err := s.Method(source, target)
			if err != nil || judged[m] || m.Recipe.Name == recipeset.Fallback {
				continue
			}
			judged[m] = true
			for _, name := range m.Names(source) {
				if !e.LoadsFile(name) {
					errs = append(errs, e.refuse(m, name, s.texts))
					break
				}
			}
		}
	}
	errs.sortByPlace()
	return errs
}

// refuse returns the error for an artifact that the engine does not load. Its place is the option
// that chooses the format.
func (e *loadingEngine) refuse(m *Method, artifact string, texts documents) *Error {
	what := fmt.Sprintf("%s loads no %s files, such as %s", e.Title, path.Ext(artifact), clipText(artifact))
	for _, key := range []string{"container", "format"} {
		for _, o := range m.Options {
			if o.Key == key && o.From.Line > 0 {
				return texts.errorInFile(o.From.File, o.From.Line, o.From.Column, fmt.Sprintf("%s; remove %s = %s, or name another engine", what, key, o.Value))
			}
		}
	}
	return &Error{Msg: fmt.Sprintf("%s; list the source in .cookignore, or write a [[rule]] with another recipe for it, such as recipe = %q", what, recipeset.Fallback)}
}
