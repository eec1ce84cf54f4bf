package fastclock

import (
	"time"

	"golang.org/x/sys/unix"
)

// Thread returns the processor time used by the calling thread, and whether the system can measure
// it. A goroutine is guaranteed to stay on one thread only between runtime.LockOSThread and
// UnlockOSThread.
func Thread() (used time.Duration, ok bool) {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}
