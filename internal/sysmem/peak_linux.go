package sysmem

import (
	"bytes"
	"os"
	"strconv"
	"sync/atomic"
)

// PeakRSS returns the most bytes of physical memory that the process has held at once
// since it began, files that it has mapped included; 0 if that is not known. Getrusage
// would do, but counts what the parent held before exec as well.
//
// The system does not count exactly what is given back, and may say less than it said
// before. So this is the most that it ever said.
func PeakRSS() int64 {
	now := PeakRSSOf(os.Getpid())
	for {
		most := mostRSS.Load()
		if now <= most || mostRSS.CompareAndSwap(most, now) {
			return max(now, most)
		}
	}
}

var mostRSS atomic.Int64

// PeakRSSOf is PeakRSS of a process that is running; 0 but on Linux.
func PeakRSSOf(pid int) int64 {
	status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	return parse(status, "VmHWM:")
}

// RSS returns the bytes of physical memory that the process holds now, files that it
// has mapped included; 0 if that is not known.
func RSS() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	return parse(status, "VmRSS:")
}

// parse finds a line such as "VmHWM:   1234 kB".
func parse(status []byte, name string) int64 {
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
			number, unit, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
			n, err := strconv.ParseInt(string(number), 10, 64)
			if err != nil || n < 0 || n > 1<<52 || string(unit) != "kB" {
				return 0
			}
			return n << 10
		}
	}
	return 0
}
