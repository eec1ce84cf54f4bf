//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time of this process, which is independent of other load.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0 // cannot fail for this process
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
