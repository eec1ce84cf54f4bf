//go:build delays

package execute

import (
	"math/rand/v2"
	"time"
)

// delayAction waits up to 30 ms. With the build tag delays, actions end in random order, which
// shows whether a test depends on their order.
func delayAction() {
	time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond)
}
