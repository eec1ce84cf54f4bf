package assetcook

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// parsePackage parses the files of a package for all systems, without tests.
func parsePackage(t *testing.T, dir string) (*token.FileSet, []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return fset, files
}

// sourceDirs returns the directories of Go packages that match a pattern such as "cook/...".
func sourceDirs(t *testing.T, patterns ...string) []string {
	t.Helper()
	var dirs []string
	for _, pattern := range patterns {
		dir, below := strings.CutSuffix(pattern, "/...")
		globs := []string{dir}
		for depth := dir; below && len(globs) < 6; {
			depth += "/*"
			globs = append(globs, depth)
		}
		for _, g := range globs {
			files, err := filepath.Glob(g + "/*.go")
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if d := filepath.ToSlash(filepath.Dir(f)); !slices.Contains(dirs, d) && !strings.Contains(d, "testdata") {
					dirs = append(dirs, d)
				}
			}
		}
	}
	if len(dirs) == 0 {
		t.Fatalf("no packages in %v", patterns)
	}
	return dirs
}

// TestPublicFaceIsSmall limits the exported names of the cooker's public packages. Their signatures
// and fields may use only types that other modules can import.
func TestPublicFaceIsSmall(t *testing.T) {
	identifiers, lines := 0, 0
	for _, dir := range []string{"cook", "cook/cli", "cook/recipe", "cook/manifest"} {
		fset, files := parsePackage(t, dir)
		for _, f := range files {
			if dir == "cook" {
				lines += fset.Position(f.FileEnd).Line
			}
			hidden := map[string]string{} // names of imported packages that other modules cannot import
			for _, spec := range f.Imports {
				imported, _ := strconv.Unquote(spec.Path.Value)
				if strings.Contains("/"+imported+"/", "/internal/") {
					name := path.Base(imported)
					if spec.Name != nil {
						name = spec.Name.Name
					}
					hidden[name] = imported
				}
			}
			for _, d := range f.Decls {
				for _, e := range exported(d) {
					identifiers++
					ast.Inspect(e.signature, func(n ast.Node) bool {
						if sel, ok := n.(*ast.SelectorExpr); ok {
							if x, ok := sel.X.(*ast.Ident); ok && hidden[x.Name] != "" {
								t.Errorf("%s: %s mentions %s.%s of %s", fset.Position(n.Pos()), e.name, x.Name, sel.Sel.Name, hidden[x.Name])
							}
						}
						return true
					})
				}
			}
		}
	}
	if identifiers == 0 || identifiers > 170 {
		t.Errorf("%d exported identifiers, want at most 170", identifiers)
	}
	if lines == 0 || lines >= 1250 {
		t.Errorf("package cook has %d lines, want fewer than 1250", lines)
	}
}

// TestAliasesListTheirFields expects the documentation of an exported alias to list the fields of
// the internal struct, which readers cannot see otherwise.
func TestAliasesListTheirFields(t *testing.T) {
	seen := 0
	for _, dir := range []string{"cook", "cook/recipe", "cook/manifest", "cook/pak", "cook/reload"} {
		_, files := parsePackage(t, dir)
		for _, f := range files {
			for _, d := range f.Decls {
				gen, ok := d.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, spec := range gen.Specs {
					alias, ok := spec.(*ast.TypeSpec)
					if !ok || !alias.Assign.IsValid() || !alias.Name.IsExported() {
						continue
					}
					sel, ok := alias.Type.(*ast.SelectorExpr)
					if !ok {
						continue
					}
					for _, field := range fieldsOf(t, dirOf(f, sel), sel.Sel.Name) {
						seen++
						if !regexp.MustCompile(`(?m)^\t(\w+, )*` + field + `\b`).MatchString(gen.Doc.Text()) {
							t.Errorf("%s: the comment of %s does not list the field %s", dir, alias.Name.Name, field)
						}
					}
				}
			}
		}
	}
	if seen < 50 {
		t.Errorf("%d fields seen", seen)
	}
}

// dirOf returns the package directory of a qualified name in a file. It returns "" for other
// modules.
func dirOf(f *ast.File, sel *ast.SelectorExpr) string {
	for _, spec := range f.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		dir, ours := strings.CutPrefix(imported, module)
		if ours && path.Base(dir) == sel.X.(*ast.Ident).Name {
			return dir
		}
	}
	return ""
}

// fieldsOf returns the exported fields of a struct. It follows aliases, and returns nil for other
// types.
func fieldsOf(t *testing.T, dir, name string) (fields []string) {
	_, files := parsePackage(t, dir)
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || spec.Name.Name != name {
				return true
			}
			switch typ := spec.Type.(type) {
			case *ast.SelectorExpr:
				fields = fieldsOf(t, dirOf(f, typ), typ.Sel.Name)
			case *ast.StructType:
				for _, field := range typ.Fields.List {
					for _, name := range field.Names {
						if name.IsExported() {
							fields = append(fields, name.Name)
						}
					}
				}
			}
			return false
		})
	}
	return fields
}

// An identifier is an exported name of a package, with the exported parts of its declaration.
type identifier struct {
	name      string
	signature ast.Node
}

func exported(d ast.Decl) (list []identifier) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
			list = append(list, identifier{d.Name.Name, d.Type})
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				switch {
				case !s.Name.IsExported():
				case s.Assign.IsValid(): // only the name of an alias counts, because other modules can use the aliased type
					list = append(list, identifier{s.Name.Name, s.Name})
				default:
					list = append(list, identifier{s.Name.Name, visible(s.Type)})
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() {
						var seen ast.Node = name
						if s.Type != nil {
							seen = s.Type
						}
						list = append(list, identifier{name.Name, seen})
					}
				}
			}
		}
	}
	return list
}

// visible returns a type without the unexported fields of a struct.
func visible(typ ast.Expr) ast.Expr {
	s, ok := typ.(*ast.StructType)
	if !ok {
		return typ
	}
	fields := &ast.FieldList{}
	for _, f := range s.Fields.List {
		if len(f.Names) == 0 || slices.ContainsFunc(f.Names, func(n *ast.Ident) bool { return n.IsExported() }) {
			fields.List = append(fields.List, f)
		}
	}
	return &ast.StructType{Fields: fields}
}

func receiver(d *ast.FuncDecl) string {
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if generic, ok := typ.(*ast.IndexExpr); ok {
		typ = generic.X
	}
	name, _ := typ.(*ast.Ident)
	if name == nil {
		return ""
	}
	return name.Name
}

// commandFlags returns the names of the flags that the packages of cook/cli declare.
func commandFlags(t *testing.T) map[string]bool {
	names := map[string]bool{}
	for _, dir := range sourceDirs(t, "cook/cli/...") {
		_, files := parsePackage(t, dir)
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) < 3 {
					return true
				}
				// The call has the form fs.Var(&value, "name", "usage") or fs.BoolVar(...).
				if sel, ok := call.Fun.(*ast.SelectorExpr); ok && strings.HasSuffix(sel.Sel.Name, "Var") {
					if name, ok := call.Args[1].(*ast.BasicLit); ok {
						text, _ := strconv.Unquote(name.Value)
						names[text] = true
					}
				}
				return true
			})
		}
	}
	if len(names) < 20 || !names["out"] || !names["j"] {
		t.Fatalf("the command's flags are %v", names)
	}
	return names
}

var flagWord = regexp.MustCompile(`(?:^|[^\w-])-([a-z][a-z-]*)`)

// TestNoFlagsInLibraries expects messages of package cook not to mention flags, because other
// programs may lack them. Package cli adds the names of flags.
func TestNoFlagsInLibraries(t *testing.T) {
	flags := commandFlags(t)
	seen := 0
	for _, dir := range sourceDirs(t, "cook", "cook/recipe", "cook/recipe/recipetest", "cook/manifest", "cook/internal/...", "internal/...", "hashing", "profile/...") {
		switch dir {
		case "cook/internal/report", "cook/internal/inspect", "cook/internal/remote/process":
			continue // messages of the command may mention flags
		case "internal/mesh/obj":
			continue // options in MTL files look like flags
		}
		if fits("internal/proof/...", dir) {
			continue // this package passes flags to programs
		}
		fset, files := parsePackage(t, dir)
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				seen++
				text, _ := strconv.Unquote(lit.Value)
				for _, word := range flagWord.FindAllStringSubmatch(text, -1) {
					if flags[word[1]] {
						t.Errorf("%s: %q names the flag -%s", fset.Position(lit.Pos()), text, word[1])
					}
				}
				return true
			})
		}
	}
	if seen < 1000 {
		t.Errorf("%d strings seen", seen)
	}
}

// wide are structs with more fields than allowed elsewhere. They are rows and keys of tables.
var wide = []string{"report.Record", "report.Explained", "rules.Remote", "remote.Stats"}

// TestStructsAreSmall limits the number of fields of structs.
func TestStructsAreSmall(t *testing.T) {
	const most = 12
	seen := 0
	for _, dir := range sourceDirs(t, "cook/internal/...") {
		fset, files := parsePackage(t, dir)
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				s, ok := spec.Type.(*ast.StructType)
				if !ok {
					return true
				}
				seen++
				if n := s.Fields.NumFields(); n > most && !slices.Contains(wide, path.Base(dir)+"."+spec.Name.Name) {
					t.Errorf("%s: %s has %d fields, want at most %d", fset.Position(spec.Pos()), spec.Name.Name, n, most)
				}
				return true
			})
		}
	}
	if seen < 50 {
		t.Errorf("%d structs seen", seen)
	}
}

// long are functions with more lines than allowed elsewhere. They are kernels, whose steps share
// too much state to be split.
var long = []string{"profile/events.appendRecords"}

// TestFunctionsAreShort limits the number of lines, so that a function fits on a screen.
func TestFunctionsAreShort(t *testing.T) {
	const most = 70
	seen := 0
	for _, dir := range sourceDirs(t, "cook/...", "recipes/...", "cmd/...", "internal/...", "profile/...", "hashing", "crcslice8", "intern", "ptrhash") {
		if fits("internal/proof/...", dir) {
			continue
		}
		fset, files := parsePackage(t, dir)
		for _, f := range files {
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Body == nil {
					continue
				}
				seen++
				lines := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line + 1
				if lines > most && !slices.Contains(long, fmt.Sprintf("%s.%s", dir, fn.Name.Name)) {
					t.Errorf("%s: %s has %d lines, want at most %d", fset.Position(fn.Pos()), fn.Name.Name, lines, most)
				}
			}
		}
	}
	if seen < 1000 {
		t.Errorf("%d functions seen", seen)
	}
}

// TestBusyFilesAreRemovedByBusyfile expects only package busyfile and confine.Root to remove or
// replace files, because Windows refuses to remove open files. Tests, proofs and benchmarks are
// exempt.
func TestBusyFilesAreRemovedByBusyfile(t *testing.T) {
	excused := map[string]string{ // reasons by file
		"internal/busyfile/busyfile.go":              "makes the calls that Files repeats",
		"internal/memtemp/memtemp_linux.go":          "serves tests",
		"internal/smokerun/runner.go":                "removes samples that the next measured run writes anew",
		"cook/cli/internal/run/recording.go":         "removes its own open file, where the system lets it",
		"cook/internal/index/multiply/main.go":       "serves benchmarks",
		"cook/internal/peer/serve.go":                "removes sockets",
		"cook/internal/remote/remotetest/execute.go": "serves tests",
	}
	found := map[string]bool{}
	for _, dir := range sourceDirs(t, "cook/...", "recipes/...", "internal/...", "profile/...", "hashing/...", "cmd/...") {
		if fits("internal/proof/...", dir) {
			continue
		}
		fset, files := parsePackage(t, dir)
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				x, ok := sel.X.(*ast.Ident)
				if ok && x.Name == "os" && slices.Contains([]string{"Remove", "RemoveAll", "Rename"}, sel.Sel.Name) {
					at := fset.Position(sel.Pos())
					found[filepath.ToSlash(at.Filename)] = true
					if excused[filepath.ToSlash(at.Filename)] == "" {
						t.Errorf("%v: os.%s; call busyfile, or excuse the file here", at, sel.Sel.Name)
					}
				}
				return true
			})
		}
	}
	for file := range excused {
		if !found[file] {
			t.Errorf("%s needs no excuse", file)
		}
	}
}
