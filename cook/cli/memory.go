package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/assetcook/assetcook/cook"
)

// besides is what the process needs when nothing is being cooked and the run has no
// tree to remember: buffers, stacks, the runtime.
const besides = 32 << 20

// A memoryLimit makes the garbage collector keep to the memory that recipes may use.
// They are admitted by the memory that they need at once; without a limit the collector
// would let as much garbage pile up beside it.
type memoryLimit struct {
	cook.Observers // ignores what is not overridden
	memory         int64
	set            bool
	large          bool  // the tree
	live           int64 // heap when all was planned
	usual          int   // percent of the collector, while it is hurried; 0 if it is not
}

// What a run knows of a large tree is held all the time, and as much garbage again unless
// the collector is hurried. While the index is made no recipe makes garbage, so that to
// collect more often costs little. Before, it is worth it only if much is held: garbage
// of recipes would be collected every few of them.
const (
	largeTree = 10_000   // assets with work to do
	largeHeap = 64 << 20 // bytes, which is that of some 150,000 assets

	percentCooking = 50 // with a large heap
	percentSaving  = 25 // with a large tree
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
		m.memory = cook.DefaultMemory()
	}
	// What the run remembers of a large tree is not the recipes'.
	limit := m.memory + m.live + besides
	if limit < debug.SetMemoryLimit(-1) { // which GOMEMLIMIT may have set
		debug.SetMemoryLimit(limit)
	}
}

// liveHeap returns about what the last collection left: the next one is due at twice
// that, unless GOGC says otherwise. Package runtime/metrics has the number itself, but
// takes 0.1 ms to initialize in every run.
func liveHeap() int64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(min(stats.HeapAlloc, stats.NextGC/2))
}
