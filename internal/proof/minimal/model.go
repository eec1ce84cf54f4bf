package minimal

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// An action is the model of one source for one target: its dependencies and its result.
type action struct {
	id, text string // id identifies the recipes and inputs of all steps; text is the source's text
	steps    []step // the steps up to the first error
	deps     []dep  // dependencies of all steps
	output   string // output path relative to the target's directory
	made     string
	err      error
}

// A step is one application of a recipe. Steps with equal keys have equal results.
type step struct{ key, log string }

// A dep is a dependency of a step, with the value that the step read.
type dep struct{ what, value string }

// A part is the recipe and the options of one step.
type part struct {
	recipe   string
	level    int
	path, to string
	template string // template of the step's output in a chain
}

// parts returns the steps of a source.
func (t *tree) parts(source, target string) []part {
	run := t.rules.run
	if target == "small" {
		run = t.rules.small
	}
	named := func(template string) string {
		return path.Clean(strings.NewReplacer("{path}", source, "{dir}", path.Dir(source), "{name}", path.Base(source)).Replace(template))
	}
	switch path.Ext(source) {
	case ".run":
		return []part{{"run", run, source, named(t.rules.out), ""}}
	case ".exp":
		mid := named(t.rules.mid)
		return []part{{"expand", t.rules.expand, source, mid, t.rules.mid}, {"run", run, mid, mid + ".out", ""}}
	case ".exb":
		return []part{
			{"expand", t.rules.expand, source, source + ".gather", "{path}.gather"},
			{"gather", 0, source + ".gather", source + ".gathered", ""},
		}
	case ".gather":
		return []part{{"gather", 0, source, source + "ed", ""}}
	}
	return []part{{"command", 0, source, source + ".out", ""}}
}

// act computes the action of a source from the artifacts of the other assets. An artifact that
// could not be cooked must have the text "\x00".
func (t *tree) act(source, target string, made []artifact) action {
	parts := t.parts(source, target)
	a := action{text: t.files[source], output: parts[len(parts)-1].to}
	a.id = fmt.Sprintf("%s %q", path.Ext(source), a.text)
	text := a.text
	for i, p := range parts {
		a.id += fmt.Sprint(" ", p.recipe, p.level, path.Ext(p.to))
		id := fmt.Sprintf("%s %d %s %s %q", p.recipe, p.level, path.Ext(p.path), path.Ext(p.to), text)
		if i > 0 {
			a.id += fmt.Sprintf(" %q in %q", parts[i-1].template, relative(path.Dir(source), path.Dir(p.path)))
		}
		if p.recipe == "gather" {
			of := fmt.Sprint(" for ", target, p.to)
			a.id, id = a.id+of, id+of
		}
		w := &view{tree: t, at: p.path, made: made}
		var out, log string
		var err error
		if p.recipe == "command" {
			of := fmt.Sprintf(" %s %q", p.path, t.files[script(source)])
			a.id, id = a.id+of, id+of
			out, log = w.command(text), commandLog(p.path, text)
		} else {
			out, log, err = interpret(p.recipe, p.level, text, w)
		}
		a.deps = append(a.deps, w.deps...)
		if a.err = err; err == nil || err == errStop {
			a.steps = append(a.steps, step{id + fmt.Sprintf("%q", w.named), log})
		}
		if err != nil {
			return a
		}
		text = out
	}
	a.made = text
	return a
}

// key returns a text that identifies the result of all steps.
func (a *action) key() string {
	if len(a.steps) == 1 {
		return a.steps[0].key
	}
	key := "chain " + a.id
	for _, s := range a.steps {
		key += " " + s.key
	}
	return key
}

func relative(from, to string) string {
	if from == to {
		return "."
	}
	up := ""
	for from != "." && to != from && !strings.HasPrefix(to, from+"/") {
		from, up = path.Dir(from), up+"../"
	}
	return up + strings.TrimPrefix(to, from+"/")
}

func script(source string) string { return "tools/" + path.Ext(source)[1:] + ".sh" }

// A view gives a step access to the model and records its dependencies. The field deps holds their
// paths in the tree, and the field named holds the names that the step used.
type view struct {
	*tree
	at    string
	made  []artifact
	deps  []dep
	named []dep
}

func (w *view) see(kind, name string) string {
	at := name
	if kind != "take" {
		if at = strings.TrimPrefix(name, "/"); at == name {
			at = path.Join(path.Dir(w.at), name)
		}
	}
	d := dep{kind + " " + at, w.value(kind+" "+at, w.made)}
	w.deps, w.named = append(w.deps, d), append(w.named, dep{kind + " " + name, d.value})
	return d.value
}

// value returns the value of a dependency that a step would read now.
func (t *tree) value(what string, made []artifact) string {
	kind, at, _ := strings.Cut(what, " ")
	text, there := t.files[at]
	switch kind {
	case "read":
		return fmt.Sprint(there, text)
	case "has":
		return fmt.Sprint(there)
	case "find":
		list, there := t.listMatching(path.Dir(at), path.Base(at))
		return fmt.Sprint(there, list)
	case "list":
		list, there := t.listMatching(at, "")
		return fmt.Sprint(there, list)
	}
	return fmt.Sprintf("%q", chosen(at, made))
}

func chosen(pattern string, made []artifact) (list []artifact) {
	for _, a := range made {
		if ok, _ := path.Match(pattern, path.Base(a.path)); ok {
			list = append(list, a)
		}
	}
	return list
}

func (w *view) read(name string) (string, bool, error) {
	value := w.see("read", name)
	text, found := strings.CutPrefix(value, "true")
	if !found {
		text = ""
	}
	return text, found, nil
}

func (w *view) has(name string) (bool, error) { return w.see("has", name) == "true", nil }

func (w *view) find(pattern string) (found []string, err error) {
	w.see("find", pattern)
	folder := path.Dir(w.at)
	if strings.HasPrefix(pattern, "/") {
		folder = path.Dir(pattern)[1:]
	}
	list, _ := w.listMatching(folder, path.Base(pattern))
	for _, name := range list {
		found = append(found, path.Join(path.Dir(pattern), name))
	}
	return found, nil
}

// errNeeds is the error for a bundle that needs an artifact that could not be cooked.
var errNeeds = fmt.Errorf("needs an artifact that could not be cooked")

func (w *view) take(pattern string) ([]artifact, error) {
	w.see("take", pattern)
	list := chosen(pattern, w.made)
	if slices.ContainsFunc(list, func(a artifact) bool { return a.text == "\x00" }) {
		return nil, errNeeds
	}
	return list, nil
}

// command returns the output of a script.
func (w *view) command(text string) string {
	list, _ := w.listMatching("lib", "*.dat")
	if path.Ext(w.at) == ".dec" {
		w.see("find", "/lib/*.dat")
		w.see("read", "one.dat")
		all := ""
		for _, name := range list {
			w.see("read", "/lib/"+name)
			all += w.files["lib/"+name]
		}
		if w.files["tools/dec.sh"] == declaredScripts[0] {
			return text + all
		}
		if len(list) == 0 {
			list = []string{"*.dat"}
		}
		return first(text) + "lib/" + strings.Join(list, "\nlib/") + "\n"
	}
	switch slices.Index(tracedScripts, w.files["tools/tra.sh"]) {
	case 0:
		w.see("read", "/lib/one.dat")
		return text + w.files["lib/one.dat"]
	case 1:
		w.see("list", "/lib")
		all, _ := w.listMatching("lib", "*")
		return strings.Join(all, "\n") + "\n" + first(text)
	}
	w.see("read", "/lib/two.dat")
	if _, there := w.files["lib/two.dat"]; there {
		return "two\n" + first(text)
	}
	return first(text)
}
