package oracle

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A stateDamage is damage to one of the three records of cook's outputs: the index with its
// changes, the manifest, and the journal. Cook can recover if one of them is lost, but not if two
// are.
type stateDamage struct {
	place string
	index string            // content of the index at the time of the damage
	files map[string]string // content of the damaged files
}

// stateFile returns which record contains a path below the output directory, and a pattern for the
// record's files. It returns "" if no record contains the path.
func stateFile(out string) (place, pattern string) {
	switch {
	case out == ".cook":
		return "index", ".cook/[ic]*"
	case strings.HasPrefix(out, ".cook/index"), strings.HasPrefix(out, ".cook/changes"):
		return "index", out
	case strings.HasPrefix(out, "manifest"):
		return "manifest", "manifest*"
	case strings.HasPrefix(out, ".cook/journal"):
		return "journal", out
	}
	return "", ""
}

// damageState applies an edit to a record, unless another record is damaged.
func (p *Player) damageState(e Edit, place, pattern string) {
	if p.damaged != nil && p.damaged.place != place {
		return
	}
	if whole := e.Path == "cooked/.cook"; whole && len(p.contents(".cook/journal")) > 0 {
		return // this edit would damage the index and the journal together
	}
	before := p.contents(pattern)
	p.apply(e)
	after := p.contents(pattern)
	h := p.damaged
	if h == nil {
		h = &stateDamage{place: place, files: map[string]string{}}
	}
	for name, data := range before {
		if after[name] != data {
			h.files[name] = after[name]
			p.damaged = h
		}
	}
	for name, data := range after {
		if _, there := before[name]; !there {
			h.files[name] = data
			p.damaged = h
		}
	}
	if p.damaged != nil && place == "index" {
		clear(p.baseline)
	}
	h.index = p.contents(".cook/index")[p.name("cooked/.cook/index")]
}

// checkRepaired clears the damage if each damaged file has been rewritten. Damage may remain until
// a run needs the file.
func (p *Player) checkRepaired() {
	if p.damaged == nil {
		return
	}
	if _, err := os.Lstat(p.name("cooked/.cook/journal")); !os.IsNotExist(err) {
		return // the journal is still in use, so the damage may remain
	}
	rewritten := p.contents(".cook/index")[p.name("cooked/.cook/index")] != p.damaged.index
	for name, left := range p.damaged.files {
		data, err := os.ReadFile(name)
		base := filepath.Base(name)
		switch {
		case base == "journal", rewritten && strings.HasPrefix(base, "changes-"):
		case err != nil, string(data) == left:
			return
		}
	}
	p.damaged = nil
}

func (p *Player) contents(pattern string) map[string]string {
	all := map[string]string{}
	names, _ := filepath.Glob(p.name("cooked/" + pattern))
	for _, name := range names {
		if data, err := os.ReadFile(name); err == nil {
			all[name] = string(data)
		}
	}
	return all
}

// damageOutput edits an output. It guesses the output's path from a random source.
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

// time returns a random modification time in the past or in the future.
func (g *generator) time() int64 { return oneOf[int64](g.r, 0, 1, 1e9, 1e9, 4e9) }
