//go:build delays

package execute

import (
	"math/rand/v2"
	"time"
)

// delayAction delays an eighth of the actions by up to 10 ms, so that actions end in random order.
// With the build tag delays, tests that rely on a fixed order fail.
func delayAction() {
	if rand.IntN(8) == 0 {
		time.Sleep(time.Duration(rand.IntN(10)) * time.Millisecond)
	}
}
