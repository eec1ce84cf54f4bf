package oracle

import (
	"fmt"
	"path"
)

// A chain scene has sources that are cooked in two steps. The first step places its artifact in
// one of several directories, and the second step reads the file c.bin beside the artifact. Each
// directory has such a file with one of two contents. So a step that looks in the wrong directory
// finds a wrong file.

// partNames are the names of the sources of a chain scene. Each source is in one directory at a
// time.
var partNames = []string{"p.part", "q.part"}

// partFolders are the directories of the sources and of their artifacts. A relative path such as
// ../x leads to different directories from y and from y/x.
var partFolders = []string{"", "x", "y", "x/x", "y/x"}

// partOutputs are the output templates of the first step.
var partOutputs = []string{"{stem}.gltf", "x/{stem}.gltf", "x/{stem}.gltf", "{dir}/x/{stem}.gltf"}

// partRules returns the rules of a chain scene.
func (g *generator) partRules() string {
	return fmt.Sprintf("[[rule]]\nmatch = \"*.part\"\nrecipe = \"copy\"\noutput = %q\n", oneOf(g.r, partOutputs...)) +
		further("{p,q}.gltf", "mesh")
}

func (g *generator) beginParts() {
	g.parts = g.partRules()
	for _, name := range partNames {
		g.write(path.Join(oneOf(g.r, partFolders...), name), g.content(".part"))
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
			g.write(name, g.content(".part"))
		}
	}
}

// beside returns a random path of a file that a second step may read.
func (g *generator) beside() string { return path.Join(oneOf(g.r, partFolders...), "c.bin") }

func (g *generator) writeBeside(dir string) {
	g.write(path.Join(dir, "c.bin"), oneOf(g.r, "1234", "efgh"))
}
