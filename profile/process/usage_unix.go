//go:build unix && !aix && !solaris

package process

import (
	"time"

	"golang.org/x/sys/unix"
)

type rusage = unix.Rusage

// readUsage reads figures with the system call getrusage.
func readUsage(f *figures, usage *rusage) {
	if unix.Getrusage(unix.RUSAGE_SELF, usage) != nil {
		return
	}
	f.MinorFaults, f.MajorFaults = int64(usage.Minflt), int64(usage.Majflt)
	f.User, f.System = time.Duration(usage.Utime.Nano()), time.Duration(usage.Stime.Nano())
}
