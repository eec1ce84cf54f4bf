package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A team is people and what they do.
type team struct {
	developers int
	branches   int     // besides the main one
	edits      int     // by a developer on a day
	life       int     // days until a branch is merged
	switches   float64 // how often on a day a developer goes to another branch and back
	fresh      float64 // machines on a day that begin with nothing
}

// A tree is the assets that they work on.
type tree struct {
	assets int
	bytes  float64 // of all artifacts
	part   float64 // of the assets that a developer's machine cooks: those that are edited most
	skew   float64 // the exponent of Zipf's law for which assets are edited
	spread float64 // of sizes: the standard deviation of their logarithm
	most   int64   // bytes of one artifact
}

// size returns the size of an asset's artifact, which is log-normal.
func (t tree) sizeOf(asset int32) int64 {
	h := rand.New(rand.NewPCG(uint64(asset), 7))
	mean := t.bytes / float64(t.assets)
	n := int64(mean * math.Exp(t.spread*h.NormFloat64()-t.spread*t.spread/2))
	if t.most > 0 {
		n = min(n, t.most)
	}
	return max(n, 1)
}

// parted is how many assets a developer's machine cooks.
func (t tree) parted() int { return max(1, int(float64(t.assets)*t.part)) }

// A history is what happens to assets. Versions are numbered; the first ones are those that
// assets have in the beginning. Assets are numbered by how often they are edited.
type history struct {
	team
	tree
	r       *rand.Rand
	zipf    *rand.Zipf
	edited  []int32 // the assets of versions that are no first ones
	heads   []head  // of the main branch and of the others
	workers []developer
}

// A head is what a branch has: versions other than those of the main branch, which has others
// than the first ones.
type head struct {
	own map[int32]int32 // versions by asset
	log []int32         // assets in the order in which they were changed
}

// A developer is one with a machine.
type developer struct {
	branch int            // that this one works on
	at     int            // branch that the machine has now
	main   int            // how much of the main branch's log it has seen
	seen   int            // how much of the log of the branch that it is at
	has    map[int32]bool // versions in the machine's store, besides first ones
}

func newHistory(t team, assets tree, seed uint64) *history {
	h := &history{team: t, tree: assets, r: rand.New(rand.NewPCG(seed, 11)), heads: make([]head, t.branches+1)}
	h.zipf = rand.NewZipf(h.r, assets.skew, 20, uint64(assets.assets-1))
	for b := range h.heads {
		h.heads[b].own = map[int32]int32{}
	}
	for d := range t.developers {
		h.workers = append(h.workers, developer{branch: d % len(h.heads), has: map[int32]bool{}})
	}
	return h
}

// asset is that of a version.
func (h *history) asset(v int32) int32 {
	if int(v) < h.assets {
		return v
	}
	return h.edited[int(v)-h.assets]
}

func (h *history) versionSize(v int32) int64 { return h.sizeOf(h.asset(v)) }

// version is that which an asset has on a branch.
func (h *history) version(branch int, asset int32) int32 {
	for _, b := range []int{branch, 0} {
		if v, ok := h.heads[b].own[asset]; ok {
			return v
		}
	}
	return asset
}

// goTo has a developer's machine go to what a branch has, and returns the versions that its
// store lacks.
func (h *history) goTo(d *developer, branch int) (lacks []int32) {
	changed := h.heads[0].log[d.main:]
	if branch != d.at {
		changed = slices.Concat(changed, h.heads[d.at].log, h.heads[branch].log)
	} else if branch != 0 {
		changed = slices.Concat(changed, h.heads[branch].log[min(d.seen, len(h.heads[branch].log)):])
	}
	met := map[int32]bool{}
	for _, asset := range changed {
		if met[asset] || int(asset) >= h.parted() {
			continue
		}
		met[asset] = true
		if v := h.version(branch, asset); int(v) >= h.assets && !d.has[v] {
			d.has[v] = true
			lacks = append(lacks, v)
		}
	}
	d.at, d.main, d.seen = branch, len(h.heads[0].log), len(h.heads[branch].log)
	return lacks
}

// work has a developer edit assets on the branch where the machine is, and returns the new
// versions.
func (h *history) work(d *developer) (made []int32) {
	for range h.edits {
		asset := int32(h.zipf.Uint64())
		v := int32(h.assets + len(h.edited))
		h.edited = append(h.edited, asset)
		head := &h.heads[d.at]
		head.own[asset] = v
		head.log = append(head.log, asset)
		d.has[v] = true
		made = append(made, v)
	}
	return made
}

// build returns what CI, which has seen logs to some length, has to cook of a branch.
func (h *history) build(ci *developer, branch int, from int) (lacks []int32) {
	met := map[int32]bool{}
	for _, asset := range h.heads[branch].log[from:] {
		if v := h.version(branch, asset); !met[asset] && !ci.has[v] {
			ci.has[v] = true
			lacks = append(lacks, v)
		}
		met[asset] = true
	}
	return lacks
}

// merge has the main branch take what another one has.
func (h *history) merge(branch int) {
	main, b := &h.heads[0], &h.heads[branch]
	for _, asset := range b.log {
		if v, ok := b.own[asset]; ok {
			main.own[asset] = v
			main.log = append(main.log, asset)
			delete(b.own, asset)
		}
	}
	b.log = nil
}

// other returns another branch than one.
func (h *history) other(branch int) int {
	if len(h.heads) == 1 {
		return branch
	}
	return (branch + 1 + h.r.IntN(len(h.heads)-1)) % len(h.heads)
}
