package cook_test

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/assetcook/assetcook/cook"
)

// TestUnchangedFilesAllocateNothing expects that no-op runs over 100 and over 3,000 files allocate
// the same memory, apart from noise. The test needs Linux, because package dirfd allocates a string
// for each name on other systems.
func TestUnchangedFilesAllocateNothing(t *testing.T) {
	const noise, noiseBytes = 20, 8 << 10
	few, fewBytes := allocations(smallFiles(t, 100), noEdit, unchanged(100))
	many, manyBytes := allocations(smallFiles(t, 3000), noEdit, unchanged(3000))
	if many > few+noise {
		t.Errorf("100 files: %d allocations, 3000 files: %d", few, many)
	}
	// The index is mapped rather than allocated.
	if manyBytes > fewBytes+noiseBytes {
		t.Errorf("100 files: %d bytes, 3000 files: %d", fewBytes, manyBytes)
	}
}

// unchanged returns a check for a run that finds all files up to date and lists no directory.
func unchanged(files int) func(*project) {
	return func(p *project) {
		if s := p.cook(); s.ByStamp.Assets != files || s.Looked.Listed != 0 {
			p.Fatalf("%s, %d directories listed", s.String(), s.Looked.Listed)
		}
	}
}

func noEdit() {}

// TestPatternAllocatesForItsFiles expects the allocations of a run over a few files not to depend
// on the number of other files.
func TestPatternAllocatesForItsFiles(t *testing.T) {
	const noise, noiseBytes = 20, 8 << 10
	few, fewBytes := patternAllocations(smallFiles(t, 500))
	many, manyBytes := patternAllocations(smallFiles(t, 3000))
	if many > few+noise || manyBytes > fewBytes+noiseBytes {
		t.Errorf("500 files: %d allocations of %d bytes, 3000 files: %d of %d", few, fewBytes, many, manyBytes)
	}
}

func patternAllocations(p *project) (mallocs, bytes uint64) {
	p.run.Patterns = []string{"7/0007.txt", "7/0017.txt"}
	return allocations(p, noEdit, unchanged(2))
}

// TestAllocationsOfEachFile limits the allocations per file in runs that report every asset, and in
// runs after an edit of the rules.
func TestAllocationsOfEachFile(t *testing.T) {
	for _, tt := range []struct {
		what           string
		mallocs, bytes float64 // upper limits for each file
		begin          func(*project) (edit func())
	}{
		{"every asset", 3.1, 60, func(p *project) func() {
			p.run.Observer, p.run.EveryAsset = cook.Observers{}, true
			return noEdit
		}},
		{"comment", 2.1, 60, func(p *project) func() {
			rules := "[[rule]]\nmatch = \"*\"\nrecipe = \"copy\"\n"
			return func() {
				rules += "# comment\n"
				p.write("cook.toml", rules)
			}
		}},
	} {
		measure := func(files int) (mallocs, bytes float64) {
			p := smallFiles(t, files)
			m, b := allocations(p, tt.begin(p), unchanged(files))
			return float64(m), float64(b)
		}
		few, fewBytes := measure(500)
		many, manyBytes := measure(3500)
		t.Logf("%s: %.2f allocations of %.0f bytes for each file", tt.what, (many-few)/3000, (manyBytes-fewBytes)/3000)
		if many-few > tt.mallocs*3000 || manyBytes-fewBytes > tt.bytes*3000 {
			t.Errorf("%s: %.2f allocations of %.0f bytes for each file", tt.what, (many-few)/3000, (manyBytes-fewBytes)/3000)
		}
	}
}

// allocations returns the minimum over several runs, because other goroutines also allocate. Each
// run follows an edit. The garbage collector is off, because it empties pools of buffers.
func allocations(p *project, edit func(), run func(*project)) (mallocs, bytes uint64) {
	p.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	mallocs, bytes = 1<<63, 1<<63
	for range 7 {
		var before, after runtime.MemStats
		edit()
		runtime.ReadMemStats(&before)
		run(p)
		runtime.ReadMemStats(&after)
		mallocs = min(mallocs, after.Mallocs-before.Mallocs)
		bytes = min(bytes, after.TotalAlloc-before.TotalAlloc)
	}
	return mallocs, bytes
}
