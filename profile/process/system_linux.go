package process

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// A system reads the figures that Linux reports for the process. It keeps the files open, because
// opening them for each reading would allocate.
type system struct {
	status int // descriptor of /proc/self/status; -1 if not open
	fds    int // descriptor of /proc/self/fd
	usage  unix.Rusage
	stat   unix.Stat_t
	buf    [8192]byte
}

func (s *system) open() {
	s.status = openOrNone("/proc/self/status", 0)
	s.fds = openOrNone("/proc/self/fd", unix.O_DIRECTORY)
}

func openOrNone(name string, flags int) int {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC|flags, 0)
	if err != nil {
		return -1
	}
	return fd
}

func (s *system) close() {
	for _, fd := range [...]*int{&s.status, &s.fds} {
		if *fd >= 0 {
			unix.Close(*fd)
			*fd = -1
		}
	}
}

func (s *system) read(f *figures) {
	readUsage(f, &s.usage)
	if s.status >= 0 {
		if n, err := unix.Pread(s.status, s.buf[:], 0); err == nil {
			parseStatus(s.buf[:n], f)
		}
	}
	if s.fds >= 0 {
		f.OpenFiles = s.openFiles()
	}
}

// openFiles counts the open descriptors. Since Linux 6.2, the size of the directory is their
// number. On older kernels, openFiles counts the entries.
func (s *system) openFiles() int64 {
	if unix.Fstat(s.fds, &s.stat) == nil && s.stat.Size > 0 {
		return s.stat.Size
	}
	return s.countEntries()
}

func (s *system) countEntries() int64 {
	if _, err := unix.Seek(s.fds, 0, 0); err != nil {
		return unknown
	}
	count := int64(-2) // Skip the entries . and ..
	for {
		n, err := unix.ReadDirent(s.fds, s.buf[:])
		if err != nil {
			return unknown
		}
		if n <= 0 {
			return max(count, 0)
		}
		count += countRecords(s.buf[:n])
	}
}

// countRecords counts the getdents64 records in b. Bytes 16 and 17 of a record hold its length.
func countRecords(b []byte) (n int64) {
	for len(b) >= 18 {
		length := int(binary.NativeEndian.Uint16(b[16:]))
		if length < 18 || length > len(b) {
			break
		}
		b = b[length:]
		n++
	}
	return n
}

// parseStatus reads the lines "VmHWM:   1234 kB", "VmRSS:    1200 kB" and "Threads:  7".
func parseStatus(status []byte, f *figures) {
	for len(status) > 0 {
		var line []byte
		line, status, _ = bytes.Cut(status, newline)
		switch key, rest, _ := bytes.Cut(line, colon); string(key) {
		case "VmHWM":
			f.PeakRSS = kilobytes(rest)
		case "VmRSS":
			f.RSS = kilobytes(rest)
		case "Threads":
			if n, unit := leadingNumber(rest); len(unit) == 0 {
				f.Threads = n
			}
		}
	}
}

var newline, colon = []byte("\n"), []byte(":")

func kilobytes(b []byte) int64 {
	n, unit := leadingNumber(b)
	if n == unknown || string(unit) != " kB" {
		return unknown
	}
	return n << 10
}

// leadingNumber reads a decimal number after blanks. It returns unknown unless there is a number
// below 2^52.
func leadingNumber(b []byte) (n int64, rest []byte) {
	b = bytes.TrimLeft(b, " \t")
	digits := 0
	for ; digits < len(b) && b[digits] >= '0' && b[digits] <= '9'; digits++ {
		if n = n*10 + int64(b[digits]-'0'); n >= 1<<52 {
			return unknown, b
		}
	}
	if digits == 0 {
		return unknown, b
	}
	return n, b[digits:]
}
