package oracle

import (
	"fmt"
	"path"
)

// A chain scene has sources whose first step puts what it makes into one of several folders,
// where the second step reads a file beside it. Each folder has such a file, of one of two
// contents, so that one that is looked for in the wrong folder is there and is another one.

// partNames are the sources of a chain scene, each in one folder at a time.
var partNames = []string{"p.part", "q.part"}

// partFolders are those that sources and what is made of them are in. The way from one to
// where things are made, such as ../x from y, leads elsewhere from another, such as y/x.
var partFolders = []string{"", "x", "y", "x/x", "y/x"}

// partOutputs are names of what the first step makes.
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

// beside picks a file that what is made in a folder may read.
func (g *generator) beside() string { return path.Join(oneOf(g.r, partFolders...), "c.bin") }

func (g *generator) writeBeside(dir string) {
	g.write(path.Join(dir, "c.bin"), oneOf(g.r, "1234", "efgh"))
}
