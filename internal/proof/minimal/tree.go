package minimal

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
)

// A tree is the model's asset directory.
type tree struct {
	*rand.Rand
	tools bool
	files map[string]string
	rules rules
}

// rules holds the settings in cook.toml that edits change.
type rules struct {
	expand, run, small int    // versions of the recipes expand and run, and of run for the target named small
	mid, out           string // output templates: mid for the recipe expand, out for the recipe run as a first step
}

// The names of the sources. Each source is in only one directory at a time. A bundle comes after
// the assets whose artifacts it reads.
var (
	single  = []string{"r0.run", "r1.run", "e0.exp", "e1.exp", "d.dec", "t.tra"}
	bundles = []string{"b.exb", "g0.gather", "g1.gather"}
)

var (
	folders = []string{"", "a", "b"}                        // directories that may contain sources
	places  = []string{"", "a", "b", "lib", "gen", "a/sub"} // directories that may contain other files, which are never moved
	names   = []string{"one.dat", "two.dat", "more.txt"}
	texts   = []string{"", "one", "other", "two", "read two.dat", "read two.dat\n", "has one.dat\nmore"}
)

// Scripts for commands. The model can compute their outputs.
var (
	declaredScripts = []string{
		"cat \"$1\" lib/*.dat >\"$2\" 2>&-; :\n",
		"head -c 1 \"$1\" >\"$2\"; for f in lib/*.dat; do echo \"$f\" >>\"$2\"; done\n",
	}
	tracedScripts = []string{
		"cat \"$1\" lib/one.dat >\"$2\" 2>&-; :\n",
		"(ls lib; head -c 1 \"$1\") >\"$2\"\n",
		"(test ! -e lib/two.dat || echo two; head -c 1 \"$1\") >\"$2\"\n",
	}
)

func newTree(seed uint64, tools bool) *tree {
	t := &tree{Rand: rand.New(rand.NewPCG(seed, 0)), tools: tools, files: map[string]string{}}
	for _, dir := range places {
		t.files[path.Join(dir, ".keep")] = ""
	}
	t.files["lib/keep.c"] = ""
	t.files[".cookignore"] = "*.dat\n*.txt\n*.sh\n*.c\n"
	t.files["tools/dec.sh"], t.files["tools/tra.sh"] = pick(t, declaredScripts), pick(t, tracedScripts)
	t.drawRules()
	for range 10 {
		t.files[t.other()] = pick(t, texts)
	}
	for _, name := range t.sources() {
		if t.IntN(6) > 0 {
			t.files[path.Join(pick(t, folders), name)] = t.program(name)
		}
	}
	return t
}

func pick[T any](r *tree, list []T) T { return list[r.IntN(len(list))] }

func (t *tree) sources() []string {
	if t.tools {
		return slices.Concat(single, bundles)
	}
	return slices.Concat(single[:len(single)-2], bundles)
}

func (t *tree) other() string { return path.Join(pick(t, places), pick(t, names)) }

// where returns the path of a source, or "" if it does not exist.
func (t *tree) where(name string) string {
	for _, dir := range folders {
		p := path.Join(dir, name)
		if _, there := t.files[p]; there {
			return p
		}
	}
	return ""
}

func (t *tree) drawRules() {
	t.rules = rules{
		expand: t.IntN(2), run: t.IntN(2), small: t.IntN(2),
		mid: pick(t, []string{"{path}.run", "gen/{name}.run", "gen/{name}.run", "{dir}/sub/{name}.run"}), out: pick(t, []string{"{path}.out", "o/{name}.out"}),
	}
	r := t.rules
	text := fmt.Sprintf("[[rule]]\nmatch = \"*.run\"\nrecipe = \"run\"\nlevel = %d\noutput = %q\n", r.run, r.out) +
		fmt.Sprintf("[[rule]]\nmatch = \"*.exp\"\nrecipe = \"expand\"\nlevel = %d\noutput = %q\n", r.expand, r.mid) +
		fmt.Sprintf("[[rule]]\nmatch = \"*.exb\"\nrecipe = \"expand\"\nlevel = %d\noutput = \"{path}.gather\"\n", r.expand) +
		fmt.Sprintf("[[rule]]\nfrom = \"artifacts\"\nmatch = \"*.run\"\nrecipe = \"run\"\nlevel = %d\n", r.run) +
		"[[rule]]\nfrom = \"artifacts\"\nmatch = \"*.gather\"\nrecipe = \"gather\"\n"
	if t.tools {
		text += "[[rule]]\nmatch = \"*.dec\"\nreads = [\"/lib/*.dat\", \"one.dat\"]\n" + commandOf("dec") +
			"[[rule]]\nmatch = \"*.tra\"\ndeps = \"trace\"\n" + commandOf("tra")
	}
	t.files["cook.toml"] = text + fmt.Sprintf("[target.small.run]\nlevel = %d\n[target.big]\n", r.small)
}

func commandOf(name string) string {
	return fmt.Sprintf("command = [\"sh\", \"tools/%s.sh\", \"{in}\", \"{out}\"]\ntools = [\"tools/%[1]s.sh\"]\noutputs = [\"{path}.out\"]\n", name)
}

// program returns a random text for a source.
func (t *tree) program(name string) string {
	if other := t.where(pick(t, t.sources())); other != "" && t.IntN(4) == 0 && path.Ext(other) == path.Ext(name) && !slices.Contains(bundles, name) {
		return t.files[other]
	}
	var lines []string
	for range 1 + t.IntN(3) {
		arg := pick(t, []string{"one.dat", "two.dat", "/lib/one.dat", "/lib/two.dat"})
		if path.Ext(name) == ".exp" && t.IntN(2) == 0 {
			arg = "one.dat"
		}
		line := "read " + arg
		switch n := t.IntN(30); {
		case n == 0:
			line = "halt"
		case n < 7:
			line = "has " + arg
		case n < 13:
			line = "find " + pick(t, []string{"*.dat", "/lib/*.dat", "/lib/o*"})
		}
		if path.Ext(name) == ".exp" || path.Ext(name) == ".exb" {
			switch n := t.IntN(30); {
			case n == 0:
				line = "stop"
			case n < 10:
				line = "use " + arg
			case n < 16:
				line = fmt.Sprint("# ", n)
			}
		}
		if i := slices.Index(bundles, name); i >= 0 && t.IntN(3) > 0 {
			line = "take " + pick(t, append([]string{"*.out", "r0.*", "e*.out"}, []string{"b.*", "g0.*"}[:i]...))
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// editRandomly makes a random edit of the tree and returns a description of it.
func (t *tree) editRandomly() string {
	source := t.where(pick(t, t.sources()))
	switch n := t.IntN(100); {
	case n < 45:
		name := t.other()
		if t.IntN(3) == 0 {
			delete(t.files, name)
			return "remove " + name
		}
		t.files[name] = pick(t, texts)
		return fmt.Sprintf("write %s %q", name, t.files[name])
	case n < 55:
		t.drawRules()
		return fmt.Sprintf("rules %+v", t.rules)
	case n < 62:
		t.files["tools/dec.sh"], t.files["tools/tra.sh"] = pick(t, declaredScripts), pick(t, tracedScripts)
		return "scripts"
	case n < 70 || source == "":
		name := pick(t, t.sources())
		if source = t.where(name); source == "" {
			source = path.Join(pick(t, folders), name)
			t.files[source] = t.program(name)
			return fmt.Sprintf("write %s %q", source, t.files[source])
		}
		delete(t.files, source)
		return "remove " + source
	case n < 84:
		if chain := t.where(pick(t, []string{"e0.exp", "e1.exp"})); chain != "" && t.IntN(2) == 0 {
			source = chain
		}
		to := path.Join(pick(t, folders), path.Base(source))
		text := t.files[source]
		delete(t.files, source)
		t.files[to] = text
		return "move " + source + " to " + to + t.toggle("gen/one.dat")
	}
	t.files[source] = t.program(path.Base(source))
	return fmt.Sprintf("write %s %q", source, t.files[source])
}

// toggle usually removes a file if it exists, and writes it otherwise.
func (t *tree) toggle(name string) string {
	_, there := t.files[name]
	switch {
	case t.IntN(4) == 0:
		return ""
	case there:
		delete(t.files, name)
		return ", remove " + name
	}
	t.files[name] = pick(t, texts)
	return fmt.Sprintf(", write %s %q", name, t.files[name])
}

// listMatching returns the sorted names of the files in a directory that match a pattern. It also
// reports whether the directory exists.
func (t *tree) listMatching(folder, pattern string) (found []string, there bool) {
	for _, p := range slices.Sorted(maps.Keys(t.files)) {
		dir, base := path.Dir(p), path.Base(p)
		there = there || dir == folder || strings.HasPrefix(dir, folder+"/") || folder == "."
		hidden := strings.HasPrefix(base, ".") && pattern != ""
		if ok, _ := path.Match(pattern, base); dir == folder && (pattern == "" || ok && !hidden) {
			found = append(found, base)
		}
	}
	return found, there
}
