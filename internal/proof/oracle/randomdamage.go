package oracle

import "path"

// damageOutput edits an output, at the path guessed from one of the sources.
func (g *generator) damageOutput() {
	name, ok := g.m.pick(g.r, "")
	if !ok {
		return
	}
	other, _ := g.m.pick(g.r, "")
	out, to := g.output(name), g.output(other)
	switch kind := oneOf(g.r, Write, Overwrite, KeepTime, Append, Truncate, Touch, Retouch, Chmod, Flip, Cut,
		Replace, Restore, Remove, Remove, Link, Block, Swap); kind {
	case Chmod:
		g.do(kind, out, "", oneOf[int64](g.r, 0o600, 0o444, 0o755), "")
	case Truncate:
		g.do(kind, out, "", g.r.Int64N(20), "")
	case Touch:
		g.do(kind, out, "", g.time(), "")
	case Link:
		g.do(kind, out, oneOf(g.r, "../outside/file", "nowhere", path.Base(to)), 0, "")
	case Swap:
		g.do(kind, out, to, 0, "")
	case Remove:
		if dir := path.Dir(out); g.r.IntN(5) == 0 && dir != "cooked" {
			out = dir
		}
		g.do(kind, out, "", 0, "")
	default:
		g.do(kind, out, "", g.r.Int64N(1000), oneOf(g.r, "edited", "", g.m[name]))
	}
}

// output returns the likely path of a source's output.
func (g *generator) output(name string) string {
	switch path.Ext(name) {
	case ".png":
		name += ".ktx2"
	case ".in":
		name += ".loud"
	case ".txt":
		name += oneOf(g.r, "", "", "", ".zst")
	}
	if g.targets && g.r.IntN(2) == 0 {
		name = oneOf(g.r, "small/", "small/", "big/") + name
	}
	return "cooked/" + name
}

// damageOwnFiles damages state files, the manifest and the store.
func (g *generator) damageOwnFiles() {
	own := oneOf(g.r, "cooked/.cook/index", "cooked/.cook/changes-*", "cooked/manifest.json")
	n := g.r.Int64N(1 << 40)
	switch g.r.IntN(9) {
	case 0, 1:
		g.do(Flip, own, "", n, "")
	case 2:
		g.do(Cut, own, "", n, "")
	case 3:
		g.do(Lose, own, "", n, "")
	case 4:
		g.do(oneOf(g.r, Flip, Cut, Lose, Lose), oneOf(g.r, "store", "store/v1/blobs", "store/v1/results", "store/v1/reads"), "", n, "")
	case 5:
		g.do(Remove, oneOf(g.r, "store", "store", "cooked/.cook", "cooked/.cook/lock", "cooked"), "", 0, "")
	case 6:
		g.do(Write, "cooked/mine.own", "", 0, oneOf(g.r, "mine", "mine as well"))
	case 7:
		g.do(oneOf(g.r, Append, Write), "cooked/.cook/journal", "", 0, oneOf(g.r, "\"torn", "\x00\xff\n", "\"../outside/file\" \"a\" \"\"\n"))
	case 8:
		g.do(oneOf(g.r, Touch, Chmod), own, "", oneOf[int64](g.r, 0o600, 0o644), "")
	}
}

// time returns a modification time, in the past or in the future.
func (g *generator) time() int64 { return oneOf[int64](g.r, 0, 1, 1e9, 1e9, 4e9) }
