package plan

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/hashname"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/dependency"
)

// twoSides returns an action that is up to date, and the equal action of another machine.
func twoSides(t *testing.T) (here *Action, there *index.Action) {
	t.Helper()
	w := newWorld(map[string]store.BlobID{"a": blob(1)})
	w.config = "[[rule]]\nmatch = \"a\"\nlevel = 2\ntool = [\"script\"]"
	script := tool("/w/script", 2)
	script.Libraries = []contents.File{tool("/opt/lib/one.so", 4).File}
	script.Machine = []string{"libc.so.6"}
	w.tools = map[string]Tool{"script": script}
	w.cooked(t, nil)
	here = &w.plan(t).Actions[0]
	recorded := *here.Last.Action
	recorded.Method, recorded.Made = slices.Clone(recorded.Method), slices.Clone(recorded.Made)
	return here, &recorded
}

// lines returns the differences of two sides. present has the files that exist here.
func lines(here *Action, there *index.Action, present map[dependency.Dependency]store.BlobID) (list []string) {
	for _, d := range CompareKeys(here, there, func(on dependency.Dependency) contents.File {
		if b, ok := present[on]; ok {
			return contents.File{Path: on.Path, Blob: b, How: contents.ByStamp}
		}
		return contents.File{Path: on.Path}
	}) {
		list = append(list, d.InWords("B"))
	}
	return list
}

// fieldNames returns the constants in method.go that name fields of a method.
func fieldNames(t *testing.T) map[string]string {
	t.Helper()
	fields := map[string]string{}
	for _, d := range parsed(t, "method.go").Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.CONST {
			continue
		}
		for _, spec := range gen.Specs {
			s := spec.(*ast.ValueSpec)
			if strings.HasPrefix(s.Names[0].Name, "field") {
				fields[s.Names[0].Name], _ = strconv.Unquote(s.Values[0].(*ast.BasicLit).Value)
			}
		}
	}
	return fields
}

func parsed(t *testing.T, name string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A part of a method that differs is named with both values. The table must have each constant that
// names a field, so that a new kind of field gets a part.
func TestEachPartOfMethodIsNamed(t *testing.T) {
	table := map[string]struct {
		key  string // key of the field; "" for the constant itself
		want string
	}{
		"fieldRecipe":  {"", "recipe: copy here, other in B"},
		"fieldVersion": {"", "recipe version: 1 here, other in B"},
		"fieldKind":    {"", "kind of machine: none here, other in B"},
		"fieldHolder":  {"", "holder: none here, other in B"},
		"fieldTool":    {"tool script", "program script: 020000000000 here, other in B"},
		"fieldLibrary": {"library /opt/lib/one.so", "library /opt/lib/one.so: 040000000000 here, other in B"},
		"fieldMachine": {"", "system library libc.so.6 and 1 more: libc.so.6 here, none in B"},
		"fieldPrinted": {"version by x --version", "program version x --version: none here, other in B"},
		"fieldLinked":  {"", "hashed names: none here, other in B"},
		"an option":    {"level", "option level: 2 here (cook.toml:3), other in B"},
	}
	fields := fieldNames(t)
	for name := range fields {
		if _, ok := table[name]; !ok {
			t.Errorf("the table lacks %s; give it a part in partOfField", name)
		}
	}
	if len(fields) != len(table)-1 {
		t.Errorf("%d fields, %d rows", len(fields), len(table))
	}
	for name, row := range table {
		here, there := twoSides(t)
		key := row.key
		if key == "" {
			key = fields[name]
		}
		if i := slices.IndexFunc(there.Method, func(f index.Field) bool { return f.Key == key }); i >= 0 {
			there.Method[i].Value = "other"
		} else {
			there.Method = append(there.Method, index.Field{Key: key, Value: "other"})
		}
		if d := cmp.Diff([]string{row.want}, lines(here, there, nil)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	for key, want := range map[string][2]string{
		"recipe of png": {"recipe", "png"}, "recipe version of png": {"recipe version", "png"}, "level of png": {"option", "level of png"},
	} {
		if part, subject := partOfField(key); part != Part(want[0]) || subject != want[1] {
			t.Errorf("%s is %s %s, want %s", key, part, subject, want)
		}
	}
}

// A dependency that differs is named with both contents, for each kind of dependency.
func TestEachKindOfDependencyIsNamed(t *testing.T) {
	seen := map[Part]bool{}
	partOfKind := func(k dependency.Kind) Part { part, _ := partOfDependency(dependency.Dependency{Kind: k}); return part }
	for _, tc := range []struct {
		on         dependency.Dependency
		want, gone string
	}{
		{dependency.OfFile("p.json"), "file p.json: 070000000000 here, 050000000000 in B", "file p.json: absent here, 050000000000 in B"},
		{dependency.Dependency{Kind: dependency.Presence, Path: "p"}, "", "presence of file p: absent here, present in B"},
		{dependency.Dependency{Kind: dependency.Link, Path: "p"}, "target of link p: 070000000000 here, 050000000000 in B", "target of link p: absent here, 050000000000 in B"},
		{dependency.Dependency{Kind: dependency.Folder, Path: "p"}, "", "presence of directory p: absent here, present in B"},
		{dependency.Dependency{Kind: dependency.Entries, Path: "p"}, "names in directory p/: 070000000000 here, 050000000000 in B", "names in directory p/: absent here, 050000000000 in B"},
		{dependency.OfNames("p", "*.x", false), "names of files p/*.x: 070000000000 here, 050000000000 in B", "names of files p/*.x: absent here, 050000000000 in B"},
		{dependency.OfNames("p", "*", true), "names of directories p/*/: 070000000000 here, 050000000000 in B", "names of directories p/*/: absent here, 050000000000 in B"},
		{dependency.Dependency{Kind: dependency.Extract, Path: "p.glb", Function: "m.1"}, "data of file p.glb (m): 070000000000 here, 050000000000 in B", "data of file p.glb (m): absent here, 050000000000 in B"},
		{dependency.Dependency{Kind: dependency.Extracts, Path: "p", Pattern: "*.glb", Function: "m.1", Subject: "a"}, "data of files p/*.glb (m): 070000000000 here, 050000000000 in B", "data of files p/*.glb (m): absent here, 050000000000 in B"},
		{dependency.OfArtifacts(dependency.Artifacts, "", []string{"**"}), "artifacts **: 070000000000 here, 050000000000 in B", "artifacts **: absent here, 050000000000 in B"},
		{dependency.OfArtifacts(dependency.IDs, "", []string{"**"}), "asset IDs **: 070000000000 here, 050000000000 in B", "asset IDs **: absent here, 050000000000 in B"},
		{dependency.OfName("", "t.png", hashname.Planned("t.", ".png")), "name of artifact t.png: t.0700000000000000.png here, t.0500000000000000.png in B", "name of artifact t.png: absent here, t.0500000000000000.png in B"},
	} {
		seen[partOfKind(tc.on.Kind)] = true
		here, there := twoSides(t)
		there.Deps = []index.Dep{Dependency("name", tc.on, contents.File{Blob: blob(5), How: contents.ByStamp})}
		for want, present := range map[string]map[dependency.Dependency]store.BlobID{tc.want: {tc.on: blob(7)}, tc.gone: nil, "": {tc.on: blob(5)}} {
			if got := strings.Join(lines(here, there, present), "\n"); got != want && !(want == "" && tc.want == "") {
				t.Errorf("%s: %q, want %q", tc.on, got, want)
			}
		}
		there.Deps[0].Found = false
		if got := lines(here, there, map[dependency.Dependency]store.BlobID{tc.on: blob(7)}); len(got) != 1 || !strings.HasSuffix(got[0], " here, absent in B") {
			t.Errorf("%s: %q, want absent in B", tc.on, got)
		}
	}
	for k := dependency.Kind(0); int(k) < len(seen) || k == 0; k++ {
		if !seen[partOfKind(k)] {
			t.Errorf("the table lacks kind %d", k)
		}
	}
	defer func() {
		if recover() == nil {
			t.Errorf("kind %d has a part, but the table has only %d kinds", len(seen), len(seen))
		}
	}()
	partOfKind(dependency.Kind(len(seen)))
}

func TestOtherPartsAreNamed(t *testing.T) {
	for _, tc := range []struct {
		name string
		edit func(here *Action, there *index.Action)
		want []string
	}{
		{"nothing", func(here *Action, there *index.Action) {}, nil},
		{"source", func(here *Action, there *index.Action) { there.Source = blob(9) }, []string{"source: 010000000000 here, 090000000000 in B"}},
		{"two parts", func(here *Action, there *index.Action) {
			there.Source, there.Deps = blob(9), []index.Dep{{On: dependency.OfFile("p"), Blob: blob(5), Found: true}}
		}, []string{"source: 010000000000 here, 090000000000 in B", "file p: absent here, 050000000000 in B"}},
		{"output name", func(here *Action, there *index.Action) { there.Made[0].Path = "x/a.out" }, []string{"outputs: a.out here, x/a.out in B"}},
		{"number of outputs", func(here *Action, there *index.Action) { there.Made = nil }, []string{"outputs: a.out here, none in B"}},
		{"failure", func(here *Action, there *index.Action) { there.Made, there.State = nil, index.Failed }, nil},
		{"computing of keys", func(here *Action, there *index.Action) { there.ID = store.ActionID{9} }, []string{
			"version of cook: key " + shortIDOf(t) + " here, key 090000000000 in B"}},
		{"unknown ID", func(here *Action, there *index.Action) { there.ID = store.ActionID{} }, nil},
		{"artifact", func(here *Action, there *index.Action) { there.Made[0].Blob = blob(9) }, []string{
			"artifact a.out: 010063000000 here, 090000000000 in B, although all inputs are equal: the recipe is not deterministic; run cook verify"}},
		{"artifact before the next cook", func(here *Action, there *index.Action) { there.Made[0].Blob, here.State = blob(9), Runs }, nil},
		{"end of digests", func(here *Action, there *index.Action) { there.Source[31] = 1 }, nil},
	} {
		here, there := twoSides(t)
		tc.edit(here, there)
		if d := cmp.Diff(tc.want, lines(here, there, nil)); d != "" {
			t.Errorf("%s: %s", tc.name, d)
		}
	}
}

func shortIDOf(t *testing.T) string {
	here, _ := twoSides(t)
	return shortID(here.ID)
}

// Each field that a key hashes must be explained by a part, or by the names of the outputs, which
// are the only other input that differs between actions for one source and target.
func TestEachFieldOfKeysHasPart(t *testing.T) {
	explained := map[string]Part{
		"f.Value": "the fields of the method", "source": PartSource, "asked": "a dependency", "found": "a dependency", "said": "a dependency",
		"action": "the action ID", "content": "a dependency",
		"output extension": PartOutputs, "output": PartOutputs, "made extension": PartOption, "made folder": PartOption,
		"folder": PartOutputs, "name": PartOutputs,
		"source extension": "the asset", "source path": "the asset", "target": "the target",
	}
	seen := map[string]bool{}
	ast.Inspect(parsed(t, "action_id.go"), func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 2 {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if on, ok := method.X.(*ast.Ident); !ok || on.Name != "k" {
			return true
		}
		tag := "f.Value"
		if text, ok := call.Args[0].(*ast.BasicLit); ok {
			tag, _ = strconv.Unquote(text.Value)
		}
		seen[tag] = true
		if explained[tag] == "" {
			t.Errorf("a key has the new field %q; say in CompareKeys which part it is", tag)
		}
		return true
	})
	if d := cmp.Diff(slices.Sorted(maps.Keys(explained)), slices.Sorted(maps.Keys(seen))); d != "" {
		t.Error(d)
	}
}

func TestLongValuesStayApart(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, tc := range [][4]string{
		{"fast", "best", "fast", "best"},
		{"a  b", "a b", "a  b", "a b"},
		{long + "1", long + "2", "..." + long[:20] + "1", "..." + long[:20] + "2"},
		{long, "", long[:100] + "...", ""},
	} {
		if a, b := shortenApart(tc[0], tc[1]); a != tc[2] || b != tc[3] {
			t.Errorf("%.20q %.20q: %q %q", tc[0], tc[1], a, b)
		}
	}
}
