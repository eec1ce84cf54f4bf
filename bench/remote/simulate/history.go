package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A team describes the developers and their habits.
type team struct {
	developers int
	branches   int     // number of branches, not counting the main branch
	edits      int     // number of edits per developer and day
	life       int     // days until a branch is merged
	switches   float64 // mean number of temporary switches to another branch, per developer and day
	fresh      float64 // mean number of machines per day that start empty
}

// A tree describes the assets that the team works on.
type tree struct {
	assets int
	bytes  float64 // total size of all artifacts in bytes
	part   float64 // fraction of the assets that a developer's machine cooks, most edited first
	skew   float64 // Zipf exponent of the edit frequencies
	spread float64 // standard deviation of the logarithm of the sizes
	most   int64   // size of the largest artifact in bytes
}

// sizeOf returns the size of an asset's artifact. Sizes have a log-normal distribution.
func (t tree) sizeOf(asset int32) int64 {
	h := rand.New(rand.NewPCG(uint64(asset), 7))
	mean := t.bytes / float64(t.assets)
	n := int64(mean * math.Exp(t.spread*h.NormFloat64()-t.spread*t.spread/2))
	if t.most > 0 {
		n = min(n, t.most)
	}
	return max(n, 1)
}

// parted returns the number of assets on a developer's machine.
func (t tree) parted() int { return max(1, int(float64(t.assets)*t.part)) }

// A history is a sequence of edits. Assets are numbered by edit frequency, most edited first. Each
// edit creates a version with a new number. The initial version of an asset has the asset's number.
type history struct {
	team
	tree
	r       *rand.Rand
	zipf    *rand.Zipf
	edited  []int32 // asset of each edited version
	heads   []head  // the main branch first
	workers []developer
}

// A head is the state of a branch. It lists the assets that differ from the main branch. The head
// of the main branch lists the assets that differ from their initial versions.
type head struct {
	own map[int32]int32 // current version of each changed asset
	log []int32         // changed assets in the order of the edits
}

// A developer has one machine.
type developer struct {
	branch int            // the developer's branch
	at     int            // branch that is checked out now
	main   int            // number of entries of the main branch's log that are already processed
	seen   int            // number of entries of the current branch's log that are already processed
	has    map[int32]bool // stored versions, except for initial versions
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

// asset returns the asset of a version.
func (h *history) asset(v int32) int32 {
	if int(v) < h.assets {
		return v
	}
	return h.edited[int(v)-h.assets]
}

func (h *history) versionSize(v int32) int64 { return h.sizeOf(h.asset(v)) }

// version returns the version that an asset has on a branch.
func (h *history) version(branch int, asset int32) int32 {
	for _, b := range []int{branch, 0} {
		if v, ok := h.heads[b].own[asset]; ok {
			return v
		}
	}
	return asset
}

// goTo checks out a branch on a developer's machine, and returns the versions that its store lacks.
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

// work edits assets on the current branch of a developer's machine, and returns the new versions.
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

// build returns the versions of a branch that CI must cook. It reads the log of the branch from
// index from.
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

// merge merges a branch into the main branch.
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

// other returns a random branch that differs from the given one.
func (h *history) other(branch int) int {
	if len(h.heads) == 1 {
		return branch
	}
	return (branch + 1 + h.r.IntN(len(h.heads)-1)) % len(h.heads)
}
