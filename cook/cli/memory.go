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
	large          bool
	percent        int // of the collector, while it is hurried; 0 if it is not
}

// While the index of a large tree is made, all that the run knows is held at once, and
// no recipe makes garbage: to collect more often then costs little and takes a fifth off
// the peak.
const (
	largeTree = 10_000 // assets with work to do
	hurry     = 25     // percent
)

func (m *memoryLimit) Stage(name string) {
	switch saving := name == "save"; {
	case saving && m.large && m.percent == 0 && os.Getenv("GOGC") == "":
		m.percent = debug.SetGCPercent(hurry)
	case !saving && m.percent != 0:
		debug.SetGCPercent(m.percent)
		m.percent = 0
	}
}

func (m *memoryLimit) Planned(assets int, _ time.Duration) {
	m.large = assets >= largeTree
	if assets == 0 || m.set {
		return
	}
	m.set = true
	if m.memory <= 0 {
		m.memory = cook.DefaultMemory()
	}
	// What the run remembers of a large tree is not the recipes'.
	limit := m.memory + liveHeap() + besides
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
