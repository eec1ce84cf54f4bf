package plan

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/program"
)

// A Method is the rules' choice with all that identifies it.
type Method struct {
	*rules.Method
	// Alone and Then are those of the rules' method, of a chain.
	Alone *Method
	Then  []*Method
	// Tools are the programs, the files that belong to them, and what these are made of.
	Tools []contents.File
	// Fields are what the action ID hashes, in order.
	Fields index.Method
}

// The keys of fields that are not options. A recipe's own keys are words of
// TOML and cannot start with these.
const (
	fieldRecipe  = "recipe"
	fieldVersion = "recipe version"
	fieldKind    = "recipe machine"
	fieldHolder  = "held by recipe"
	fieldTool    = "tool "
	fieldLibrary = "library " // of a tool
	fieldMachine = "libraries of the machine"
)

// A Tool is a file that a method names, and what it is made of; see package program.
type Tool struct {
	contents.File
	Interpreter string
	Libraries   []contents.File
	Machine     []string
}

// ToolOf returns the name of the file, a program or a library of one, that a field of a
// method identifies. Its value is empty if there was none.
func ToolOf(f index.Field) (name string, ok bool) {
	if name, ok = strings.CutPrefix(f.Key, fieldTool); !ok {
		name, ok = strings.CutPrefix(f.Key, fieldLibrary)
	}
	return name, ok
}

// MachineOf returns the names of the machine's libraries that a field of a method has; see
// program.Machine.
func MachineOf(f index.Field) (names []string, ok bool) {
	if f.Key != fieldMachine {
		return nil, false
	}
	return strings.Split(f.Value, "\n"), true
}

// RecipeOf returns the name of the recipe that a method is of.
func RecipeOf(m index.Method) string {
	for _, f := range m {
		if f.Key == fieldRecipe {
			return f.Value
		}
	}
	return ""
}

// AnyRecipe reports whether something is true of a recipe that a method names, those of all
// steps of a chain among them. It is asked about each by its name.
func AnyRecipe(m index.Method, is func(name string) bool) bool {
	return slices.ContainsFunc(m, func(f index.Field) bool {
		return (f.Key == fieldRecipe || strings.HasPrefix(f.Key, fieldRecipe+rules.Of)) && is(f.Value)
	})
}

// Methods identify the choices of rules, each once.
type Methods struct {
	Rules *rules.Set
	// Tool finds a program, or a file that belongs to one.
	Tool  func(name string) (Tool, error)
	known map[*rules.Method]*Method
	same  map[sameMethod]bool
}

// A sameMethod is a method of the rules and one of the index.
type sameMethod struct {
	chosen *Method
	last   *index.Field // the first
}

// NewMethods returns those of some rules.
func NewMethods(set *rules.Set, tool func(name string) (Tool, error)) *Methods {
	return &Methods{Rules: set, Tool: tool, known: map[*rules.Method]*Method{}, same: map[sameMethod]bool{}}
}

// Still reports whether the rules come to what a known action was done with: the same
// recipe, options and programs, and the same names of artifacts. It is false for a source that
// other sources may hold.
func (m *Methods) Still(row *index.Row) bool {
	path, method := row.Path(), row.Method()
	chosen, err := m.Rules.Method(path, row.Target())
	if err != nil || len(method) == 0 {
		return false
	}
	names := chosen.Names(path)
	if row.Made() != len(names) || chosen.Holder() != nil { // rules for the files that read it count, too
		return false
	}
	now, err := m.identify(chosen)
	if err != nil {
		return false
	}
	pair := sameMethod{now, &method[0]}
	same, ok := m.same[pair]
	if !ok {
		same = slices.Equal(now.Fields, method)
		m.same[pair] = same
	}
	for i, name := range names {
		same = same && row.IsArtifact(i, under(row.Target(), name))
	}
	return same
}

// Of identifies a choice of rules, or what came from another machine as one.
func (p *Methods) Of(chosen *rules.Method) (*Method, error) { return p.identify(chosen) }

// identify identifies a choice.
func (p *Methods) identify(chosen *rules.Method) (*Method, error) {
	if m, ok := p.known[chosen]; ok {
		return m, nil
	}
	m := &Method{Method: chosen}
	add := func(key, value string) { m.Fields = append(m.Fields, index.Field{Key: key, Value: value}) }
	var kinds, tools []string
	for step := range chosen.Steps("") {
		add(fieldRecipe+step.Of, step.Recipe.Name)
		add(fieldVersion+step.Of, strconv.Itoa(step.Recipe.Version))
		for _, o := range step.Options {
			add(o.Key+step.Of, o.Value)
		}
		traits := step.Traits()
		if kind := traits.Machine; kind != "" && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		tools = append(tools, traits.Tools...)
	}
	if r := chosen.Holder(); r != nil {
		add(fieldHolder, r.Name)
	}
	if len(kinds) > 0 {
		add(fieldKind, strings.Join(kinds, ", "))
	}
	if err := p.identifyTools(m, tools); err != nil {
		return nil, err
	}
	if chosen.Then != nil {
		if err := p.identifySteps(m); err != nil {
			return nil, err
		}
	}
	p.known[chosen] = m
	return m, nil
}

// identifySteps identifies the steps of a chain, each as what it is by itself.
func (p *Methods) identifySteps(m *Method) (err error) {
	if m.Alone, err = p.identify(m.Method.Alone); err != nil {
		return err
	}
	m.Then = make([]*Method, len(m.Method.Then))
	for i, next := range m.Method.Then {
		if next != nil {
			if m.Then[i], err = p.identify(next); err != nil {
				return err
			}
		}
	}
	return nil
}

// identifyTools adds the tools of a method and what they are made of.
func (p *Methods) identifyTools(m *Method, names []string) error {
	add := func(key string, f contents.File) {
		m.Fields = append(m.Fields, index.Field{Key: key, Value: f.Blob.String()})
		m.Tools = append(m.Tools, f)
	}
	var machine []string
	done := map[string]bool{}
	for asked := len(names); len(names) > 0; names, asked = names[1:], asked-1 {
		name := names[0]
		if done[name] {
			continue
		}
		done[name] = true
		tool, err := p.Tool(name)
		if asked <= 0 && errors.Is(err, fs.ErrNotExist) { // an interpreter, which need not be used
			m.Fields = append(m.Fields, index.Field{Key: fieldTool + name})
			continue
		}
		if err != nil {
			return err
		}
		add(fieldTool+name, tool.File)
		for _, library := range tool.Libraries {
			if !done[library.Path] {
				done[library.Path] = true
				add(fieldLibrary+library.Path, library)
			}
		}
		machine = append(machine, tool.Machine...)
		if tool.Interpreter != "" {
			names = append(names, tool.Interpreter)
		}
	}
	if slices.Sort(machine); len(machine) > 0 {
		m.Fields = append(m.Fields, index.Field{Key: fieldMachine, Value: strings.Join(slices.Compact(machine), "\n")})
	}
	return nil
}

// salt starts every action ID. It changes when the cooker itself changes what
// it does with a recipe's result.
const salt = "assetcook action 1"

// NewKey returns what action IDs are hashed in, one after the other.
func NewKey() *hashing.Key { return hashing.NewKey(salt) }

func actionID(k *hashing.Key, a *Action, src *contents.File, asked []index.Dep) store.ActionID {
	m := a.Method
	k.Reset(salt)
	for _, f := range m.Fields {
		key := f.Key
		if library, ok := strings.CutPrefix(key, fieldLibrary); ok {
			key = fieldLibrary + filepath.Base(library) // it may be elsewhere on another machine
		}
		k.String(key, f.Value)
	}
	k.String("source extension", recipe.Ext(src.Path))
	k.Digest("source", hashing.Digest(src.Blob))
	// Programs look at the extension to know what to write.
	for _, out := range a.Outputs {
		k.String("output extension", path.Ext(out))
	}
	if m.Then != nil {
		for step := range m.Steps(src.Path) { // what a step reads it names from where it is
			k.String("made extension", path.Ext(step.Path))
			k.String("made folder", pathname.Relative(path.Dir(src.Path), path.Dir(step.Path)))
		}
	}
	if m.Bundles() { // it takes what its target has, but for its own outputs
		k.String("target", a.Target)
		for _, out := range a.Outputs {
			k.String("output", out)
		}
	}
	for _, d := range asked {
		k.String("asked", dependency.Encode(d.Asked()))
		k.Bool("found", d.Found)
		k.Digest("said", hashing.Digest(d.Blob))
	}
	if m.UsesPath() {
		k.String("source path", src.Path)
	}
	if m.NamesOutputs() {
		for _, name := range m.FinalNames(src.Path) {
			k.String("name", name)
		}
	}
	return store.ActionID(k.Sum())
}

// Asks returns what a method asks all files of folders about a source, as dependencies, sorted by
// name. A source that another recipe made cannot be asked about.
func Asks(m *Method, source string) ([]recipe.Dep, error) {
	if r := m.Holder(); r != nil {
		return askHolders(r, source)
	}
	for m.Alone != nil {
		m = m.Alone // the first step
	}
	asks := m.Traits().Asks
	if asks == nil {
		return nil, nil
	}
	job := askingJob(m.Recipe, source)
	err := asks(job)
	return jobs.Deps(job), err
}

// askingJob returns a job that only notes what a recipe asks about a source.
func askingJob(r recipe.Recipe, source string) *recipe.Job {
	return jobs.New(r, jobs.Env{Path: source, Extract: func(recipe.Dependency) ([]recipe.Said, bool, error) { return nil, true, nil }}, 0)
}

// askHolders asks the files that may read a source that outputs of a recipe contain.
func askHolders(r *recipe.Recipe, source string) ([]recipe.Dep, error) {
	job := askingJob(*r, source)
	for i := range r.Extracts {
		x := &r.Extracts[i]
		if !slices.Contains(x.Holds, recipe.Ext(source)) {
			continue
		}
		for _, folder := range []string{"", "../"} {
			if _, err := job.ReadExtracts(folder+x.Files, x.Name); err != nil {
				return nil, err
			}
		}
	}
	return jobs.Deps(job), nil
}

// IsAsked reports whether a dependency is what Asks returns, and so part of the action's ID.
func IsAsked(on dependency.Dependency) bool { return on.Kind == dependency.Extracts }

// ResultID identifies what an action gives when it reads these dependencies,
// which are sorted by name.
func ResultID(id store.ActionID, deps []index.Dep) store.ResultID {
	k := hashing.NewKey("assetcook result 1")
	k.Digest("action", hashing.Digest(id))
	for _, d := range deps {
		if IsAsked(d.On) {
			continue
		}
		k.String("name", dependency.Encode(d.Asked()))
		k.Bool("found", d.Found)
		k.Digest("content", hashing.Digest(d.Blob))
	}
	return store.ResultID(k.Sum())
}

// methodChanges compares an action's method with that of last time, field by
// field.
func (p *planner) methodChanges(a *Action) []Reason {
	old := a.Last.Method
	if slices.Equal(old, a.Method.Fields) {
		return nil
	}
	was := map[string]string{}
	for _, f := range old {
		was[f.Key] = f.Value
	}
	// A recipe of another name has other options; that it is another says all.
	if name := a.Method.Recipe.Name; was[fieldRecipe] != name {
		return []Reason{{Kind: RecipeChanged, Old: was[fieldRecipe], New: name}}
	}
	var reasons []Reason
	change := func(key, from, to string) {
		if key == fieldMachine {
			reasons = append(reasons, machineChange(from, to))
			return
		}
		r := Reason{Kind: OptionChanged, Subject: key, Old: from, New: to}
		if name, ok := ToolOf(index.Field{Key: key}); ok {
			r = Reason{Kind: ToolChanged, Subject: name, Old: shorten(cmp.Or(from, none)), New: shorten(cmp.Or(to, none))}
		} else if key == fieldKind {
			r = Reason{Kind: MachineChanged, Old: from, New: to}
		} else if key == fieldHolder {
			r = Reason{Kind: HolderChanged, Old: from, New: to}
		} else if key == fieldVersion {
			r = Reason{Kind: RecipeVersionChanged, Subject: a.Method.Recipe.Name, Old: from, New: to}
		}
		reasons = append(reasons, r)
	}
	for _, f := range a.Method.Fields {
		before, ok := was[f.Key]
		switch {
		case !ok:
			change(f.Key, none, f.Value)
		case before != f.Value:
			change(f.Key, before, f.Value)
		}
		delete(was, f.Key)
	}
	for _, f := range old {
		if value, ok := was[f.Key]; ok {
			change(f.Key, value, none)
		}
	}
	return reasons
}

// none is said for what is not there.
const none = "none"

// machineChange says which of the machine's libraries are others now: the first, and how many.
func machineChange(from, to string) Reason {
	old, now := librariesOf(from), librariesOf(to)
	both := maps.Clone(old)
	maps.Copy(both, now)
	var changed []string
	for _, library := range slices.Sorted(maps.Keys(both)) {
		if old[library] != now[library] {
			changed = append(changed, library)
		}
	}
	first := changed[0]
	r := Reason{Kind: ToolChanged, Subject: first, Old: cmp.Or(old[first], none), New: cmp.Or(now[first], none)}
	if n := len(changed) - 1; n > 0 {
		r.Subject += fmt.Sprintf(" and %d more", n)
	}
	return r
}

// librariesOf returns the files that the machine's libraries of a field are in.
func librariesOf(value string) map[string]string {
	files := map[string]string{}
	if value == none {
		return files
	}
	for name := range strings.SplitSeq(value, "\n") {
		library, file := program.Named(name)
		files[library] = file
	}
	return files
}

// short is the form of an ID that people are shown.
func short[ID ~[32]byte](id ID) string { return hex.EncodeToString(id[:6]) }

func shorten(id string) string { return id[:min(12, len(id))] }
