package cooktest

import (
	"path"
	"strings"
)

// editSource edits the sources.
func (a *author) editSource() {
	name, ok := a.m.pick(a.r, "")
	if !ok || a.r.IntN(8) == 0 {
		name, kind := a.place()
		a.write(name, oneOf(a.r, pool[kind]...))
		return
	}
	if _, there := a.m[a.last]; there && a.r.IntN(3) == 0 {
		name = a.last // once more, perhaps within the same tick of a clock
	}
	a.last = name
	file := "assets/" + name
	kind := path.Ext(name)
	switch n := a.r.IntN(40); {
	case n < 4:
		a.write(name, a.content(kind))
	case n < 9:
		a.rewrite(name)
	case n < 11:
		a.do(Append, file, "", 0, " ")
	case n < 12:
		a.do(Truncate, file, "", a.r.Int64N(5), "")
	case n < 13:
		a.do(Touch, file, "", a.time(), "")
	case n < 15:
		a.do(oneOf(a.r, Retouch, Restore), file, "", 0, "")
	case n < 16:
		a.do(Replace, file, "", 0, a.content(kind))
	case n < 19:
		a.m.remove(name)
		a.do(Remove, file, "", 0, "")
	case n < 22:
		to := path.Join(oneOf(a.r, "", "x", "y", "x/y", "w"), oneOf(a.r, path.Base(name), "a"+kind, "b"+kind))
		a.m.rename(name, to)
		a.do(Rename, file, "assets/"+to, 0, "")
	case n < 23:
		a.editCase(name)
	case n < 26:
		if other, ok := a.m.pick(a.r, oneOf(a.r, kind, kind, "")); ok {
			a.m[name], a.m[other] = a.m[other], a.m[name]
			a.do(Swap, file, "assets/"+other, 0, "")
		}
	case n < 30:
		a.editFolder()
	case n < 31 && a.r.IntN(2) == 0: // what is no asset
		file := "lib/" + oneOf(a.r, "a.bin", "a.bin", "b.bin")
		if a.r.IntN(3) == 0 {
			a.do(Remove, "assets/"+file, "", 0, "")
		} else {
			a.write(file, oneOf(a.r, pool[".bin"]...))
		}
	case n < 31: // a folder in the place of a file
		a.m.remove(name)
		a.do(Remove, file, "", 0, "")
		a.write(name+"/in.txt", "was a file")
	case n < 35:
		a.editLink(name)
	case n < 36:
		a.do(Chmod, file, "", oneOf[int64](a.r, 0o600, 0o644, 0o755), "")
	default:
		a.editRules()
	}
}

func (a *author) content(kind string) string {
	if len(pool[kind]) == 0 {
		return "changed"
	}
	return oneOf(a.r, pool[kind]...)
}

// rewrite edits a file so that size or time stay as they are.
func (a *author) rewrite(name string) {
	data, ok := sized(a.r, path.Ext(name), a.m[name])
	if !ok {
		data = a.content(path.Ext(name))
	}
	a.m[name] = data
	a.do(oneOf(a.r, Write, Overwrite, KeepTime, KeepTime), "assets/"+name, "", 0, data)
}

// editCase renames a file so that only upper and lower case differ.
func (a *author) editCase(name string) {
	base := path.Base(name)
	to := strings.ToUpper(base[:1]) + base[1:]
	if to == base {
		to = strings.ToLower(base[:1]) + base[1:]
	}
	to = path.Join(path.Dir(name), to)
	a.m.rename(name, to)
	a.do(Rename, "assets/"+name, "assets/"+to, 0, "")
}

func (a *author) editFolder() {
	folders := a.m.folders()
	if len(folders) == 0 {
		a.do(Mkdir, "assets/empty/in", "", 0, "")
		return
	}
	dir := oneOf(a.r, folders...)
	switch a.r.IntN(7) {
	case 0, 1:
		to := oneOf(a.r, "x", "y", "w", "x/w", "y/w")
		if strings.HasPrefix(to+"/", dir+"/") {
			return
		}
		a.m.rename(dir, to)
		a.do(Rename, "assets/"+dir, "assets/"+to, 0, "")
	case 2:
		if other := oneOf(a.r, folders...); !strings.HasPrefix(other+"/", dir+"/") && !strings.HasPrefix(dir+"/", other+"/") {
			a.m.rename(dir, "~")
			a.m.rename(other, dir)
			a.m.rename("~", other)
			a.do(Swap, "assets/"+dir, "assets/"+other, 0, "")
		}
	case 3: // a file in the place of a folder
		a.m.remove(dir)
		a.do(Remove, "assets/"+dir, "", 0, "")
		a.write(dir, "was a folder")
	case 4:
		a.do(Mkdir, "assets/"+dir+"/empty", "", 0, "")
	case 5:
		a.m.remove(dir)
		a.do(Remove, "assets/"+dir, "", 0, "")
	case 6: // it and a copy of one of its files
		a.do(oneOf(a.r, Touch, Chmod), "assets/"+dir, "", 0o755, "")
	}
}

// editLink makes a link, or another name of a file.
func (a *author) editLink(to string) {
	name, kind := a.place()
	up := strings.Repeat("../", strings.Count(name, "/"))
	if a.r.IntN(3) == 0 {
		a.m.write(name, a.m[to])
		a.do(HardLink, "assets/"+name, "assets/"+to, 0, "")
		return
	}
	text := up + to
	switch a.r.IntN(8) {
	case 0:
		text = "nowhere"
	case 1:
		text = path.Base(name) // itself
	case 2:
		a.do(Write, "outside/file", "", 0, a.content(kind))
		text = up + "../outside/file"
	case 3, 4: // a folder
		if folders := a.m.folders(); len(folders) > 0 {
			text = up + oneOf(a.r, folders...)
			name = oneOf(a.r, name, path.Join(path.Dir(name), "l"))
		}
	case 5:
		text = up + oneOf(a.r, ".", "..", "../outside")
		name = path.Join(path.Dir(name), "l")
	}
	if text != up+to {
		a.m.remove(name)
	} else {
		a.m.write(name, a.m[to])
	}
	a.do(Remove, "assets/"+name, "", 0, "")
	a.do(Link, "assets/"+name, text, 0, "")
}
