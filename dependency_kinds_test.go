package assetcook

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// kindsOfDependencies returns the names of the kinds declared in package dependency.
func kindsOfDependencies(t *testing.T) (kinds []string) {
	_, files := parsePackage(t, "internal/dependency")
	for _, f := range files {
		for _, d := range f.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.CONST {
				continue
			}
			if typ, ok := gen.Specs[0].(*ast.ValueSpec).Type.(*ast.Ident); !ok || typ.Name != "Kind" {
				continue
			}
			for _, spec := range gen.Specs {
				if name := spec.(*ast.ValueSpec).Names[0]; name.IsExported() {
					kinds = append(kinds, name.Name)
				}
			}
		}
	}
	return kinds
}

// ofDependency returns the name that an expression uses from package dependency, or "".
func ofDependency(n ast.Node, in string) string {
	switch n := n.(type) {
	case *ast.Ident:
		if in == "internal/dependency" {
			return n.Name
		}
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok && x.Name == "dependency" {
			return n.Sel.Name
		}
	}
	return ""
}

// TestSwitchesHaveAllKindsOfDependencies expects each switch over the kinds of dependencies to list
// every kind once, without a default, which would hide a new kind.
func TestSwitchesHaveAllKindsOfDependencies(t *testing.T) {
	kinds := kindsOfDependencies(t)
	switches := 0
	for _, dir := range sourceDirs(t, "cook/...", "internal/dependency", "recipes/...") {
		fset, files := parsePackage(t, dir)
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				s, ok := n.(*ast.SwitchStmt)
				if !ok || s.Tag == nil {
					return true
				}
				var seen []string
				other := false
				for _, c := range s.Body.List {
					list := c.(*ast.CaseClause).List
					other = other || list == nil
					for _, e := range list {
						if name := ofDependency(e, dir); slices.Contains(kinds, name) {
							seen = append(seen, name)
						}
					}
				}
				if len(seen) == 0 {
					return true
				}
				switches++
				for _, kind := range kinds {
					if !slices.Contains(seen, kind) {
						t.Errorf("%s: no case of dependency.%s", fset.Position(s.Pos()), kind)
					}
				}
				if other || len(seen) != len(kinds) {
					t.Errorf("%s: cases %s, default %v", fset.Position(s.Pos()), strings.Join(seen, ", "), other)
				}
				return true
			})
		}
	}
	if len(kinds) != 12 || switches < 8 {
		t.Errorf("%d kinds, %d switches", len(kinds), switches)
	}
}

// TestOnlyIndexStoreAndKeysEncodeDependencies expects dependencies to be encoded as text only in
// packages that store or hash them.
func TestOnlyIndexStoreAndKeysEncodeDependencies(t *testing.T) {
	seen := map[string]bool{}
	for _, dir := range sourceDirs(t, "cook/...", "recipes/...", "internal/...") {
		if dir == "internal/dependency" {
			continue
		}
		_, files := parsePackage(t, dir)
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				if name := ofDependency(n, dir); name == "Encode" || name == "Decode" {
					seen[dir] = true
				}
				return true
			})
		}
	}
	if len(seen) != 3 || !seen["cook/internal/index"] || !seen["cook/internal/store"] || !seen["cook/internal/plan"] {
		t.Errorf("packages that encode dependencies: %v", seen)
	}
}
