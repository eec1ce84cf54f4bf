package cook_test

import (
	"runtime"
	"testing"
)

// The memory that a no-op run allocates does not depend on the number of files: 2,900
// more files in the same folders make no difference, apart from what the runtime and
// package testing allocate meanwhile. On other systems than Linux, package dirfd allocates
// a string for each name.
func TestUnchangedFilesAllocateNothing(t *testing.T) {
	const noise, noiseBytes = 20, 8 << 10
	few, fewBytes := allocations(smallFiles(t, 100))
	many, manyBytes := allocations(smallFiles(t, 3000))
	if many > few+noise {
		t.Errorf("100 files: %d allocations, 3000 files: %d", few, many)
	}
	// Not even the index is allocated: it is mapped.
	if manyBytes > fewBytes+noiseBytes {
		t.Errorf("100 files: %d bytes, 3000 files: %d", fewBytes, manyBytes)
	}
}

// allocations returns what a run allocates: the minimum of some runs, because other
// goroutines may allocate meanwhile.
func allocations(p *project) (mallocs, bytes uint64) {
	p.Helper()
	mallocs, bytes = 1<<63, 1<<63
	for range 7 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s := p.cook()
		runtime.ReadMemStats(&after)
		if s.ByStamp.Assets != p.files || s.Looked.Listed != 0 {
			p.Fatalf("%s, %d folders listed", s.String(), s.Looked.Listed)
		}
		mallocs = min(mallocs, after.Mallocs-before.Mallocs)
		bytes = min(bytes, after.TotalAlloc-before.TotalAlloc)
	}
	return mallocs, bytes
}
