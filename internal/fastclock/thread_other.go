//go:build !linux

package fastclock

import "time"

// Thread returns false: the thread's processor time is unknown.
func Thread() (used time.Duration, ok bool) { return 0, false }
