package plan

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/hashname"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/rules"
)

// A Method is a method of the rules with everything that identifies it.
type Method struct {
	Choice *rules.Method   // the recipe with its options
	First  *Method         // first step of a chain; nil if the method is no chain
	Next   []*Method       // method of the next step for each output of First; nil for a final output
	Tools  []contents.File // programs, their interpreters and libraries
	// Fields are hashed for the action ID, in this order.
	Fields index.Method
}

// These are keys of fields that are not options. They start with characters that no option name can
// start with.
const (
	fieldRecipe  = "recipe"
	fieldVersion = "recipe version"
	fieldKind    = "recipe machine"
	fieldHolder  = "held by recipe"
	fieldTool    = "tool "
	fieldLibrary = "library " // prefix of the field of a tool's library
	fieldMachine = "libraries of the machine"
	fieldPrinted = "version by " // prefix of the field of a version command's output
	fieldLinked  = "{hash}"      // set if outputs name other outputs with {hash}
)

// A Tool is a program that a method names, with its interpreter and libraries; see package
// program.
type Tool struct {
	contents.File
	Interpreter string
	Libraries   []contents.File
	Machine     []string
}

// ToolOf returns the name of the program or library that a field of a method identifies. The
// value of the field is empty if the file was absent.
func ToolOf(f index.Field) (name string, ok bool) {
	if name, ok = strings.CutPrefix(f.Key, fieldTool); !ok {
		name, ok = strings.CutPrefix(f.Key, fieldLibrary)
	}
	return name, ok
}

// MachineOf returns the names of the system libraries in a field of a method. ok is false for any
// other field. See program.Machine.
func MachineOf(f index.Field) (names []string, ok bool) {
	if f.Key != fieldMachine {
		return nil, false
	}
	return strings.Split(f.Value, "\n"), true
}

// A VersionQuestion requests the output of a version command.
type VersionQuestion struct {
	Field    string        // key of the field that holds the output
	Tools    []index.Field // programs and libraries of the method
	Confined bool          // the command changes nothing outside its scratch directory
	Run      func(ctx context.Context, assets string) (string, error)
}

// Answer returns the output of the version command that a method of the index recorded. ok is false
// if that method had other programs or libraries.
func (q VersionQuestion) Answer(m index.Method) (text string, ok bool) {
	for _, f := range q.Tools {
		if !slices.Contains(m, f) {
			return "", false
		}
	}
	for _, f := range m {
		if f.Key == q.Field {
			return f.Value, true
		}
	}
	return "", false
}

// RecipeOf returns the name of a method's recipe.
func RecipeOf(m index.Method) string {
	for _, f := range m {
		if f.Key == fieldRecipe {
			return f.Value
		}
	}
	return ""
}

// AnyRecipe reports whether the name of any recipe of a method satisfies the given function. The
// recipes of all steps of a chain are included.
func AnyRecipe(m index.Method, is func(name string) bool) bool {
	return slices.ContainsFunc(m, func(f index.Field) bool {
		return (f.Key == fieldRecipe || strings.HasPrefix(f.Key, fieldRecipe+rules.Of)) && is(f.Value)
	})
}

// Methods identifies the methods of the rules, each once.
type Methods struct {
	Rules *rules.Set
	Tool  func(name string) (Tool, error) // finds a program by its name
	Print func(VersionQuestion) (string, error)
	known map[*rules.Method]*Method
	same  map[sameMethod]bool
}

// A sameMethod is the key of a comparison: a method of the rules and a method of the index.
type sameMethod struct {
	chosen *Method
	last   *index.Field // the first field of the method in the index
}

// NewMethods returns the methods of some rules. tool finds programs; version returns the
// outputs of version commands.
func NewMethods(set *rules.Set, tool func(name string) (Tool, error), version func(VersionQuestion) (string, error)) *Methods {
	return &Methods{Rules: set, Tool: tool, Print: version, known: map[*rules.Method]*Method{}, same: map[sameMethod]bool{}}
}

// Still reports whether the rules still give a known action the same recipe, options, programs and
// output names. It returns false if artifacts of other sources may contain the source, because the
// result then depends on more rules.
func (m *Methods) Still(row *index.Row) bool {
	_, _, same := m.sameMethodOf(row, row.Path())
	return same
}

// sameMethodOf returns the method of a known action's source, and the names of its outputs without
// the directory of the target. same is the result of Still.
func (m *Methods) sameMethodOf(row *index.Row, path string) (now *Method, names []string, same bool) {
	method := row.Method()
	chosen, err := m.Rules.Method(path, row.Target())
	if err != nil || len(method) == 0 {
		return nil, nil, false
	}
	names = chosen.Names(path)
	if row.Made() != len(names) || chosen.Holder() != nil { // artifacts of other sources may contain this source
		return nil, nil, false
	}
	if now, err = m.Of(chosen); err != nil {
		return nil, nil, false
	}
	pair := sameMethod{now, &method[0]}
	same, ok := m.same[pair]
	if !ok {
		same = slices.Equal(now.Fields, method)
		m.same[pair] = same
	}
	for i, name := range names {
		name = underTarget(row.Target(), name)
		if chosen.Hashed() {
			if n, ok := hashname.Parse(row.Target(), name); ok {
				name = n.With(hashname.Digits(row.Output(i).Blob))
			}
		}
		same = same && row.IsArtifact(i, name)
	}
	return now, names, same
}

// Of identifies a method of the rules.
func (p *Methods) Of(chosen *rules.Method) (*Method, error) {
	if m, ok := p.known[chosen]; ok {
		return m, nil
	}
	m := &Method{Choice: chosen}
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
	if chosen.Hashed() && chosen.NamesOutputs() {
		add(fieldLinked, "in names that outputs contain")
	}
	if len(kinds) > 0 {
		add(fieldKind, strings.Join(kinds, ", "))
	}
	options := len(m.Fields)
	if err := p.identifyTools(m, tools); err != nil {
		return nil, err
	}
	if err := p.identifyVersions(m, m.Fields[options:len(m.Fields):len(m.Fields)]); err != nil {
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

// identifySteps identifies the methods of a chain's steps.
func (p *Methods) identifySteps(m *Method) (err error) {
	if m.First, err = p.Of(m.Choice.Alone); err != nil {
		return err
	}
	m.Next = make([]*Method, len(m.Choice.Then))
	for i, next := range m.Choice.Then {
		if next != nil {
			if m.Next[i], err = p.Of(next); err != nil {
				return err
			}
		}
	}
	return nil
}

// identifyTools adds the programs of a method, with their interpreters and libraries.
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
		if asked <= 0 && errors.Is(err, fs.ErrNotExist) { // the program may work without this interpreter
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

// identifyVersions adds the outputs of version commands. found holds the fields of the
// programs.
func (p *Methods) identifyVersions(m *Method, found []index.Field) error {
	for step := range m.Choice.Steps("") {
		traits := step.Traits()
		if traits.Version == nil {
			continue
		}
		key := fieldPrinted + strings.Join(traits.VersionCommand, " ") + step.Of
		text, err := p.Print(VersionQuestion{key, found, traits.Confined != nil && traits.Confined(), traits.Version})
		if err != nil {
			return err
		}
		m.Fields = append(m.Fields, index.Field{Key: key, Value: text})
	}
	return nil
}

// methodOutputs returns the paths of a method's outputs.
func methodOutputs(m *Method, path, target string) []string {
	list := m.Choice.Names(path)
	for i, name := range list {
		list[i] = underTarget(target, name)
	}
	return list
}

// underTarget returns the path of an output in the directory of its target.
func underTarget(target, name string) string {
	if target == "" {
		return name
	}
	return target + "/" + name
}
