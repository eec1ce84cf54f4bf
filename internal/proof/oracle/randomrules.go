package oracle

import (
	"fmt"
	"path"
	"strings"
)

func (g *generator) editTool() {
	switch g.r.IntN(6) {
	case 4:
		g.addWrite("tools/h"+oneOf(g.r, "2", "3", ".o"), "another\n")
	case 5:
		g.do(oneOf(g.r, Remove, Restore), "assets/tools/h"+oneOf(g.r, "2", "3", "ead"), "", 0, "")
	case 0:
		g.addWrite("tools/shout", oneOf(g.r, g.tools.scripts...))
	case 1:
		g.addWrite(oneOf(g.r, "tools/head", "tools/more", "tools/h2"), oneOf(g.r, "one:\n", "two:\n", "three:\n"))
	case 2:
		g.do(oneOf(g.r, Remove, Retouch, Restore), oneOf(g.r, "assets/tools/head", "assets/tools/more", "assets/tools/h2", "assets/tools/shout"), "", 0, "")
	case 3:
		g.do(Swap, "assets/tools/head", "assets/tools/shout", 0, "")
	}
}

func (g *generator) editMapped() {
	if len(g.mapped) > 0 && g.r.IntN(3) > 0 {
		name := oneOf(g.r, g.mapped...)
		g.do(MapWrite, name, "", g.byteOf(name), "")
		return
	}
	name, ok := g.m.pick(g.r, "")
	if g.tools.rule != "" && g.r.IntN(3) == 0 {
		name, ok = oneOf(g.r, "tools/shout", "tools/head"), true
	}
	if ok {
		name = "assets/" + name
		g.mapped = append(g.mapped, name)
		g.do(Map, name, "", g.byteOf(name), "")
	}
}

func (g *generator) byteOf(name string) int64 {
	if strings.HasPrefix(name, "assets/tools/") {
		return toolScriptByte
	}
	return g.r.Int64N(100)
}

// editRules edits a cook.toml or .cookignore.
func (g *generator) editRules() {
	if g.Copied {
		return
	}
	dir := oneOf(g.r, "", "x/", "y/", "x/y/")
	switch g.r.IntN(3) {
	case 0:
		g.editRootRules()
	case 1:
		if dir != "" {
			g.writeOrRemove("assets/"+dir+"cook.toml", oneOf(g.r, folderConfigs...))
		}
	case 2:
		g.writeOrRemove("assets/"+dir+".cookignore", oneOf(g.r, ignores...))
	}
}

func (g *generator) editRootRules() {
	if g.targets && g.r.IntN(3) == 0 {
		g.rules = oneOf(g.r, targetRules...)
	}
	g.config = g.someConfig(len(configs))
	g.writeRootRules()
}

func (g *generator) writeRootRules() {
	g.writeOrRemove("assets/cook.toml", g.config+g.tools.rule+g.parts+g.rules)
}

// writeOrRemove writes a file, or removes it if data is empty.
func (g *generator) writeOrRemove(name, data string) {
	if data == "" {
		g.do(Remove, name, "", 0, "")
	} else {
		g.do(oneOf(g.r, Write, Replace), name, "", 0, data)
	}
}

// A chain scene has sources that are cooked in two steps. The first step places its artifact in one
// of several directories, and the second step reads the file c.bin next to the artifact. Each
// directory has such a file with one of two contents, so a step that reads from the wrong directory
// gets a wrong file.

// partNames are the names of the sources of a chain scene. Each source is in one directory at a
// time.
var partNames = []string{"p.part", "q.part"}

// partFolders are the directories of the sources and of their artifacts. A relative path such as
// ../x refers to different directories in y and in y/x.
var partFolders = []string{"", "x", "y", "x/x", "y/x"}

// partOutputs are the output templates of the first step.
var partOutputs = []string{"{stem}.gltf", "x/{stem}.gltf", "x/{stem}.gltf", "{dir}/x/{stem}.gltf"}

// partRules returns rules that cook the outputs of other rules.
func (g *generator) partRules() string {
	return fmt.Sprintf("[[rule]]\nmatch = \"*.part\"\nrecipe = \"copy\"\noutput = %q\n", oneOf(g.r, partOutputs...)) +
		further("{p,q}.gltf", "mesh")
}

func (g *generator) beginParts() {
	g.parts = g.partRules()
	for _, name := range partNames {
		g.addWrite(path.Join(oneOf(g.r, partFolders...), name), g.content(".part"))
	}
	for _, dir := range partFolders {
		g.writeBeside(dir)
	}
}

func (g *generator) editPart() {
	switch g.r.IntN(10) {
	case 0, 1, 2:
		g.writeBeside(oneOf(g.r, "x", oneOf(g.r, partFolders...)))
	case 3:
		a, b := g.beside(), g.beside()
		g.m.rename(a, "~")
		g.m.rename(b, a)
		g.m.rename("~", b)
		g.do(Swap, "assets/"+a, "assets/"+b, 0, "")
	case 4:
		name := g.beside()
		g.m.remove(name)
		g.do(Remove, "assets/"+name, "", 0, "")
	case 5, 6, 7:
		if name, ok := g.m.pick(g.r, ".part"); ok {
			to := path.Join(oneOf(g.r, partFolders...), path.Base(name))
			g.m.rename(name, to)
			g.do(Rename, "assets/"+name, "assets/"+to, 0, "")
			g.writeBeside(oneOf(g.r, "", "x"))
		}
	case 8:
		g.parts = g.partRules()
		g.writeRootRules()
	case 9:
		if name, ok := g.m.pick(g.r, ".part"); ok {
			g.addWrite(name, g.content(".part"))
		}
	}
}

// beside returns the random path of a file that a second step reads.
func (g *generator) beside() string { return path.Join(oneOf(g.r, partFolders...), "c.bin") }

func (g *generator) writeBeside(dir string) {
	g.addWrite(path.Join(dir, "c.bin"), oneOf(g.r, "1234", "efgh"))
}
