//go:build delays

package execute

import (
	"math/rand/v2"
	"time"
)

// delayAction delays one action in four by up to 30 ms, so that the actions of a run end in random
// order. Tests that expect one order fail with the build tag delays.
func delayAction() {
	if rand.IntN(4) == 0 {
		time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond)
	}
}
