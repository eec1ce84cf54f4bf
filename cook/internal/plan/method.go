package plan

import (
	"encoding/hex"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
)

// A Method is the rules' choice with all that identifies it.
type Method struct {
	*rules.Method
	// Tools are the programs, and the files that belong to them.
	Tools []contents.File
	// Fields are what the action ID hashes, in order.
	Fields index.Method
}

// The keys of fields that are not options. A recipe's own keys are words of
// TOML and cannot start with these.
const (
	fieldRecipe  = "recipe"
	fieldVersion = "recipe version"
	fieldMachine = "recipe machine"
	fieldTool    = "tool "
)

// ToolOf returns the name of the program that a field of a method identifies.
func ToolOf(f index.Field) (name string, ok bool) { return strings.CutPrefix(f.Key, fieldTool) }

// RecipeOf returns the name of the recipe that a method is of.
func RecipeOf(m index.Method) string {
	for _, f := range m {
		if f.Key == fieldRecipe {
			return f.Value
		}
	}
	return ""
}

// Methods identify the choices of rules, each once.
type Methods struct {
	Rules *rules.Set
	// Tool finds a program, or a file that belongs to one.
	Tool  func(name string) (contents.File, error)
	known map[*rules.Method]*Method
	same  map[sameMethod]bool
}

// A sameMethod is a method of the rules and one of the index.
type sameMethod struct {
	chosen *Method
	last   *index.Field // the first
}

// NewMethods returns those of some rules.
func NewMethods(set *rules.Set, tool func(name string) (contents.File, error)) *Methods {
	return &Methods{Rules: set, Tool: tool, known: map[*rules.Method]*Method{}, same: map[sameMethod]bool{}}
}

// Still reports whether the rules come to what a known action was done with: the same
// recipe, options and programs, and the same names of artifacts.
func (m *Methods) Still(row *index.Row) bool {
	path, method := row.Path(), row.Method()
	chosen, err := m.Rules.Method(path, row.Target())
	if err != nil || row.Made() != len(chosen.Outputs) || len(method) == 0 {
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
	for i, t := range chosen.Outputs {
		same = same && row.IsArtifact(i, under(row.Target(), t.Name(path)))
	}
	return same
}

// identify identifies a choice.
func (p *Methods) identify(chosen *rules.Method) (*Method, error) {
	if m, ok := p.known[chosen]; ok {
		return m, nil
	}
	m := &Method{Method: chosen}
	add := func(key, value string) { m.Fields = append(m.Fields, index.Field{Key: key, Value: value}) }
	add(fieldRecipe, chosen.Recipe.Name)
	add(fieldVersion, strconv.Itoa(chosen.Recipe.Version))
	for _, o := range chosen.Options {
		add(o.Key, o.Value)
	}
	if user, ok := chosen.Cooker.(recipe.MachineUser); ok {
		if kind := user.Machine(); kind != "" {
			add(fieldMachine, kind)
		}
	}
	if user, ok := chosen.Cooker.(recipe.ToolUser); ok {
		for _, name := range user.Tools() {
			tool, err := p.Tool(name)
			if err != nil {
				return nil, err
			}
			add(fieldTool+name, tool.Blob.String())
			m.Tools = append(m.Tools, tool)
		}
	}
	p.known[chosen] = m
	return m, nil
}

// salt starts every action ID. It changes when the cooker itself changes what
// it does with a recipe's result.
const salt = "assetcook action 1"

// NewKey returns what action IDs are hashed in, one after the other.
func NewKey() *hashing.Key { return hashing.NewKey(salt) }

func actionID(k *hashing.Key, a *Action, src *contents.File) store.ActionID {
	m := a.Method
	k.Reset(salt)
	for _, f := range m.Fields {
		k.String(f.Key, f.Value)
	}
	k.String("source extension", recipe.Ext(src.Path))
	k.Digest("source", hashing.Digest(src.Blob))
	// Programs look at the extension to know what to write.
	for _, out := range a.Outputs {
		k.String("output extension", path.Ext(out))
	}
	if m.Recipe.Bundles { // it takes what its target has, but for its own outputs
		k.String("target", a.Target)
		for _, out := range a.Outputs {
			k.String("output", out)
		}
	}
	if m.Recipe.UsesPath {
		k.String("source path", src.Path)
	}
	return store.ActionID(k.Sum())
}

// ResultID identifies what an action gives when it reads these dependencies,
// which are sorted by name.
func ResultID(id store.ActionID, deps []index.Dep) store.ResultID {
	k := hashing.NewKey("assetcook result 1")
	k.Digest("action", hashing.Digest(id))
	for _, d := range deps {
		k.String("name", d.Name)
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
		r := Reason{Kind: OptionChanged, Subject: key, Old: from, New: to}
		if name, ok := ToolOf(index.Field{Key: key}); ok {
			r = Reason{Kind: ToolChanged, Subject: name, Old: shorten(from), New: shorten(to)}
		} else if key == fieldMachine {
			r = Reason{Kind: MachineChanged, Old: from, New: to}
		} else if key == fieldVersion {
			r = Reason{Kind: RecipeVersionChanged, Subject: a.Method.Recipe.Name, Old: from, New: to}
		}
		reasons = append(reasons, r)
	}
	for _, f := range a.Method.Fields {
		before, ok := was[f.Key]
		switch {
		case !ok:
			change(f.Key, "none", f.Value)
		case before != f.Value:
			change(f.Key, before, f.Value)
		}
		delete(was, f.Key)
	}
	for _, f := range old {
		if value, ok := was[f.Key]; ok {
			change(f.Key, value, "none")
		}
	}
	return reasons
}

// short is the form of an ID that people are shown.
func short[ID ~[32]byte](id ID) string { return hex.EncodeToString(id[:6]) }

func shorten(id string) string { return id[:min(12, len(id))] }
