package assetcook

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A declaredType is a type of this module. It has its declared fields, and the types that it embeds
// or is defined by.
type declaredType struct {
	fields  []string
	methods []string
	embeds  []string // keys in the form of typeKey
}

// typeKey returns a key for a type: the directory of its package, and its name.
func typeKey(dir, name string) string { return dir + "." + name }

// declarations counts the declarations of all packages except tests and nested modules.
type declarations struct {
	types    map[string]*declaredType
	declared map[string]int // number of declarations of each unexported name
	funcs    map[string]int // number of declarations of each function or method
	exported map[string]int // number of exported names by directory, outside of internal
}

func readModule(t *testing.T) declarations {
	t.Helper()
	m := declarations{map[string]*declaredType{}, map[string]int{}, map[string]int{}, map[string]int{}}
	for _, dir := range sourceDirs(t, "cook/...", "recipes/...", "cmd/...", "internal/...", "profile/...",
		"hashing/...", "crcslice8", "intern", "ptrhash", "bench/...", "proof/...", "examples/...", "docs/...") {
		_, files := parsePackage(t, dir)
		for _, f := range files {
			imports := importsOf(f)
			for _, d := range f.Decls {
				m.addDecl(dir, imports, d, f.Name.Name != "main" && !strings.Contains("/"+dir+"/", "/internal/") && !strings.HasPrefix(dir+"/", "bench/"))
			}
		}
	}
	if len(m.types) < 1000 || len(m.funcs) < 3000 {
		t.Fatalf("%d types and %d functions seen", len(m.types), len(m.funcs))
	}
	return m
}

// importsOf maps the names of imported packages of this module to their directories.
func importsOf(f *ast.File) map[string]string {
	imports := map[string]string{}
	for _, spec := range f.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		if dir, ok := strings.CutPrefix(imported, module); ok {
			name := path.Base(dir)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			imports[name] = dir
		}
	}
	return imports
}

func (m declarations) typeOf(key string) *declaredType {
	if m.types[key] == nil {
		m.types[key] = &declaredType{}
	}
	return m.types[key]
}

func (m declarations) addDecl(dir string, imports map[string]string, d ast.Decl, public bool) {
	count := func(name string) {
		if !ast.IsExported(name) && name != "_" && name != "init" && name != "main" {
			m.declared[name]++
		}
	}
	if public {
		m.exported[dir] += len(exported(d))
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		m.funcs[d.Name.Name]++
		count(d.Name.Name)
		if d.Recv != nil {
			of := m.typeOf(typeKey(dir, receiver(d)))
			of.methods = append(of.methods, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				count(s.Name.Name)
				m.addType(typeKey(dir, s.Name.Name), dir, imports, s)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					count(name.Name)
				}
			}
		}
	}
}

func (m declarations) addType(key, dir string, imports map[string]string, s *ast.TypeSpec) {
	of := m.typeOf(key)
	switch typ := s.Type.(type) {
	case *ast.StructType:
		for _, f := range typ.Fields.List {
			for _, name := range f.Names {
				of.fields = append(of.fields, name.Name)
			}
			if len(f.Names) == 0 {
				embedded, name := resolve(dir, imports, f.Type)
				of.fields = append(of.fields, name)
				of.embeds = append(of.embeds, embedded)
			}
		}
	case *ast.InterfaceType:
		for _, f := range typ.Methods.List {
			for _, name := range f.Names {
				of.methods = append(of.methods, name.Name)
			}
		}
	}
}

// resolve returns the key of an embedded type, and the name of its field.
func resolve(dir string, imports map[string]string, typ ast.Expr) (key, name string) {
	switch typ := typ.(type) {
	case *ast.StarExpr:
		return resolve(dir, imports, typ.X)
	case *ast.IndexExpr:
		return resolve(dir, imports, typ.X)
	case *ast.Ident:
		return typeKey(dir, typ.Name), typ.Name
	case *ast.SelectorExpr:
		if x, ok := typ.X.(*ast.Ident); ok {
			return typeKey(imports[x.Name], typ.Sel.Name), typ.Sel.Name
		}
	}
	return "", ""
}

// reach returns the fields and methods of a type, including embedded ones. Hidden names do not
// count.
func (m declarations) reach(key string) (fields, methods []string) {
	seen := map[string]bool{}
	for next := []string{key}; len(next) > 0; {
		var deeper []string
		for _, k := range next {
			of := m.types[k]
			if of == nil || seen[k] {
				continue
			}
			seen[k] = true
			fields, methods = append(fields, of.fields...), append(methods, of.methods...)
			deeper = append(deeper, of.embeds...)
		}
		next = deeper
	}
	slices.Sort(fields)
	slices.Sort(methods)
	return slices.Compact(fields), slices.Compact(methods)
}

// reaching has the types that still exceed the limits of [TestEmbeddingHidesNoLargeStructs], with
// their numbers of fields and methods. Numbers may only decrease.
var reaching = map[string][2]int{
	"cook/recipe.Job": {5, 35}, // a permanent exception, which documents on one page everything that Cook may do
}

// TestEmbeddingHidesNoLargeStructs counts the fields and methods of embedded structs as part of the
// embedding struct.
func TestEmbeddingHidesNoLargeStructs(t *testing.T) {
	const mostFields, mostMethods = 15, 25
	m := readModule(t)
	for key := range m.types {
		if !strings.HasPrefix(key, "cook/") || slices.Contains(wide, path.Base(key)) {
			continue
		}
		fields, methods := m.reach(key)
		most, known := reaching[key]
		if !known {
			most = [2]int{mostFields, mostMethods}
		}
		if len(fields) > most[0] || len(methods) > most[1] {
			t.Errorf("%q: {%d, %d}, // reachable fields and methods; want at most %v", key, len(fields), len(methods), most)
		}
		if known && len(fields) <= mostFields && len(methods) <= mostMethods {
			t.Errorf("remove %q from reaching: it is small now", key)
		}
	}
	for key := range reaching {
		if m.types[key] == nil {
			t.Errorf("remove %q from reaching: the type does not exist", key)
		}
	}
}

// uniqueFunctions is the minimum percentage of function names that occur only once.
const uniqueFunctions = 72

// TestNamesCanBeFound limits the number of functions with the same name, so that a search for a
// name finds its declaration.
func TestNamesCanBeFound(t *testing.T) {
	const most = 20
	m := readModule(t)
	for name, n := range m.declared {
		if n > most {
			t.Errorf("%s is declared %d times, want at most %d; say in the name what the function does", name, n, most)
		}
	}
	once, all := 0, 0
	for _, n := range m.funcs {
		all += n
		if n == 1 {
			once++
		}
	}
	if share := 100 * once / all; share < uniqueFunctions {
		t.Errorf("%d of %d functions (%d %%) have unique names, want %d %%", once, all, share, uniqueFunctions)
	}
}

// exportedNames is the maximum number of exported names outside of internal, including methods. It
// may only decrease.
const exportedNames = 591

func TestExportedNamesBecomeFewer(t *testing.T) {
	m := readModule(t)
	total, list := 0, []string{}
	for dir, n := range m.exported {
		total += n
		list = append(list, fmt.Sprintf("%4d %s", n, dir))
	}
	if total > exportedNames {
		slices.Sort(list)
		slices.Reverse(list)
		t.Errorf("%d exported names, want at most %d:\n%s", total, exportedNames, strings.Join(list, "\n"))
	}
}

// withoutExample are public packages whose documentation needs no example.
var withoutExample = []string{
	"examples/hotreload/game",                        // the package is itself an example
	"profile/events/command", "profile/view/command", // packages of commands
}

func TestPublicPackagesHaveExamples(t *testing.T) {
	seen := 0
	for dir, n := range readModule(t).exported {
		if n == 0 {
			continue
		}
		seen++
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		has := slices.ContainsFunc(files, func(name string) bool {
			text, err := os.ReadFile(name)
			return err == nil && strings.Contains(string(text), "\nfunc Example")
		})
		if has == slices.Contains(withoutExample, dir) {
			t.Errorf("%s: has an example: %v", dir, has)
		}
	}
	if seen < 20 {
		t.Errorf("%d packages seen", seen)
	}
}
