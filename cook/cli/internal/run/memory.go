package run

import (
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/session"
)

// besides is the memory of a process that cooks nothing and holds no tree: buffers, stacks, and
// the runtime.
const besides = 32 << 20

// A memoryLimit is an observer that makes the garbage collector respect the memory budget of
// recipes. Recipes are admitted by the memory that they hold; without a limit, the collector
// would let as much garbage accumulate in addition.
type memoryLimit struct {
	cook.Observers // ignores all other calls
	memory         int64
	set            bool
	large          bool  // set if the run has a large tree
	live           int64 // heap after planning
	usual          int   // GC percent to restore; 0 for none
}

// A run holds the data of a large tree all the time, and an equal amount of garbage unless the
// collector runs more often. While the index is made, no recipe produces garbage, so frequent
// collections are cheap. Before that, they are worthwhile only with a large heap; otherwise the
// garbage of recipes would be collected every few recipes.
const (
	largeTree = 10_000   // number of assets with work to do
	largeHeap = 64 << 20 // bytes, used by some 150,000 assets

	percentCooking = 50 // GC percent with a large heap
	percentSaving  = 25 // GC percent with a large tree
)

func (m *memoryLimit) Stage(name string) {
	percent := 0
	switch {
	case os.Getenv("GOGC") != "":
	case name == "cook" && m.live >= largeHeap:
		percent = percentCooking
	case name == "save" && m.large:
		percent = percentSaving
	}
	switch {
	case percent != 0:
		if was := debug.SetGCPercent(percent); m.usual == 0 {
			m.usual = was
		}
	case m.usual != 0:
		debug.SetGCPercent(m.usual)
		m.usual = 0
	}
}

func (m *memoryLimit) Planned(assets int, _ time.Duration) {
	m.large, m.live = assets >= largeTree, 0
	if assets == 0 {
		return
	}
	m.live = liveHeap()
	if m.set {
		return
	}
	m.set = true
	if m.memory <= 0 {
		m.memory = session.DefaultMemory()
	}
	// The memory budget of recipes does not include the tree that the run holds.
	limit := m.memory + m.live + besides
	if limit < debug.SetMemoryLimit(-1) { // the current limit, perhaps from GOMEMLIMIT
		debug.SetMemoryLimit(limit)
	}
}

// liveHeap returns the approximate heap size after the last collection: the next collection is
// due at twice that size, unless GOGC is set. Package runtime/metrics has the exact number, but
// takes 0.1 ms to initialize in every run.
func liveHeap() int64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(min(stats.HeapAlloc, stats.NextGC/2))
}
