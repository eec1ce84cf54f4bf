package cooktest

import (
	"os"
	"path/filepath"
	"strings"
)

// A harm is what was done to one of the places where the cooker finds out which
// outputs are its own: index and changes, manifest, journal. It can do without any
// of them, but not without two.
type harm struct {
	place string
	index string            // content of the index at that time
	files map[string]string // what was left of the files that were harmed
}

// memory reports which of those places a path below the output folder is part of,
// "" if none, and what its files are.
func memory(out string) (place, pattern string) {
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

// perhapsHarm does an edit of such a place, if no other is harmed.
func (p *Player) perhapsHarm(e Edit, place, pattern string) {
	if p.harmed != nil && p.harmed.place != place {
		return
	}
	if whole := e.Path == "cooked/.cook"; whole && len(p.contents(".cook/journal")) > 0 {
		return // index and journal at once
	}
	before := p.contents(pattern)
	p.perform(e)
	after := p.contents(pattern)
	h := p.harmed
	if h == nil {
		h = &harm{place: place, files: map[string]string{}}
	}
	for name, data := range before {
		if after[name] != data {
			h.files[name] = after[name]
			p.harmed = h
		}
	}
	for name, data := range after {
		if _, there := before[name]; !there {
			h.files[name] = data
			p.harmed = h
		}
	}
	if p.harmed != nil && place == "index" {
		clear(p.good)
	}
	h.index = p.contents(".cook/index")[p.name("cooked/.cook/index")]
}

// heal notes that harm was mended: each file is there again, and not what was left
// of it. Harm may go unnoticed for as long as nobody needs what was harmed.
func (p *Player) heal() {
	if p.harmed == nil {
		return
	}
	if _, err := os.Lstat(p.name("cooked/.cook/journal")); !os.IsNotExist(err) {
		return // somebody still needs it
	}
	rewritten := p.contents(".cook/index")[p.name("cooked/.cook/index")] != p.harmed.index
	for name, left := range p.harmed.files {
		data, err := os.ReadFile(name)
		base := filepath.Base(name)
		switch {
		case base == "journal", rewritten && strings.HasPrefix(base, "changes-"):
		case err != nil, string(data) == left:
			return
		}
	}
	p.harmed = nil
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
