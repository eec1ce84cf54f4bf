package rules

import (
	"cmp"
	"fmt"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/engine"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// engineKey is the key in [project] or in a target that names the engine.
const engineKey = "engine"

// engineNames has the engines that the run, the project and the targets name.
type engineNames struct {
	run     string // overrides project; may be ""
	project string
	targets map[string]string
}

// A loadingEngine is an engine with the targets whose artifacts it loads.
type loadingEngine struct {
	engine.Engine
	assumed bool     // set if no engine was named for these targets
	targets []string // sorted; "" is the target without a name
}

// assumedFile is the file name of the assumed engine's rules.
const assumedFile = "engine " + engine.Any + ", assumed"

// fileName returns the name of the engine's rules in messages.
func (e *loadingEngine) fileName() string {
	if e.assumed {
		return assumedFile
	}
	return "engine " + e.Name
}

// An engineList has the engines of all targets with an engine.
type engineList []loadingEngine

// readEngine reads the name of an engine. It returns "" after an error.
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

// byEngine returns the engines with their targets. A target has the engine that it names. Otherwise
// it has the engine of the run, the engine of the project, or engine.Any.
func (n *engineNames) byEngine(targets map[string]int) (list engineList) {
	for _, e := range engine.All() {
		named, assumed := loadingEngine{Engine: e}, loadingEngine{Engine: e, assumed: true}
		for _, target := range sortedKeys(targets) {
			switch name := cmp.Or(n.targets[target], n.run, n.project); {
			case name == e.Name:
				named.targets = append(named.targets, target)
			case name == "" && e.Name == engine.Any:
				assumed.targets = append(assumed.targets, target)
			}
		}
		for _, with := range []loadingEngine{named, assumed} {
			if with.targets != nil {
				list = append(list, with)
			}
		}
	}
	return list
}

// compileEngine returns the rules of an engine as layers for its targets. It omits settings that no
// recipe accepts, because another program may lack recipes.
func compileEngine(e *loadingEngine, recipes *recipeset.Set) []layer {
	d, err := parseFile(e.fileName(), e.Rules())
	if err != nil {
		panic(err) // a test parses the rules of every engine
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

// engineOf returns the engine of a target, or nil.
func (list engineList) engineOf(target string) *loadingEngine {
	for i := range list {
		if e := &list[i]; slices.Contains(e.targets, target) {
			return e
		}
	}
	return nil
}

// NotLoaded returns an error for each method whose artifacts the target's engine does not load. It
// reports each format option only once. sources yields all sources. Method must have been called
// for each of them and every target.
func (s *Set) NotLoaded(sources iter.Seq[string]) (errs Errors) {
	s.mu.RLock()
	targets := slices.Clone(s.calls.targets)
	s.mu.RUnlock()
	for _, target := range targets {
		e := s.engines.engineOf(target)
		if e == nil || e.Loads == nil {
			continue
		}
		judged, warned := map[*Method]bool{}, map[string]bool{}
		for source := range sources {
			m, err := s.Method(source, target)
			if err != nil || judged[m] || m.Recipe.Name == recipeset.Fallback {
				continue
			}
			judged[m] = true
			for _, name := range m.Names(source) {
				refused := e.refuseFormat(m, source, name, s.texts)
				if !e.LoadsFile(name) {
					refused = e.refuse(m, name, s.texts)
				}
				if refused == nil {
					continue
				}
				if why := fmt.Sprint(refused.File, refused.Line, path.Ext(name)); refused.File == "" || !warned[why] {
					errs, warned[why] = append(errs, refused), true
				}
				break
			}
		}
	}
	errs.sortByPlace()
	return errs
}

// refuse returns the error for an artifact that the engine does not load. Its position is the
// option that chooses the format.
func (e *loadingEngine) refuse(m *Method, artifact string, texts documents) *Error {
	ext, name := path.Ext(artifact), clipText(artifact)
	if e.Name == engine.Any {
		return chooserOf(m).errorHere(texts, fmt.Sprintf(`not every engine loads %s files, such as %s; name your engine, as in engine = "three" in [project] (cook help engines)`, ext, name))
	}
	what := fmt.Sprintf("%s loads no %s files, such as %s", e.Title, ext, name)
	if o := chooserOf(m); o != nil {
		return o.errorHere(texts, fmt.Sprintf("%s; remove %s = %s, or name another engine", what, o.Key, o.Value))
	}
	return &Error{Msg: fmt.Sprintf("%s; list the source in .cookignore, or write a [[rule]] with another recipe for it, such as recipe = %q", what, recipeset.Fallback)}
}

// refuseFormat returns an error if the engine does not load a KTX2 file, because of its format or
// its kind of texture. The position of the error is the option to remove.
func (e *loadingEngine) refuseFormat(m *Method, source, artifact string, texts documents) *Error {
	format, cube := m.option("format"), m.option("cube")
	if format == nil || cube == nil || path.Ext(artifact) != ".ktx2" {
		return nil
	}
	loaded, what, remove := e.KTX2, "loads KTX2 files only in format ", chooserOf(m)
	if e.Cubes != nil && cube.Value != `"none"` {
		loaded, what, remove = e.Cubes, "loads cube maps only in format ", cube
	}
	// For the web, auto means uastc, or uastc-hdr for HDR images.
	name, _ := strconv.Unquote(format.Value)
	gpu := m.option("gpu")
	web, light := gpu != nil && gpu.Value == `"web"`, slices.Contains([]string{".exr", ".hdr"}, recipe.Ext(source))
	switch {
	case name != "auto":
	case web && light:
		name = "uastc-hdr"
	case light:
		name = "float"
	case web:
		name = "uastc"
	}
	if loaded == nil || slices.Contains(loaded, name) {
		return nil
	}
	text := fmt.Sprintf("%s %s%s, and %s has format %s", e.Title, what, strings.Join(loaded, ", "), clipText(artifact), name)
	if remove == nil || remove.From.Line == 0 {
		return &Error{Msg: text + "; list the source in .cookignore, or write a [[rule]] with another recipe for it"}
	}
	return remove.errorHere(texts, fmt.Sprintf("%s; remove %s = %s, or name another engine", text, remove.Key, remove.Value))
}

// option returns an option of a method, or nil if the recipe has no such option.
func (m *Method) option(key string) *Option {
	for i := range m.Options {
		if m.Options[i].Key == key {
			return &m.Options[i]
		}
	}
	return nil
}

// chooserOf returns the option that chooses the format of the artifacts, if a rule sets it, or nil.
func chooserOf(m *Method) *Option {
	for _, key := range []string{"container", "format", "gpu"} {
		if o := m.option(key); o != nil && o.From.Line > 0 {
			return o
		}
	}
	return nil
}

// errorHere returns an error at the position of the option. If the option is nil, the error has no
// position.
func (o *Option) errorHere(texts documents, text string) *Error {
	if o == nil {
		return &Error{Msg: text}
	}
	return texts.errorInFile(o.From.File, o.From.Line, o.From.Column, text)
}
