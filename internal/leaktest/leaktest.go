// Package leaktest detects goroutines that are still running after a test.
package leaktest

import (
	"runtime"
	"testing"
	"time"
)

// Check fails the test if goroutines are still running when the test ends.
func Check(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		// After its last statement, a goroutine needs some time to exit.
		deadline := time.Now().Add(10 * time.Second)
		for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
			runtime.Gosched()
		}
		if n := runtime.NumGoroutine(); n > before {
			stacks := make([]byte, 64<<10)
			t.Errorf("%d goroutines are running; there were %d before\n%s", n, before, stacks[:runtime.Stack(stacks, true)])
		}
	})
}
