package oracle

import (
	"path"
	"slices"
	"strings"
)

// editSource edits the sources.
func (g *generator) editSource() {
	name, ok := g.m.pick(g.r, "")
	if !ok || g.r.IntN(8) == 0 {
		name, kind := g.randomPlace()
		g.addWrite(name, oneOf(g.r, contents()[kind]...))
		return
	}
	if now, there := g.m[g.last]; there && g.r.IntN(3) == 0 {
		name = g.last // edit the same source as last time, perhaps at the same file time
		if now != g.was && g.r.IntN(3) == 0 {
			g.restoreSource()
			return
		}
	}
	g.last, g.was = name, g.m[name]
	file := "assets/" + name
	kind := path.Ext(name)
	switch n := g.r.IntN(40); {
	case n < 4:
		g.addWrite(name, g.content(kind))
	case n < 9:
		g.rewrite(name)
	case n < 11:
		g.do(Append, file, "", 0, " ")
	case n < 12:
		g.do(Truncate, file, "", g.r.Int64N(5), "")
	case n < 13:
		g.do(Touch, file, "", g.time(), "")
	case n < 15:
		g.do(oneOf(g.r, Retouch, Restore), file, "", 0, "")
	case n < 16:
		g.do(Replace, file, "", 0, g.content(kind))
	case n < 19:
		g.m.remove(name)
		g.do(Remove, file, "", 0, "")
	case n < 22:
		to := path.Join(oneOf(g.r, "", "x", "y", "x/y", "w"), oneOf(g.r, path.Base(name), "a"+kind, "b"+kind))
		g.m.rename(name, to)
		g.do(Rename, file, "assets/"+to, 0, "")
	case n < 23:
		g.editCase(name)
	case n < 26:
		if other, ok := g.m.pick(g.r, oneOf(g.r, kind, kind, "")); ok {
			g.m[name], g.m[other] = g.m[other], g.m[name]
			g.do(Swap, file, "assets/"+other, 0, "")
		}
	case n < 30:
		g.editFolder()
	case n < 31 && g.r.IntN(2) == 0: // edit a dependency that is ignored as a source
		file := "lib/" + oneOf(g.r, "a.bin", "a.bin", "b.bin")
		if g.r.IntN(3) == 0 {
			g.do(Remove, "assets/"+file, "", 0, "")
		} else {
			g.addWrite(file, oneOf(g.r, contents()[".bin"]...))
		}
	case n < 31: // replace a file by a directory
		g.m.remove(name)
		g.do(Remove, file, "", 0, "")
		g.addWrite(name+"/in.txt", "was a file")
	case n < 35:
		g.editLink(name)
	case n < 36:
		g.do(Chmod, file, "", oneOf[int64](g.r, 0o600, 0o644, 0o755), "")
	default:
		g.editRules()
	}
}

// editShared sometimes edits a source that models in other directories use.
func (g *generator) editShared() {
	names := slices.DeleteFunc([]string{"a.mtl", "a.bin", "b.bin", "a.png"}, func(name string) bool {
		_, there := g.m[name]
		return !there
	})
	if len(names) == 0 || g.r.IntN(4) == 0 {
		return
	}
	name := oneOf(g.r, names...)
	g.last, g.was = name, g.m[name]
	g.addWrite(name, oneOf(g.r, contents()[path.Ext(name)]...))
}

// restoreSource restores the previous content of the source that was edited last.
func (g *generator) restoreSource() {
	if now, there := g.m[g.last]; there && now != g.was {
		g.addWrite(g.last, g.was)
	}
}

func (g *generator) content(kind string) string {
	if len(contents()[kind]) == 0 {
		return "changed"
	}
	return oneOf(g.r, contents()[kind]...)
}

// rewrite edits a file but preserves its size or modification time.
func (g *generator) rewrite(name string) {
	data, ok := sized(g.r, path.Ext(name), g.m[name])
	if !ok {
		data = g.content(path.Ext(name))
	}
	g.m[name] = data
	g.do(oneOf(g.r, Write, Overwrite, KeepTime, KeepTime), "assets/"+name, "", 0, data)
}

// editCase renames a file to a name that differs only in case.
func (g *generator) editCase(name string) {
	base := path.Base(name)
	to := strings.ToUpper(base[:1]) + base[1:]
	if to == base {
		to = strings.ToLower(base[:1]) + base[1:]
	}
	to = path.Join(path.Dir(name), to)
	g.m.rename(name, to)
	g.do(Rename, "assets/"+name, "assets/"+to, 0, "")
}

func (g *generator) editFolder() {
	folders := g.m.folders()
	if len(folders) == 0 {
		g.do(Mkdir, "assets/empty/in", "", 0, "")
		return
	}
	dir := oneOf(g.r, folders...)
	switch g.r.IntN(7) {
	case 0, 1:
		to := oneOf(g.r, "x", "y", "w", "x/w", "y/w")
		if strings.HasPrefix(to+"/", dir+"/") {
			return
		}
		g.m.rename(dir, to)
		g.do(Rename, "assets/"+dir, "assets/"+to, 0, "")
	case 2:
		if other := oneOf(g.r, folders...); !strings.HasPrefix(other+"/", dir+"/") && !strings.HasPrefix(dir+"/", other+"/") {
			g.m.rename(dir, "~")
			g.m.rename(other, dir)
			g.m.rename("~", other)
			g.do(Swap, "assets/"+dir, "assets/"+other, 0, "")
		}
	case 3: // replace a directory by a file
		g.m.remove(dir)
		g.do(Remove, "assets/"+dir, "", 0, "")
		g.addWrite(dir, "was a directory")
	case 4:
		g.do(Mkdir, "assets/"+dir+"/empty", "", 0, "")
	case 5:
		g.m.remove(dir)
		g.do(Remove, "assets/"+dir, "", 0, "")
	case 6: // change the metadata of the source
		g.do(oneOf(g.r, Touch, Chmod), "assets/"+dir, "", 0o755, "")
	}
}

// editLink creates a symbolic or hard link.
func (g *generator) editLink(to string) {
	name, kind := g.randomPlace()
	up := strings.Repeat("../", strings.Count(name, "/"))
	if g.r.IntN(3) == 0 {
		g.m.write(name, g.m[to])
		g.do(HardLink, "assets/"+name, "assets/"+to, 0, "")
		return
	}
	text := up + to
	switch g.r.IntN(8) {
	case 0:
		text = "nowhere"
	case 1:
		text = path.Base(name)
	case 2:
		g.do(Write, "outside/file", "", 0, g.content(kind))
		text = up + "../outside/file"
	case 3, 4:
		if folders := g.m.folders(); len(folders) > 0 {
			text = up + oneOf(g.r, folders...)
			name = oneOf(g.r, name, path.Join(path.Dir(name), "l"))
		}
	case 5:
		text = up + oneOf(g.r, ".", "..", "../outside")
		name = path.Join(path.Dir(name), "l")
	}
	if text != up+to {
		g.m.remove(name)
	} else {
		g.m.write(name, g.m[to])
	}
	g.do(Remove, "assets/"+name, "", 0, "")
	g.do(Link, "assets/"+name, text, 0, "")
}

// twinFiles exist in both twin directories, with different contents of the same size.
var twinFiles = []string{"a.txt", "a.json", "a.bin", "x/a.png", "x/b.txt"}

// twinLinks maps each link to its possible targets.
var twinLinks = map[string][]string{
	"cur":   {"t1", "t2"},
	"now":   {"t2", "t1", "cur"},
	"x/cur": {"../t1", "../t2", "../cur"},
	"y/cur": {"../cur", "../now", "../t2"},
}

// beginTwins creates two directories of files with the same names and sizes but different contents,
// links to the directories, and assets that read through a link.
func (g *generator) beginTwins() {
	for _, name := range twinFiles {
		kind := path.Ext(name)
		one := contents()[kind][0]
		two, _ := sized(g.r, kind, one)
		g.addWrite("t1/"+name, one)
		g.addWrite("t2/"+name, two)
	}
	for _, link := range []string{"cur", "now", "x/cur", "y/cur"} {
		if link == "cur" || g.r.IntN(3) > 0 {
			g.retarget(link)
		}
	}
	g.addWrite("c.gltf", `{"asset":{"version":"2.0"},"buffers":[{"uri":"cur/a.bin","byteLength":8}]}`)
	g.addWrite("c.sprites", "cur/x/*.png\n")
}

// retarget creates a link or changes its target.
func (g *generator) retarget(link string) {
	to := oneOf(g.r, slices.DeleteFunc(slices.Clone(twinLinks[link]), func(to string) bool { return to == g.links[link] })...)
	g.m.remove(link)
	g.do(Remove, "assets/"+link, "", 0, "")
	g.do(Link, "assets/"+link, to, 0, "")
	g.links[link] = to
}

// editTwins makes a path refer to a different file with the same name and size.
func (g *generator) editTwins() {
	link := oneOf(g.r, "cur", "cur", "now", "x/cur", "y/cur")
	switch g.r.IntN(12) {
	default:
		g.retarget(link)
	case 0:
		g.links["cur"], g.links["now"] = g.links["now"], g.links["cur"]
		g.do(Swap, "assets/cur", "assets/now", 0, "")
	case 1: // swap the two directories
		g.m.rename("t1", "~")
		g.m.rename("t2", "t1")
		g.m.rename("~", "t2")
		g.do(Swap, "assets/t1", "assets/t2", 0, "")
	case 2, 3: // replace the link by a directory
		g.m.remove(link)
		delete(g.links, link)
		g.do(Remove, "assets/"+link, "", 0, "")
		for _, name := range twinFiles {
			data, _ := sized(g.r, path.Ext(name), contents()[path.Ext(name)][0])
			g.addWrite(link+"/"+name, data)
		}
	case 4:
		g.rewriteTwin()
	case 5: // move a directory, and let the link point to its new path
		g.m.rename("t1", "x/t")
		g.do(Rename, "assets/t1", "assets/x/t", 0, "")
		g.do(Link, "assets/cur", "x/t", 0, "")
		g.links["cur"] = "x/t"
	}
}

// rewriteTwin edits a file of one twin directory without changing its size, or creates the file if
// it is missing.
func (g *generator) rewriteTwin() {
	name := oneOf(g.r, "t1/", "t2/") + oneOf(g.r, twinFiles...)
	if _, ok := g.m[name]; !ok {
		g.addWrite(name, contents()[path.Ext(name)][0])
		return
	}
	g.rewrite(name)
}
