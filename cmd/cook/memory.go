package main

import (
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/report"
)

// besides is what the process takes when nothing is being cooked and the run has
// no tree to remember: buffers, stacks, the runtime.
const besides = 32 << 20

// A memoryLimit makes the garbage collector keep to the memory that recipes may
// take. They are admitted by what they need at once; without a limit the
// collector would let as much garbage again pile up beside it.
type memoryLimit struct {
	report.Multi // does nothing for what is not watched
	memory       int64
	set          bool
}

func (m *memoryLimit) Planned(assets int, _ time.Duration) {
	if assets == 0 || m.set {
		return
	}
	m.set = true
	if m.memory <= 0 {
		m.memory = cook.DefaultMemory()
	}
	// What the run remembers of a large tree is not the recipes'.
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	limit := m.memory + int64(live[0].Value.Uint64()) + besides
	if limit < debug.SetMemoryLimit(-1) { // which GOMEMLIMIT may have set
		debug.SetMemoryLimit(limit)
	}
}
