package cooktest

import "strings"

func (a *author) editTool() {
	switch a.r.IntN(4) {
	case 0:
		a.write("tools/shout", oneOf(a.r, shouts...))
	case 1:
		a.write(oneOf(a.r, "tools/head", "tools/more"), oneOf(a.r, "one:\n", "two:\n", "three:\n"))
	case 2:
		a.do(oneOf(a.r, Remove, Retouch, Restore), oneOf(a.r, "assets/tools/head", "assets/tools/more", "assets/tools/shout"), "", 0, "")
	case 3:
		a.do(Swap, "assets/tools/head", "assets/tools/shout", 0, "")
	}
}

func (a *author) editMapped() {
	if len(a.mapped) > 0 && a.r.IntN(3) > 0 {
		name := oneOf(a.r, a.mapped...)
		a.do(MapWrite, name, "", a.byteOf(name), "")
		return
	}
	name, ok := a.m.pick(a.r, "")
	if a.tools != "" && a.r.IntN(3) == 0 {
		name, ok = oneOf(a.r, "tools/shout", "tools/head"), true
	}
	if ok {
		name = "assets/" + name
		a.mapped = append(a.mapped, name)
		a.do(Map, name, "", a.byteOf(name), "")
	}
}

// byteOf picks which byte of a file is written to.
func (a *author) byteOf(name string) int64 {
	if strings.HasPrefix(name, "assets/tools/") {
		return shoutByte
	}
	return a.r.Int64N(100)
}

// editRules edits what concerns the whole tree, or a folder.
func (a *author) editRules() {
	if a.Copied {
		return
	}
	dir := oneOf(a.r, "", "x/", "y/", "x/y/")
	switch a.r.IntN(3) {
	case 0:
		if a.targets && a.r.IntN(3) == 0 {
			a.rules = oneOf(a.r, ofTargets...)
		}
		a.orNone("assets/cook.toml", oneOf(a.r, configs...)+a.tools+a.rules)
	case 1:
		if dir != "" {
			a.orNone("assets/"+dir+"cook.toml", oneOf(a.r, ofFolders...))
		}
	case 2:
		a.orNone("assets/"+dir+".cookignore", oneOf(a.r, ignores...))
	}
}

// orNone writes a file, or removes it if there is nothing to write.
func (a *author) orNone(name, data string) {
	if data == "" {
		a.do(Remove, name, "", 0, "")
	} else {
		a.do(oneOf(a.r, Write, Replace), name, "", 0, data)
	}
}
