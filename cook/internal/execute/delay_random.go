//go:build delays

package execute

import (
	"math/rand/v2"
	"time"
)

// delayAction delays a quarter of the actions by up to 30 ms, so that actions end in random order.
// With the build tag delays, tests that rely on a fixed order fail.
func delayAction() {
	if rand.IntN(4) == 0 {
		time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond)
	}
}
