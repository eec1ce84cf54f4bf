//go:build !linux

package fastclock

import "time"

// Thread cannot tell the processor time of the calling thread.
func Thread() (used time.Duration, ok bool) { return 0, false }
