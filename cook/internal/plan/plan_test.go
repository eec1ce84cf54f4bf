package plan

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/recipeset"
)

type fake struct {
	Level int      `toml:"level"`
	Tool  []string `toml:"tool"`
}

func (*fake) Outputs() []string                       { return []string{"{path}.out"} }
func (*fake) Cook(context.Context, *recipe.Job) error { return nil }
func fakeTraits(c recipe.Cooker) recipe.Traits        { return recipe.Traits{Tools: c.(*fake).Tool} }
func newFake() recipe.Cooker                          { return &fake{Level: 1} }
func fakes(version int, usesPath bool) []recipe.Recipe {
	return []recipe.Recipe{
		{Name: "copy", Version: version, UsesPath: usesPath, New: newFake, Traits: fakeTraits},
		{Name: "json", Version: 1, New: newFake, Traits: fakeTraits},
		{Name: "pak", Version: 1, Bundles: true, New: newFake, Traits: fakeTraits},
	}
}

func blob(b byte) store.BlobID { return store.BlobID{b} }

// A world has the input of a plan in a form that tests can edit.
type world struct {
	files    map[string]store.BlobID // current content of each asset
	ignored  map[string]store.BlobID // files that are not assets
	tools    map[string]Tool
	touched  bool // set if the stamps of files differ from the last run
	config   string
	version  int
	usesPath bool
	outputs  map[string]contents.State // states of outputs; an output without an entry is Intact
	last     []index.Action            // sorted by path and target
	claims   []Claim
	targets  []string
	scope    string
	blind    string // name of a directory that cannot be listed
	force    bool
	folds    bool // set if the file system ignores the case of names
	wait     bool // set to make bundles late; see Demand
}

func newWorld(files map[string]store.BlobID) *world {
	return &world{files: files, ignored: map[string]store.BlobID{}, tools: map[string]Tool{}, version: 1,
		outputs: map[string]contents.State{}, targets: []string{""}}
}

func (w *world) file(p string) contents.File {
	how := contents.ByStamp
	if w.touched {
		how = contents.ByChecksum
	}
	for _, m := range []map[string]store.BlobID{w.files, w.ignored} {
		if b, ok := m[p]; ok {
			return contents.File{Path: p, Blob: b, How: how, Stamp: scan.Stamp{Size: 1}}
		}
	}
	return contents.File{Path: p}
}

func (w *world) plan(t *testing.T) *Plan {
	t.Helper()
	set, err := recipeset.New(fakes(w.version, w.usesPath)...)
	if err != nil {
		t.Fatal(err)
	}
	choice, err := rules.Compile([]rules.File{{Name: "cook.toml", Data: []byte(w.config)}}, set)
	if err != nil {
		t.Fatal(err)
	}
	in := Input{
		Facts: Facts{
			File: func(on dependency.Dependency) contents.File { return w.file(on.Path) },
			Tool: func(name string) (Tool, error) {
				if t, ok := w.tools[name]; ok {
					return t, nil
				}
				return Tool{}, errNoProgram
			},
		},
		Rules: choice, Targets: w.targets, Claims: w.claims, FoldsCase: w.folds,
		InScope:    func(p string) bool { return strings.HasPrefix(p, w.scope) },
		Incomplete: func(p string) bool { return w.blind != "" && strings.HasPrefix(p, w.blind) },
		Demand:     Demand{Force: w.force, Wait: w.wait},
	}
	for _, p := range slices.Sorted(func(yield func(string) bool) {
		for p := range w.files {
			if !yield(p) {
				return
			}
		}
	}) {
		in.Sources = append(in.Sources, w.file(p))
	}
	for i := range w.last {
		a := &w.last[i]
		b := contents.Before{Action: a}
		for k := range a.Made {
			m := &a.Made[k]
			state, ok := w.outputs[m.Path]
			if !ok {
				state = contents.Intact
			}
			b.Outputs = append(b.Outputs, contents.Output{State: state, Artifact: m})
		}
		in.Before = append(in.Before, b)
	}
	return Make(in)
}

// errNoProgram is the error of an unknown tool.
var errNoProgram = fmt.Errorf("no such program%.0w", fs.ErrNotExist)

// tool is a file that a method names.
func tool(file string, n byte) Tool {
	return Tool{File: contents.File{Path: file, Blob: blob(n), How: contents.ByStamp}}
}

// cooked simulates a run that carries out the current plan, and whose actions have the given
// dependencies.
func (w *world) cooked(t *testing.T, deps map[string][]index.Dep) {
	t.Helper()
	var last []index.Action
	p := w.plan(t)
	for _, b := range p.Kept {
		last = append(last, *b.Action)
	}
	for _, a := range p.Actions {
		if a.Err != nil {
			t.Fatalf("%s: %v", a.Path, a.Err)
		}
		row := index.Action{Path: a.Path, Target: a.Target, ID: a.ID, Source: a.Source.Blob,
			Method: a.Method.Fields, Deps: deps[a.Path]}
		for i, out := range a.Outputs {
			row.Made = append(row.Made, index.Artifact{Path: out, Blob: store.BlobID{a.Source.Blob[0], byte(i), 99}})
		}
		last = append(last, row)
	}
	slices.SortFunc(last, func(a, b index.Action) int {
		return slices.Compare([]string{a.Path, a.Target}, []string{b.Path, b.Target})
	})
	w.last, w.outputs = last, map[string]contents.State{}
}

// decisions formats a plan: its actions with reasons, and the retired artifacts.
func decisions(p *Plan) []string {
	var list []string
	for _, a := range p.Actions {
		s := a.Path
		if a.Target != "" {
			s += " [" + a.Target + "]"
		}
		switch {
		case a.Err != nil:
			s += " fails: " + a.Err.Error()
		case a.Runs():
			s += " runs"
		default:
			s += " rests"
		}
		for _, r := range a.Reasons {
			s += "; " + r.String()
		}
		list = append(list, s)
	}
	for _, r := range p.Retired {
		list = append(list, "retire "+r.Path)
	}
	return list
}

func TestReasons(t *testing.T) {
	const unchanged = "source, options, dependencies and outputs are unchanged"
	for _, tc := range []struct {
		name string
		edit func(*world)
		want []string
	}{
		{"nothing", func(w *world) {}, []string{"a rests; " + unchanged, "b rests; " + unchanged}},
		{"touched", func(w *world) { w.touched = true }, []string{
			"a rests; a has the same content", "b rests; b has the same content"}},
		{"edited", func(w *world) { w.files["a"] = blob(9) }, []string{
			"a runs; content changed: 010000000000 -> 090000000000", "b rests; " + unchanged}},
		{"new", func(w *world) { w.files["c"] = blob(9) }, []string{
			"a rests; " + unchanged, "b rests; " + unchanged, "c runs; new"}},
		{"dependency edited", func(w *world) { w.ignored["inc"] = blob(9) }, []string{
			"a runs; dependency changed: inc: 070000000000 -> 090000000000", "b rests; " + unchanged}},
		{"dependency gone", func(w *world) { delete(w.ignored, "inc") }, []string{
			"a runs; dependency changed: inc: 070000000000 -> absent", "b rests; " + unchanged}},
		{"absent dependency appears", func(w *world) { w.ignored["maybe"] = blob(8) }, []string{
			"a runs; dependency changed: maybe: absent -> 080000000000", "b rests; " + unchanged}},
		{"option", func(w *world) { w.config = "[[rule]]\nmatch = \"a\"\nlevel = 2" }, []string{
			"a runs; option level changed: 1 -> 2", "b rests; " + unchanged}},
		{"recipe", func(w *world) { w.config = "[[rule]]\nmatch = \"a\"\nrecipe = \"json\"" }, []string{
			"a runs; recipe changed: copy -> json", "b rests; " + unchanged}},
		{"version", func(w *world) { w.version = 2 }, []string{
			"a runs; recipe version changed: copy: 1 -> 2", "b runs; recipe version changed: copy: 1 -> 2"}},
		{"tool", func(w *world) {
			w.config = "[[rule]]\nmatch = \"a\"\ntool = [\"gcc\"]"
			w.tools["gcc"] = tool("/bin/gcc", 5)
		}, []string{
			"a runs; option tool changed: [] -> [\"gcc\"]; tool changed: gcc: none -> 050000000000", "b rests; " + unchanged}},
		{"no such tool", func(w *world) { w.config = "[[rule]]\nmatch = \"a\"\ntool = [\"gcc\"]" }, []string{
			"a fails: no such program", "b rests; " + unchanged}},
		{"output missing", func(w *world) { w.outputs["a.out"] = contents.Missing }, []string{
			"a runs; output missing: a.out", "b rests; " + unchanged}},
		{"output edited", func(w *world) { w.outputs["b.out"] = contents.Edited }, []string{
			"a rests; " + unchanged, "b runs; output edited: b.out"}},
		{"output renamed", func(w *world) { w.config = "[[rule]]\nmatch = \"a\"\noutput = \"x/{name}.out\"" }, []string{
			"a runs; output renamed: a.out -> x/a.out", "b rests; " + unchanged, "retire a.out"}},
		{"forced", func(w *world) { w.force = true }, []string{
			"a runs; forced", "b runs; forced"}},
		{"deleted", func(w *world) { delete(w.files, "b") }, []string{"a rests; " + unchanged, "retire b.out"}},
		{"renamed", func(w *world) { delete(w.files, "b"); w.files["z"] = blob(2) }, []string{
			"a rests; " + unchanged, "z runs; new; moved from b", "retire b.out"}},
		{"directory cannot be listed", func(w *world) { delete(w.files, "b"); w.blind = "b" }, []string{"a rests; " + unchanged}},
		{"out of scope", func(w *world) { w.files["b"] = blob(9); w.scope = "a" }, []string{"a rests; " + unchanged}},
		{"another target", func(w *world) {
			w.config, w.targets = "[target.pc.copy]\nlevel = 3", []string{"pc"}
		}, []string{"a [pc] runs; new", "b [pc] runs; new"}},
		{"two claim one output", func(w *world) {
			w.config = "[[rule]]\nmatch = \"*\"\noutput = \"same.out\""
		}, []string{
			"a fails: output same.out is also an output of b; give one of the two another name with output = in cook.toml; output renamed: a.out -> same.out",
			"b fails: output same.out is also an output of a; give one of the two another name with output = in cook.toml; output renamed: b.out -> same.out"}},
		{"claimed by two that fail", func(w *world) {
			w.files["c"] = blob(3)
			w.config = "[[rule]]\nmatch = [\"a\", \"c\"]\noutput = \"b.out\"\n[[rule]]\nmatch = \"b\"\noutput = \"x.out\""
		}, []string{
			"a fails: output b.out is also an output of c; give one of the two another name with output = in cook.toml; output renamed: a.out -> b.out",
			"b runs; output renamed: b.out -> x.out",
			"c fails: output b.out is also an output of a; give one of the two another name with output = in cook.toml; new",
			"retire b.out"}},
		{"file where a directory is needed", func(w *world) {
			w.config = "[[rule]]\nmatch = \"a\"\noutput = \"b.out/{name}.out\""
		}, []string{
			"a fails: output b.out is also an output of b; give one of the two another name with output = in cook.toml; output renamed: a.out -> b.out/a.out",
			"b fails: output b.out is also an output of a; give one of the two another name with output = in cook.toml; " + unchanged}},
		{"the cooker's own name", func(w *world) {
			w.files["manifest.json"] = blob(6)
			w.config = "[[rule]]\nmatch = \"*.json\"\noutput = \"{name}\""
		}, []string{
			"a rests; " + unchanged, "b rests; " + unchanged,
			"manifest.json fails: output manifest.json has the name of a file that cook itself writes; choose another name with output = in cook.toml; new"}},
	} {
		w := newWorld(map[string]store.BlobID{"a": blob(1), "b": blob(2)})
		w.ignored["inc"] = blob(7)
		w.cooked(t, map[string][]index.Dep{"a": {{Name: "inc", On: dependency.OfFile("inc"), Blob: blob(7), Found: true}, {Name: "maybe", On: dependency.OfFile("maybe")}}})
		tc.edit(w)
		if d := cmp.Diff(tc.want, decisions(w.plan(t))); d != "" {
			t.Errorf("%s: %s", tc.name, d)
		}
	}
}

// On a file system that ignores case, actions fail if their outputs differ only in case, and the
// error has both names. An output that only changes its case is not removed under its old name.
func TestOutputsThatFoldClash(t *testing.T) {
	const advice = "; new"
	w := newWorld(map[string]store.BlobID{"Rock": blob(1), "rock": blob(2)})
	if d := cmp.Diff([]string{"Rock runs; new", "rock runs; new"}, decisions(w.plan(t))); d != "" {
		t.Error(d)
	}
	w.folds = true
	if d := cmp.Diff([]string{
		"Rock fails: outputs Rock.out and rock.out differ only in case, and are the same file on this file system; rename a source, or give one of them another name with output = in cook.toml" + advice,
		"rock fails: outputs rock.out and Rock.out differ only in case, and are the same file on this file system; rename a source, or give one of them another name with output = in cook.toml" + advice,
	}, decisions(w.plan(t))); d != "" {
		t.Error(d)
	}
	w = newWorld(map[string]store.BlobID{"rock": blob(1)})
	w.claims = []Claim{{Output: "Rock.out", Source: "Rock"}}
	if d := cmp.Diff([]string{"rock runs; new", "retire Rock.out"}, decisions(w.plan(t))); d != "" {
		t.Error(d)
	}
	w.folds = true
	if d := cmp.Diff([]string{"rock runs; new"}, decisions(w.plan(t))); d != "" {
		t.Error(d)
	}
}

func TestFailedIsTriedAgain(t *testing.T) {
	w := newWorld(map[string]store.BlobID{"a": blob(1)})
	a := w.plan(t).Actions[0]
	w.last = []index.Action{{Path: "a", State: index.Failed, ID: a.ID, Source: blob(1), Method: a.Method.Fields}}
	if d := cmp.Diff([]string{"a runs; failed last time"}, decisions(w.plan(t))); d != "" {
		t.Error(d)
	}
}

// A change of any part of a program counts as a change of the program: its interpreter, its
// libraries, and the names of the system's libraries.
func TestPartsOfTools(t *testing.T) {
	fresh := func() *world {
		w := newWorld(map[string]store.BlobID{"a": blob(1)})
		w.config = "[[rule]]\nmatch = \"a\"\ntool = [\"script\", \"data\"]"
		script, shell := tool("/w/script", 2), tool("/bin/sh", 3)
		script.Interpreter = "sh"
		shell.Libraries = []contents.File{tool("/opt/lib/one.so", 4).File, tool("/opt/lib/two.so", 5).File}
		shell.Machine = []string{"libc.so.6", "libz.so.1=libz.so.1.3"}
		w.tools = map[string]Tool{"script": script, "sh": shell, "data": tool("/w/data", 6)}
		return w
	}
	with := func(w *world, name string, edit func(*Tool)) {
		x := w.tools[name]
		edit(&x)
		w.tools[name] = x
	}
	for _, tc := range []struct {
		name string
		edit func(*world)
		want string
	}{
		{"nothing", func(w *world) {}, "a rests; source, options, dependencies and outputs are unchanged"},
		{"interpreter edited", func(w *world) { with(w, "sh", func(x *Tool) { x.Blob = blob(9) }) },
			"a runs; tool changed: sh: 030000000000 -> 090000000000"},
		{"interpreter gone", func(w *world) { delete(w.tools, "sh") },
			"a runs; tool changed: sh: 030000000000 -> none; tool changed: /opt/lib/one.so: 040000000000 -> none; " +
				"tool changed: /opt/lib/two.so: 050000000000 -> none; tool changed: libc.so.6 and 1 more: libc.so.6 -> none"},
		{"another interpreter", func(w *world) {
			with(w, "script", func(x *Tool) { x.Blob, x.Interpreter = blob(7), "data" })
		}, "a runs; tool changed: script: 020000000000 -> 070000000000; tool changed: sh: 030000000000 -> none; " +
			"tool changed: /opt/lib/one.so: 040000000000 -> none; tool changed: /opt/lib/two.so: 050000000000 -> none; " +
			"tool changed: libc.so.6 and 1 more: libc.so.6 -> none"},
		{"library edited", func(w *world) { with(w, "sh", func(x *Tool) { x.Libraries[1].Blob = blob(9) }) },
			"a runs; tool changed: /opt/lib/two.so: 050000000000 -> 090000000000"},
		{"library of the machine updated", func(w *world) {
			with(w, "sh", func(x *Tool) { x.Machine[1] = "libz.so.1=libz.so.1.4" })
		}, "a runs; tool changed: libz.so.1: libz.so.1.3 -> libz.so.1.4"},
		{"in other order", func(w *world) { with(w, "sh", func(x *Tool) { slices.Reverse(x.Machine) }) },
			"a rests; source, options, dependencies and outputs are unchanged"},
	} {
		w := fresh()
		w.cooked(t, nil)
		tc.edit(w)
		if d := cmp.Diff([]string{tc.want}, decisions(w.plan(t))); d != "" {
			t.Errorf("%s: %s", tc.name, d)
		}
	}

	id := func(w *world) store.ActionID { return w.plan(t).Actions[0].ID }
	elsewhere := fresh()
	with(elsewhere, "sh", func(x *Tool) { x.Libraries[0].Path = "/home/x/lib/one.so" })
	if id(elsewhere) != id(fresh()) {
		t.Error("where a library is decides an identity")
	}
	itself := fresh()
	with(itself, "sh", func(x *Tool) { x.Interpreter = "sh" })
	if a := itself.plan(t).Actions[0]; a.Err != nil || len(a.Method.Tools) != 5 {
		t.Errorf("a script that interprets itself: %v, %d tools", a.Err, len(a.Method.Tools))
	}
}

// The path of a source is part of the action ID only if the recipe declares so.
func TestRenameAndIdentity(t *testing.T) {
	id := func(usesPath bool, name string) store.ActionID {
		w := newWorld(map[string]store.BlobID{name: blob(1)})
		w.usesPath = usesPath
		return w.plan(t).Actions[0].ID
	}
	if id(false, "a/x.txt") != id(false, "b/y.TXT") {
		t.Error("a rename changed the identity")
	}
	if id(false, "a/x.txt") == id(false, "a/x.md") {
		t.Error("another extension did not change the identity")
	}
	if id(true, "a/x.txt") == id(true, "b/x.txt") {
		t.Error("a rename did not change the identity of a recipe that uses the path")
	}
}

// Each fact that affects the result changes the action ID.
func TestIdentityHasEverything(t *testing.T) {
	seen := map[store.ActionID]string{}
	for name, edit := range map[string]func(*world){
		"plain":   func(w *world) {},
		"content": func(w *world) { w.files["a"] = blob(2) },
		"version": func(w *world) { w.version = 2 },
		"option":  func(w *world) { w.config = "[[rule]]\nmatch = \"*\"\nlevel = 2" },
		"recipe":  func(w *world) { w.config = "[[rule]]\nmatch = \"*\"\nrecipe = \"json\"" },
		"tool":    func(w *world) { w.config = "[[rule]]\nmatch = \"*\"\ntool = [\"x\"]"; w.tools["x"] = tool("/bin/x", 1) },
		"tool 2":  func(w *world) { w.config = "[[rule]]\nmatch = \"*\"\ntool = [\"x\"]"; w.tools["x"] = tool("/bin/x", 2) },
		"library": func(w *world) {
			w.config = "[[rule]]\nmatch = \"*\"\ntool = [\"x\"]"
			x := tool("/bin/x", 1)
			x.Libraries = []contents.File{tool("/lib/y", 1).File}
			w.tools["x"] = x
		},
		"no interpreter": func(w *world) {
			w.config = "[[rule]]\nmatch = \"*\"\ntool = [\"x\"]"
			x := tool("/bin/x", 1)
			x.Interpreter = "y"
			w.tools["x"] = x
		},
	} {
		w := newWorld(map[string]store.BlobID{"a": blob(1)})
		edit(w)
		id := w.plan(t).Actions[0].ID
		if other, ok := seen[id]; ok {
			t.Errorf("%s and %s have one identity", name, other)
		}
		seen[id] = name
	}
	// Targets with equal options share results.
	w := newWorld(map[string]store.BlobID{"a": blob(1)})
	w.config, w.targets = "[target.pc.copy]\nlevel = 1", []string{"pc"}
	if id := w.plan(t).Actions[0].ID; seen[id] != "plain" {
		t.Error("a target without options of its own has an identity of its own")
	}
}

func TestResultID(t *testing.T) {
	deps := func(names ...string) []index.Dep {
		var list []index.Dep
		for _, n := range names {
			list = append(list, index.Dep{Name: n, On: dependency.OfFile(n), Found: true})
		}
		return list
	}
	absent := deps("a")
	absent[0].Found = false
	edited := deps("a")
	edited[0].Blob = blob(1)
	moved := deps("a")
	moved[0].On.Path = "elsewhere/a"
	ids := map[store.ResultID]int{}
	for i, d := range [][]index.Dep{nil, deps("a"), deps("a", "b"), deps("ab"), absent, edited} {
		id := ResultID(store.ActionID{1}, d)
		if j, ok := ids[id]; ok {
			t.Errorf("read sets %d and %d share a result", i, j)
		}
		ids[id] = i
	}
	if ResultID(store.ActionID{1}, moved) != ResultID(store.ActionID{1}, deps("a")) {
		t.Error("where a name leads changed the result, though its content is the same")
	}
}

// If two files vanished and one new file has their content, one artifact moves and two are
// retired.
func TestEachArtifactMovesOnce(t *testing.T) {
	w := newWorld(map[string]store.BlobID{"a": blob(1), "b": blob(1), "c": blob(3)})
	w.cooked(t, nil)
	w.files = map[string]store.BlobID{"x": blob(1), "y": blob(1), "z": blob(1), "c": blob(3)}
	p := w.plan(t)
	from := map[string]bool{}
	moved := 0
	for _, a := range p.Actions {
		if a.Moved != nil {
			moved++
			from[a.Moved.Path] = true
		}
	}
	if moved != 2 || len(from) != 2 || len(p.Retired) != 2 {
		t.Errorf("%d moves from %d files, %d retired; want 2, 2, 2", moved, len(from), len(p.Retired))
	}
}

// The test moves a source, and its dependency then leads to another file. The artifact is moved
// along only if that file has the same content.
func TestNoMoveToOtherDependencies(t *testing.T) {
	for _, tc := range []struct {
		content store.BlobID
		want    bool
	}{{blob(7), true}, {blob(8), false}} {
		w := newWorld(map[string]store.BlobID{"x/a": blob(1)})
		w.ignored["x/inc"], w.ignored["y/inc"] = blob(7), tc.content
		w.cooked(t, map[string][]index.Dep{"x/a": {{Name: "inc", On: dependency.OfFile("x/inc"), Blob: blob(7), Found: true}}})
		w.files = map[string]store.BlobID{"y/a": blob(1)}
		if moved := w.plan(t).Actions[0].Moved != nil; moved != tc.want {
			t.Errorf("with inc being %v moved is %v", tc.content, moved)
		}
	}
}

// If another action claims the name of an artifact, the artifact cannot be moved.
func TestNoMoveFromClaimedName(t *testing.T) {
	w := newWorld(map[string]store.BlobID{"a": blob(1)})
	w.cooked(t, nil)
	w.config = "[[rule]]\nmatch = \"new\"\noutput = \"a.out\""
	w.files = map[string]store.BlobID{"new": blob(2), "z": blob(1)}
	for _, a := range w.plan(t).Actions {
		if a.Moved != nil {
			t.Errorf("%s takes the artifact of %s, which is overwritten", a.Path, a.Moved.Path)
		}
	}
}

func TestClaimsOfALostIndexAreRetired(t *testing.T) {
	w := newWorld(map[string]store.BlobID{"a": blob(1)})
	w.config = "[target.pc]"
	w.claims = []Claim{
		{Output: "a.out", Source: "a"}, {Output: "old.out", Source: "old"}, {Output: "old.out", Source: "old"},
		{Output: ".cook/index", Source: "x"}, {Output: "pc/old.out", Source: "old", Target: "pc"}, {Output: "gone/old.out", Source: "old", Target: "gone"},
	}
	// Only a run for the target pc removes an output of pc. The output of the target gone is
	// removed, because the rules no longer declare that target.
	if d := cmp.Diff([]string{"a runs; new", "retire old.out", "retire gone/old.out"}, decisions(w.plan(t))); d != "" {
		t.Error(d)
	}
	w.blind = "old"
	if d := cmp.Diff([]string{"a runs; new"}, decisions(w.plan(t))); d != "" {
		t.Errorf("where the source's directory cannot be listed: %s", d)
	}
	w.blind, w.scope = "", "a"
	if d := cmp.Diff([]string{"a runs; new"}, decisions(w.plan(t))); d != "" {
		t.Errorf("where the source is out of scope: %s", d)
	}
}

// Only bundles become late, and only if the run cooks their inputs.
func TestOnlyBundlesAreLate(t *testing.T) {
	for _, wait := range []bool{false, true} {
		w := newWorld(map[string]store.BlobID{"a": blob(1), "b.pak": blob(2), "c": blob(3)})
		w.config, w.wait = "[[rule]]\nmatch = \"*.pak\"\nrecipe = \"pak\"\n", wait
		p := w.plan(t)
		late := 0
		for i := range p.Actions {
			if a := &p.Actions[i]; a.IsLate() {
				late++
				if !wait || a.Path != "b.pak" {
					t.Errorf("wait %t: %s is late", wait, a.Path)
				}
			}
		}
		if p.Late != late || wait != (late == 1) {
			t.Errorf("wait %t: %d actions are late, the plan says %d", wait, late, p.Late)
		}
	}
}

func TestOtherCountOfOutputs(t *testing.T) {
	for _, had := range []int{0, 1, 2, 3} {
		w := newWorld(map[string]store.BlobID{"a": blob(1)})
		w.cooked(t, nil)
		made := w.last[0].Made[0]
		w.last[0].Made = nil
		for n := range had {
			if n > 0 {
				made.Path = fmt.Sprint("a.more", n)
			}
			w.last[0].Made = append(w.last[0].Made, made)
		}
		a := w.plan(t).Actions[0]
		counts := slices.ContainsFunc(a.Reasons, func(r Reason) bool { return r.Kind == OutputCount && r.Old == fmt.Sprint(had) && r.New == "1" })
		if a.Runs() == (had == 1) || counts == (had == 1) {
			t.Errorf("it had %d outputs: %v", had, a.Reasons)
		}
	}
}

func TestDecidingChangesNoAction(t *testing.T) {
	w := newWorld(map[string]store.BlobID{"a.pak": blob(1)})
	w.config, w.wait = "[[rule]]\nmatch = \"*.pak\"\nrecipe = \"pak\"\n", true
	p := w.plan(t)
	before := p.Actions[0]
	d := Decide(&p.Actions[0], p.Facts, p.Demand)
	if decided := p.Actions[0].As(d); !d.Runs || !decided.Runs() || decided.IsLate() || len(decided.Reasons) != 1 || decided.Reasons[0].Kind != New {
		t.Errorf("decided %+v", d)
	}
	if now := p.Actions[0]; !now.IsLate() || now.Runs() || now.Reasons != nil || now.ID != before.ID {
		t.Errorf("the plan has %+v", now)
	}
}
