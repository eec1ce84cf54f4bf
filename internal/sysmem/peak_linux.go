package sysmem

import (
	"bytes"
	"os"
	"strconv"
	"sync/atomic"
)

// PeakRSS returns the peak resident set size of the process in bytes, or 0 if it is unknown. This
// is the maximum of its physical memory since its start, including mapped files. Getrusage would
// also count memory of the parent before exec.
//
// The system counts freed memory inexactly, and may report less than before. So PeakRSS returns the
// maximum of all its readings.
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

// PeakRSSOf returns the PeakRSS of another running process; 0 on systems other than Linux.
func PeakRSSOf(pid int) int64 {
	status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	return parse(status, "VmHWM:")
}

// RSS returns the current resident set size of the process in bytes, or 0 if it is unknown. This is
// its physical memory, including mapped files.
func RSS() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	return parse(status, "VmRSS:")
}

// parse returns the number of bytes in a line such as "VmHWM: 1234 kB".
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
