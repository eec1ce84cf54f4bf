package cooktest

import (
	"math/rand/v2"
	"path"
)

// Options say what a random script may have in it. Zero is everything that needs
// neither programs nor patience.
type Options struct {
	Rounds int // edits and then a run, how often; 0 is 10
	// Tools has some of the assets cooked by a program of the tree, which needs a
	// shell.
	Tools bool
	// SourcesOnly leaves outputs, store and the cooker's own files alone.
	SourcesOnly bool
	// Copied has all assets copied, so that none can fail, and leaves the rules
	// alone.
	Copied bool
	// Plain lets all runs be plain ones, of one target.
	Plain bool
	// Aged waits before edits and runs until stamps are trusted by the true clock:
	// several seconds a round.
	Aged bool
	// Mappings writes to sources through mappings that stay open.
	Mappings bool
}

// agedFor is how long, in ms, until a stamp is trusted, and a little longer.
const agedFor = 2300

// Random makes up a script. The same seed and options give the same script.
func Random(seed uint64, opt Options) Script {
	a := &author{Options: opt, r: rand.New(rand.NewPCG(seed, 0)), m: model{}}
	if a.Rounds == 0 {
		a.Rounds = 10
	}
	a.targets = !a.Plain && !a.Copied && a.r.IntN(4) == 0
	a.Tools = a.Tools && !a.Copied && a.r.IntN(4) == 0
	if !a.Aged && !a.Plain {
		a.clocks = oneOf(a.r, []int64{0}, []int64{3600}, []int64{3600}, []int64{0, 3600, 3600, 7200, -3600, -40 * 365 * 86400})
	}
	a.begin()
	a.run(Way{})
	for round := range a.Rounds {
		a.pause()
		for range 1 + a.r.IntN(3) {
			a.edit()
		}
		a.pause()
		if round == a.Rounds-1 {
			a.run(Way{}) // whatever a run of a part has left
		} else {
			a.run(a.way())
		}
	}
	return a.s
}

// An author writes a script.
type author struct {
	Options
	r       *rand.Rand
	m       model
	s       Script
	targets bool
	clocks  []int64
	mapped  []string
	last    string // of the sources that were edited
	tools   string // the rule for what a program cooks, if any
	rules   string // the targets that cook.toml has, if any
}

// do adds an edit, with what edits of its kind have.
func (a *author) do(kind Kind, path, to string, n int64, data string) {
	e := Edit{Kind: kind, Path: path, To: to, N: n, Data: data}
	has := fields[kind]
	if !has.to {
		e.To = ""
	}
	if !has.n {
		e.N = 0
	}
	if !has.data {
		e.Data = ""
	}
	a.s = append(a.s, Step{Edit: e})
}

// run adds a run with the clock of the script.
func (a *author) run(w Way) {
	if len(a.clocks) > 0 {
		w.Clock = oneOf(a.r, a.clocks...)
	}
	a.s = append(a.s, Step{Way: &w})
}

// pause waits until stamps are trusted, or not.
func (a *author) pause() {
	if a.Aged && a.r.IntN(2) == 0 {
		a.do(Wait, "", "", agedFor, "")
	}
}

// way chooses how to cook.
func (a *author) way() Way {
	var w Way
	if a.Plain {
		return w
	}
	switch a.r.IntN(15) {
	case 0, 1:
		w.Long = true
	case 2:
		w.Verify = true
	case 3, 4:
		w.ByFolder = true
	case 5:
		w.Patterns = oneOf(a.r, []string{"x"}, []string{"*.txt", "y"}, []string{"x/y", "a.*"}, []string{"*.png"})
	case 6, 7:
		w.Cancel = 1 + a.r.IntN(25)
		w.Long = a.r.IntN(2) == 0
	case 8:
		w.FirstFailure = true
	}
	w.List = a.r.IntN(4) == 0
	if a.targets {
		w.Targets = oneOf(a.r, nil, []string{"small"}, []string{"small"}, []string{"", "small"}, []string{"big", "small"})
	}
	return w
}

// begin makes a tree of 10 to 25 small files.
func (a *author) begin() {
	for n := 8 + a.r.IntN(12); len(a.m) < n; {
		name, kind := a.place()
		a.write(name, oneOf(a.r, pool[kind]...))
	}
	if a.r.IntN(2) == 0 {
		a.write("x/a.gltf", pool[".gltf"][0])
		a.write("x/a.bin", pool[".bin"][0])
	}
	if a.r.IntN(2) == 0 { // a folder of what is no asset, and still read
		a.do(Write, "assets/lib/.cookignore", "", 0, "*\n")
		a.write("lib/a.bin", pool[".bin"][0])
		a.write("x/b.gltf", pool[".gltf"][4])
		a.write("b.gltf", pool[".gltf"][5])
	}
	if a.targets {
		a.rules = ofTargets[0]
	}
	if a.Copied {
		a.rules = "[[rule]]\nmatch = \"*\"\nrecipe = \"copy\"\n"
	}
	if a.Tools {
		a.tools = toolRule
		a.write("tools/shout", oneOf(a.r, shouts[0], shouts[3]))
		a.write("tools/head", "one:\n")
		if a.r.IntN(2) == 0 {
			a.do(Write, "assets/tools/.cookignore", "", 0, "*\n")
		}
		a.write("say.in", pool[".in"][0])
		a.write("x/say.in", pool[".in"][1])
	}
	config := ""
	if !a.Copied {
		config = oneOf(a.r, configs[:len(configs)-1]...) // the last one is wrong
	}
	a.orNone("assets/cook.toml", config+a.tools+a.rules)
}

func (a *author) place() (name, kind string) {
	kind = oneOf(a.r, kinds...)
	return path.Join(oneOf(a.r, "", "x", "y", "x/y"), oneOf(a.r, "a", "b")+kind), kind
}

func (a *author) write(name, data string) {
	a.m.write(name, data)
	a.do(Write, "assets/"+name, "", 0, data)
}

// edit makes up something that happens.
func (a *author) edit() {
	n := a.r.IntN(100)
	switch {
	case a.Tools && n < 15:
		a.editTool()
	case a.Mappings && n < 30:
		a.editMapped()
	case a.SourcesOnly || n < 70:
		a.editSource()
	case n < 88:
		a.editOutput()
	default:
		a.editOwn()
	}
}
