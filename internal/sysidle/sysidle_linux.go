package sysidle

import (
	"bytes"
	"io"
	"os"
	"runtime"
	"strconv"
)

// ticks reads the first line of /proc/stat: user, nice, system, idle, iowait and more. Waiting for
// a disk counts as idle. The time of virtual machines is already included in user.
func ticks() (idle, total uint64, processors int, ok bool) {
	f, err := os.Open("/proc/stat")
	if err != nil {
		return 0, 0, 0, false
	}
	defer f.Close()
	var line [256]byte // room for the first line; other lines are not needed
	n, err := io.ReadFull(f, line[:])
	if err != nil && err != io.ErrUnexpectedEOF {
		return 0, 0, 0, false
	}
	idle, total, ok = parse(line[:n])
	return idle, total, runtime.NumCPU(), ok
}

func parse(stat []byte) (idle, total uint64, ok bool) {
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	words := bytes.Fields(line)
	if len(words) < 6 || string(words[0]) != "cpu" {
		return 0, 0, false
	}
	for i, word := range words[1:min(9, len(words))] {
		n, err := strconv.ParseUint(string(word), 10, 64)
		if err != nil {
			return 0, 0, false
		}
		if total += n; i == 3 || i == 4 {
			idle += n
		}
	}
	return idle, total, true
}
