//go:build linux || darwin

package watch

import (
	"runtime"
	"testing"
	"time"
)

// noLeak fails the test if goroutines are left when it ends.
func noLeak(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		// One that has said goodbye may still be on its way out.
		deadline := time.Now().Add(10 * time.Second)
		for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
			runtime.Gosched()
		}
		if n := runtime.NumGoroutine(); n > before {
			stacks := make([]byte, 64<<10)
			t.Errorf("%d goroutines, %d before\n%s", n, before, stacks[:runtime.Stack(stacks, true)])
		}
	})
}
