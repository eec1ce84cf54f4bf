package oracle

import (
	"math/rand/v2"
	"path"
)

// Options control the contents of random scripts. The zero value allows everything that needs
// neither external tools nor waiting.
type Options struct {
	Rounds int // number of rounds of edits followed by a run; 0 means 10
	// Tools cooks some assets with a script from the tree, which requires a shell.
	Tools bool
	// Lies cooks some assets of every script with traced programs that write wrong dependency
	// files. Most edits then change the files that these programs read. It requires Tools.
	Lies bool
	// SourcesOnly edits no outputs, store or state files.
	SourcesOnly bool
	// Copied copies all assets, so that no asset can fail. It does not edit the rules.
	Copied bool
	// Plain uses the zero Mode for all runs.
	Plain bool
	// Aged waits before edits and runs until file stamps are old enough to be trusted. That takes
	// several seconds per round.
	Aged bool
	// Mappings writes to sources through memory mappings that stay open.
	Mappings bool
	// Targets alternates between several targets. Without Targets, a quarter of the scripts do so.
	Targets bool
	// Hashed cooks by rules that add a hash to the name of each artifact. Without Hashed, a few
	// scripts do so.
	Hashed bool
	// Twins adds links to every script that point to two directories. The directories contain files
	// with the same names and sizes but different contents. They are edited in each round. Without
	// Twins, a sixth of the scripts have such links.
	Twins bool
}

// agedFor is the time in ms until a stamp is trusted, with a margin.
const agedFor = 2300

// Random generates a script. The same seed and options always give the same script.
func Random(seed uint64, opt Options) Script {
	g := &generator{Options: opt, r: rand.New(rand.NewPCG(seed, 0)), m: model{}, links: map[string]string{}}
	if g.Rounds == 0 {
		g.Rounds = 10
	}
	parts := !g.Copied && g.r.IntN(3) == 0
	g.targets = !g.Plain && !g.Copied && (g.r.IntN(4) == 0 || g.Targets)
	g.Tools = g.Tools && !g.Copied && (g.r.IntN(4) == 0 || g.Lies)
	if !g.Aged && !g.Plain {
		g.clocks = oneOf(g.r, []int64{0}, []int64{3600}, []int64{3600}, []int64{0, 3600, 3600, 7200, -3600, -40 * 365 * 86400})
	}
	g.addFirstTree(parts)
	if g.twins = g.Twins || g.r.IntN(6) == 0; g.twins {
		g.beginTwins()
	}
	g.addRun(Mode{})
	scoped := false // whether the last run cooked only selected sources
	for round := range g.Rounds {
		g.addPause()
		if scoped && g.r.IntN(4) > 0 {
			g.restoreSource()
		}
		for range 1 + g.r.IntN(3) {
			g.addRandomEdit()
		}
		if g.Twins {
			g.editTwins()
		}
		g.addPause()
		if round < g.Rounds-1 {
			mode := g.mode()
			if scoped = len(mode.Patterns) > 0; scoped {
				g.editShared()
			}
			g.addRun(mode)
		}
		if g.targets {
			g.turns()
		}
	}
	g.addRun(Mode{}) // this run completes the work that a run for some sources left undone
	return g.s
}

// A generator builds a random script.
type generator struct {
	Options
	r       *rand.Rand
	m       model
	s       Script
	targets bool
	twins   bool
	links   map[string]string // maps each link of beginTwins to its target
	clocks  []int64
	mapped  []string
	last    string // the source that was edited last
	was     string // content of that source before the edit
	tools   tool   // tool of the script, if it has one
	config  string // cook.toml at the root, without parts and rules
	parts   string // rules of a chain scene; "" for none
	rules   string // more rules and targets of cook.toml; may be empty
}

// do adds an edit with only the fields that its kind uses.
func (g *generator) do(kind Kind, path, to string, n int64, data string) {
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
	g.s = append(g.s, Step{Edit: e})
}

// addRun adds a run. If the script varies the clock, the run has a random clock.
func (g *generator) addRun(mode Mode) {
	if len(g.clocks) > 0 {
		mode.Clock = oneOf(g.r, g.clocks...)
	}
	g.s = append(g.s, Step{Mode: &mode})
}

// turns adds runs for other targets, mostly without edits between them.
func (g *generator) turns() {
	for range g.r.IntN(4) {
		switch g.r.IntN(8) {
		case 0, 1:
			g.editSource()
		case 2:
			g.editRootRules()
		}
		mode := Mode{Targets: g.chooseTargets(), ByFolder: g.r.IntN(6) == 0}
		if g.r.IntN(8) == 0 {
			mode.Cancel = 1 + g.r.IntN(25)
		}
		g.addRun(mode)
	}
}

// chooseTargets selects the targets of a run.
func (g *generator) chooseTargets() []string {
	return oneOf(g.r, nil, []string{"small"}, []string{"small"}, []string{"big"}, []string{"", "small"}, []string{"big", "small"}, []string{"", "big", "small"}, []string{"all"})
}

// addPause sometimes adds a pause, until file stamps are old enough to be trusted.
func (g *generator) addPause() {
	if g.Aged && g.r.IntN(2) == 0 {
		g.do(Wait, "", "", agedFor, "")
	}
}

// mode returns the mode of a random run.
func (g *generator) mode() Mode {
	var mode Mode
	if g.Plain {
		return mode
	}
	switch g.r.IntN(16) {
	case 0, 1:
		mode.Full = true
	case 2:
		mode.Verify = true
	case 3, 4:
		mode.ByFolder = true
	case 5, 9:
		mode.Patterns = oneOf(g.r, []string{"x"}, []string{"x"}, []string{"*.txt", "y"}, []string{"x/y", "a.*"}, []string{"*.png"})
	case 6, 7:
		mode.Cancel = 1 + g.r.IntN(25)
		mode.Full = g.r.IntN(2) == 0
	case 8:
		mode.FirstFailure = true
	}
	mode.List = g.r.IntN(4) == 0
	if g.targets {
		mode.Targets = g.chooseTargets()
	}
	return mode
}

// addFirstTree creates a tree of 10 to 25 small files, or more for a chain scene.
func (g *generator) addFirstTree(parts bool) {
	for n := 8 + g.r.IntN(12); len(g.m) < n; {
		name, kind := g.randomPlace()
		g.addWrite(name, oneOf(g.r, contents()[kind]...))
	}
	if g.r.IntN(2) == 0 {
		g.addWrite("x/a.gltf", contents()[".gltf"][0])
		g.addWrite("x/a.bin", contents()[".bin"][0])
	}
	if g.r.IntN(2) == 0 { // add models that contain other sources; two of them contain the same source
		g.addWrite("x/a.mtl", contents()[".mtl"][1])
		g.addWrite("x/b.obj", withLibrary("a.mtl"))
		g.addWrite("a.obj", withLibrary("x/a.mtl"))
		g.addWrite("b.bin", contents()[".bin"][1])
		g.addWrite("a.gltf", contents()[".gltf"][1])
	}
	if g.r.IntN(2) == 0 { // some models are in a directory with dependencies above it
		g.addWrite("x/a.obj", withLibrary("../a.mtl"))
		g.addWrite("a.mtl", contents()[".mtl"][0])
		g.addWrite("x/b.gltf", contents()[".gltf"][3])
		g.addWrite("a.bin", contents()[".bin"][2])
	}
	if g.r.IntN(2) == 0 { // an ignored directory contains dependencies of other assets
		g.do(Write, "assets/lib/.cookignore", "", 0, "*\n")
		g.addWrite("lib/a.bin", contents()[".bin"][0])
		g.addWrite("x/b.gltf", contents()[".gltf"][4])
		g.addWrite("b.gltf", contents()[".gltf"][5])
	}
	if g.r.IntN(2) == 0 { // some models determine the roles of images
		g.addWrite("m.gltf", uses("occlusionTexture", "x/a.png"))
		g.addWrite("x/m.mtl", contents()[".mtl"][g.r.IntN(3)])
		g.addWrite("x/a.png", contents()[".png"][g.r.IntN(3)])
	}
	if g.targets {
		g.rules = targetRules[0]
	}
	if g.Copied {
		g.rules = "[[rule]]\nmatch = \"*\"\nrecipe = \"copy\"\n"
	}
	if g.Tools {
		g.tools = oneOf(g.r, tools...)
		if g.Lies {
			g.tools = oneOf(g.r, tools[len(tools)-2:]...)
		}
		if g.r.IntN(3) == 0 {
			g.tools = asStep(g.tools)
		}
		g.addWrite("tools/shout", oneOf(g.r, g.tools.scripts[:2]...))
		g.addWrite("tools/head", "one:\n")
		if g.r.IntN(2) == 0 {
			g.do(Write, "assets/tools/.cookignore", "", 0, "*\n")
		}
		g.addWrite("say.in", contents()[".in"][0])
		g.addWrite("x/say.in", contents()[".in"][1])
	}
	if parts {
		g.beginParts()
	}
	if !g.Copied {
		g.config = g.someConfig(len(configs) - 1) // all configs except the last, which is invalid
	}
	g.writeRootRules()
}

// someConfig returns one of the first n configs, or a config with hashed names.
func (g *generator) someConfig(n int) string {
	if g.Hashed || g.r.IntN(8) == 0 {
		return oneOf(g.r, hashedConfigs...)
	}
	return oneOf(g.r, configs[:n]...)
}

func (g *generator) randomPlace() (name, kind string) {
	kind = oneOf(g.r, extensions...)
	return path.Join(oneOf(g.r, "", "x", "y", "x/y"), oneOf(g.r, "a", "b", "a", "b", ".a")+kind), kind
}

func (g *generator) addWrite(name, data string) {
	g.m.write(name, data)
	g.do(Write, "assets/"+name, "", 0, data)
}

// addRandomEdit adds a random edit.
func (g *generator) addRandomEdit() {
	n := g.r.IntN(100)
	switch {
	case g.Tools && (n < 30 || g.Lies && n < 80):
		g.editTool()
	case g.parts != "" && n < 60:
		g.editPart()
	case g.twins && n < 25:
		g.editTwins()
	case g.Mappings && n < 45:
		g.editMapped()
	case g.SourcesOnly || n < 70:
		g.editSource()
	case n < 88:
		g.damageOutput()
	default:
		g.damageOwnFiles()
	}
}
