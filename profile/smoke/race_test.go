//go:build race

package smoke

import (
	"runtime"
	"testing"
)

// What a program with the race detector allocates differs from run to run, so it is not
// compared.
func TestNoAllocationsWithRaceDetector(t *testing.T) {
	rate := runtime.MemProfileRate
	defer func() { runtime.MemProfileRate = rate }()
	runtime.MemProfileRate = 1
	if figures := allocations(); figures != nil {
		t.Errorf("figures %v, want none", figures)
	}
}
