//go:build race

package smoke

import (
	"runtime"
	"testing"
)

// With the race detector, allocations vary from run to run, so they must not be compared.
func TestNoAllocationsWithRaceDetector(t *testing.T) {
	rate := runtime.MemProfileRate
	defer func() { runtime.MemProfileRate = rate }()
	runtime.MemProfileRate = 1
	if figures := allocations(); figures != nil {
		t.Errorf("figures %v, want none", figures)
	}
}
