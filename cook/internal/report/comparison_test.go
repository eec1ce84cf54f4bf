package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/internal/explain"
	"github.com/assetcook/assetcook/cook/internal/plan"
)

// The documentation lists each part of a key that a comparison can name.
func TestPartsOfKeysAreDocumented(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "../plan/difference.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	add := func(e ast.Expr) {
		if text, ok := e.(*ast.BasicLit); ok {
			part, _ := strconv.Unquote(text.Value)
			parts = append(parts, part)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			if typ, ok := n.Type.(*ast.Ident); ok && typ.Name == "Part" {
				add(n.Values[0])
			}
		case *ast.FuncDecl:
			if n.Name.Name != "partOfDependency" {
				return false
			}
			ast.Inspect(n, func(n ast.Node) bool {
				if r, ok := n.(*ast.ReturnStmt); ok {
					add(r.Results[0])
				}
				return true
			})
		}
		return true
	})
	var documented []string
	for _, o := range Objects() {
		if o.Name == "difference" {
			documented = o.Fields[0].Words
		}
	}
	slices.Sort(parts)
	slices.Sort(documented)
	if d := cmp.Diff(parts, documented); d != "" || len(parts) < 26 {
		t.Errorf("%d parts; fields.txt differs: %s", len(parts), d)
	}
}

// Texts of another directory cannot control the terminal.
func TestComparisonIsHarmless(t *testing.T) {
	var b strings.Builder
	WriteComparison(&b, &explain.Comparison{
		Path: "a\x1b", Target: "t", Against: "B", Text: "failed: \x1b[2J",
		Differences: []plan.Difference{{Part: plan.PartOption, Subject: "k\x1b", Here: "1", There: "\x1b[31m\n2"}},
	})
	want := `"a\x1b" [t]: failed: \x1b[2J` + "\n" + `"a\x1b" [t]: option "k\x1b": 1 here, "\x1b[31m\n2" in B` + "\n"
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}
