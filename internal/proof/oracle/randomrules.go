package oracle

import "strings"

func (g *generator) editTool() {
	switch g.r.IntN(6) {
	case 4:
		g.write("tools/h"+oneOf(g.r, "2", "3", ".o"), "another\n")
	case 5:
		g.do(oneOf(g.r, Remove, Restore), "assets/tools/h"+oneOf(g.r, "2", "3", "ead"), "", 0, "")
	case 0:
		g.write("tools/shout", oneOf(g.r, g.tools.scripts...))
	case 1:
		g.write(oneOf(g.r, "tools/head", "tools/more", "tools/h2"), oneOf(g.r, "one:\n", "two:\n", "three:\n"))
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

// byteOf picks the offset to write to.
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
	g.config = oneOf(g.r, configs...)
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
