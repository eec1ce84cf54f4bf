package run

import (
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/session"
)

// besides is the memory of an idle cook process: buffers, stacks, and the Go runtime.
const besides = 32 << 20

// A memoryLimit is an observer that sets the garbage collector's limits according to the memory
// budget of recipes. Without a limit, garbage could take as much memory as the recipes.
type memoryLimit struct {
	cook.Observers
	memory int64
	set    bool
	large  bool
	live   int64 // heap size in bytes after planning
	usual  int   // GC percent to restore; 0 if unchanged
}

// The data of a large tree stays in memory for the whole run. A lower GC percent leaves less
// garbage beside this data. Collections are cheap while the index is written. During the cook, they
// are worthwhile only with a large heap.
const (
	largeTree = 10_000
	largeHeap = 64 << 20 // bytes; about 150,000 assets need this much

	percentCooking = 40 // GC percent during a cook with a large heap
	percentSaving  = 25 // GC percent while the index of a large tree is written
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
	// The memory budget of recipes excludes the run's own data, so m.live and besides are added.
	limit := m.memory + m.live + besides
	if limit < debug.SetMemoryLimit(-1) { // a negative limit reads the current limit, which GOMEMLIMIT may have set
		debug.SetMemoryLimit(limit)
	}
}

// liveHeap returns the approximate heap size after the last collection. The next collection is due
// at twice that size, unless GOGC is set. Package runtime/metrics has the exact size but takes 0.1
// ms to initialize in every run.
func liveHeap() int64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(min(stats.HeapAlloc, stats.NextGC/2))
}
