//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that the process has taken, which other work
// on the machine does not add to.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0 // it cannot fail for oneself
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
