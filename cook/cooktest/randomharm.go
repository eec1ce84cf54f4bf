package cooktest

import "path"

// editOutput harms an output, as far as it can be guessed from the sources which
// there are.
func (a *author) editOutput() {
	name, ok := a.m.pick(a.r, "")
	if !ok {
		return
	}
	other, _ := a.m.pick(a.r, "")
	out, to := a.output(name), a.output(other)
	switch kind := oneOf(a.r, Write, Overwrite, KeepTime, Append, Truncate, Touch, Retouch, Chmod, Flip, Cut,
		Replace, Restore, Remove, Remove, Link, Block, Swap); kind {
	case Chmod:
		a.do(kind, out, "", oneOf[int64](a.r, 0o600, 0o444, 0o755), "")
	case Truncate:
		a.do(kind, out, "", a.r.Int64N(20), "")
	case Touch:
		a.do(kind, out, "", a.time(), "")
	case Link:
		a.do(kind, out, oneOf(a.r, "../outside/file", "nowhere", path.Base(to)), 0, "")
	case Swap:
		a.do(kind, out, to, 0, "")
	case Remove:
		if dir := path.Dir(out); a.r.IntN(5) == 0 && dir != "cooked" {
			out = dir
		}
		a.do(kind, out, "", 0, "")
	default:
		a.do(kind, out, "", a.r.Int64N(1000), oneOf(a.r, "edited", "", a.m[name]))
	}
}

// output guesses where the output of a source is.
func (a *author) output(name string) string {
	switch path.Ext(name) {
	case ".png":
		name += ".ktx2"
	case ".in":
		name += ".loud"
	case ".txt":
		name += oneOf(a.r, "", "", "", ".zst")
	}
	if a.targets && a.r.IntN(2) == 0 {
		name = "small/" + name
	}
	return "cooked/" + name
}

// editOwn harms what the cooker keeps for itself.
func (a *author) editOwn() {
	own := oneOf(a.r, "cooked/.cook/index", "cooked/.cook/changes-*", "cooked/manifest.json")
	n := a.r.Int64N(1 << 40)
	switch a.r.IntN(9) {
	case 0, 1:
		a.do(Flip, own, "", n, "")
	case 2:
		a.do(Cut, own, "", n, "")
	case 3:
		a.do(Lose, own, "", n, "")
	case 4:
		a.do(oneOf(a.r, Flip, Cut, Lose, Lose), oneOf(a.r, "store", "store/v1/blobs", "store/v1/results", "store/v1/reads"), "", n, "")
	case 5:
		a.do(Remove, oneOf(a.r, "store", "store", "cooked/.cook", "cooked/.cook/lock", "cooked"), "", 0, "")
	case 6:
		a.do(Write, "cooked/mine.own", "", 0, oneOf(a.r, "mine", "mine as well"))
	case 7:
		a.do(oneOf(a.r, Append, Write), "cooked/.cook/journal", "", 0, oneOf(a.r, "\"torn", "\x00\xff\n", "\"../outside/file\" \"a\" \"\"\n"))
	case 8:
		a.do(oneOf(a.r, Touch, Chmod), own, "", oneOf[int64](a.r, 0o600, 0o644), "")
	}
}

// time is one that a file may be given: of the past, of the future.
func (a *author) time() int64 { return oneOf[int64](a.r, 0, 1, 1e9, 1e9, 4e9) }
