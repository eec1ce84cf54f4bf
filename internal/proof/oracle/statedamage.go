package oracle

import (
	"os"
	"path/filepath"
	"strings"
)

// A stateDamage is damage to one of the three records of the outputs that cook owns: the index
// with its changes, the manifest, and the journal. Cook can recover if one of them is lost, but
// not two.
type stateDamage struct {
	place string
	index string            // content of the index at that time
	files map[string]string // content of the damaged files
}

// stateFile returns the record that contains a path below the output directory, or "", and a
// pattern for the files of the record.
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

// damageState applies an edit to a record, unless another one is damaged.
func (p *Player) damageState(e Edit, place, pattern string) {
	if p.damaged != nil && p.damaged.place != place {
		return
	}
	if whole := e.Path == "cooked/.cook"; whole && len(p.contents(".cook/journal")) > 0 {
		return // would damage index and journal at once
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

// checkRepaired clears the damage if each damaged file has been rewritten. Damage may remain as
// long as no run needs the file.
func (p *Player) checkRepaired() {
	if p.damaged == nil {
		return
	}
	if _, err := os.Lstat(p.name("cooked/.cook/journal")); !os.IsNotExist(err) {
		return // still needed
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
