package recipetest

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe"
)

// heard is a test that notes what is reported.
type heard struct {
	testing.TB
	lines []string
}

func (*heard) Helper()                          {}
func (h *heard) Error(args ...any)              { h.lines = append(h.lines, fmt.Sprint(args...)) }
func (h *heard) Errorf(format string, a ...any) { h.lines = append(h.lines, fmt.Sprintf(format, a...)) }

type plain struct {
	Level int    `toml:"level" doc:"a level"`
	Title string `toml:"title" doc:"a title" unkeyed:"is only printed"`
}

func (*plain) Outputs() []string                       { return []string{"{path}"} }
func (*plain) Cook(context.Context, *recipe.Job) error { return nil }

type right struct{ plain }

func (*right) Check() error                                           { return nil }
func (*right) Estimate([]byte, int64) (int64, error)                  { return 0, nil }
func (*right) Lint(string, []byte, int64) []string                    { return nil }
func (*right) Explain(context.Context, *recipe.Job) ([]string, error) { return nil, nil }
func (*right) UsesPath() bool                                         { return false }
func (*right) Tools() []string                                        { return nil }
func (*right) Machine() string                                        { return "" }

type wrong struct {
	A int `toml:"a" doc:"a number"`
}

func (*wrong) Outputs() []string                       { return nil }
func (*wrong) Cook(context.Context, *recipe.Job) error { return nil }
func (*wrong) Check() bool                             { return true }
func (*wrong) Estimate(int64) (int64, error)           { return 0, nil }
func (*wrong) Lint([]byte) []string                    { return nil }
func (*wrong) Explain(*recipe.Job) []string            { return nil }
func (*wrong) UsesPath() string                        { return "" }
func (*wrong) Tools() string                           { return "" }
func (wrong) Machine() (string, error)                 { return "", nil }

type silent struct {
	A int `toml:"a"`
}

func (*silent) Outputs() []string                       { return nil }
func (*silent) Cook(context.Context, *recipe.Job) error { return nil }

func TestCheck(t *testing.T) {
	fresh := func(c recipe.Cooker) recipe.Recipe {
		return recipe.Recipe{Name: "x", Version: 1, New: func() recipe.Cooker { return c }}
	}
	values := map[string]any{"level": int64(1), "title": "a", "a": int64(1)}
	for _, tc := range []struct {
		name  string
		r     recipe.Recipe
		other map[string]any
		want  []string
	}{
		{"plain", recipe.Recipe{Name: "x", Version: 1, New: func() recipe.Cooker { return &plain{} }}, values, nil},
		{"no value", recipe.Recipe{Name: "x", Version: 1, New: func() recipe.Cooker { return &plain{} }}, map[string]any{"title": "a"}, []string{"x: no other value given for option level"}},
		{"same value", recipe.Recipe{Name: "x", Version: 1, New: func() recipe.Cooker { return &plain{Level: 1} }}, values, []string{"x: option level: changes the fingerprint: false, excused: false"}},
		{"no set", recipe.Recipe{Name: "x", Version: 1}, nil, []string{`recipe "x": the New function is nil`}},
		{"no doc", recipe.Recipe{Name: "x", Version: 1, New: func() recipe.Cooker { return &silent{} }}, values, []string{"x: option a has no doc for cook help"}},
		{"wrong methods", recipe.Recipe{Name: "x", Version: 1, New: func() recipe.Cooker { return &wrong{} }}, values, []string{
			"x: method Check is a func() bool and is not called: want func() error, as recipe.Checker has it",
			"x: method Estimate is a func(int64) (int64, error) and is not called: want func([]uint8, int64) (int64, error), as recipe.Estimator has it",
			"x: method Lint is a func([]uint8) []string and is not called: want func(string, []uint8, int64) []string, as recipe.Linter has it",
			"x: method Explain is a func(*recipe.Job) []string and is not called: want func(context.Context, *recipe.Job) ([]string, error), as recipe.Explainer has it",
			"x: method UsesPath is a func() string and is not called: want func() bool, as recipe.PathUser has it",
			"x: method Tools is a func() string and is not called: want func() []string, as recipe.ToolUser has it",
			"x: method Machine is a func() (string, error) and is not called: want func() string, as recipe.MachineUser has it",
		}},
	} {
		h := &heard{TB: t}
		Check(h, tc.r, tc.other)
		if !slices.Equal(h.lines, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, h.lines, tc.want)
		}
	}
	h := &heard{TB: t}
	if checkMethods(h, fresh(&right{})); h.lines != nil {
		t.Errorf("right methods: %q", h.lines)
	}
}

// Every optional interface of package recipe is checked, and its doc comment lists it.
func TestOptionalIsComplete(t *testing.T) {
	files, err := filepath.Glob("../*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var names []string
	doc := ""
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		doc += file.Doc.Text()
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Name != "Cooker" {
				if _, ok := spec.Type.(*ast.InterfaceType); ok {
					names = append(names, spec.Name.Name)
				}
			}
			return true
		})
	}
	if len(names) != len(optional) {
		t.Errorf("package recipe has the interfaces %q, of which %d are checked", names, len(optional))
	}
	for _, o := range optional {
		if line := "\t" + o.Method(0).Name; !slices.Contains(names, o.Name()) || o.NumMethod() != 1 ||
			!slices.ContainsFunc(strings.Split(doc, "\n"), func(s string) bool {
				words := strings.Fields(s)
				return strings.HasPrefix(s, line) && words[0] == o.Method(0).Name && words[1] == o.Name()
			}) {
			t.Errorf("%s: not in the table of package recipe", o.Name())
		}
	}
}
