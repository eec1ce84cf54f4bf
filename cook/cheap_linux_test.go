package cook_test

import (
	"runtime"
	"testing"
)

// What a run allocates in which nothing changed does not depend on the number of
// files: 2,900 more of them in the same folders must not make a difference but
// for what the runtime and package testing do meanwhile. Elsewhere than on Linux
// package at makes a string of each name.
func TestUnchangedFilesAllocateNothing(t *testing.T) {
	const noise, noiseBytes = 20, 8 << 10
	few, fewBytes := allocations(newPantry(t, 100))
	many, manyBytes := allocations(newPantry(t, 3000))
	if many > few+noise {
		t.Errorf("100 files: %d allocations, 3000 files: %d", few, many)
	}
	// The index is mapped, so that not even its bytes are allocated.
	if manyBytes > fewBytes+noiseBytes {
		t.Errorf("100 files: %d bytes, 3000 files: %d", fewBytes, manyBytes)
	}
}

// allocations is what a run allocates: the least of some, because others may
// allocate meanwhile.
func allocations(p *pantry) (mallocs, bytes uint64) {
	p.Helper()
	mallocs, bytes = 1<<63, 1<<63
	for range 7 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s := p.cook()
		runtime.ReadMemStats(&after)
		if s.ByStamp.Assets != p.files || s.Looked.Listed != 0 {
			p.Fatalf("%s, %d folders listed", s.Line(), s.Looked.Listed)
		}
		mallocs = min(mallocs, after.Mallocs-before.Mallocs)
		bytes = min(bytes, after.TotalAlloc-before.TotalAlloc)
	}
	return mallocs, bytes
}
