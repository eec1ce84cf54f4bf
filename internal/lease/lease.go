// Package lease reports whether any process could write to an open file without changing its stamp.
//
// The first write through a shared mapping changes the stamp of a file. Further writes to pages
// that have not been written back do not change it. So an unchanged stamp proves nothing about
// content read while a process has the file mapped, nor about content read during a long write,
// which sets the stamp when it starts.
//
// stat reveals neither case, but Linux grants a read lease (fcntl(2), F_SETLEASE) only on a file
// that no process has open for writing. A writable mapping counts as open. If the lease is granted
// before the first byte is read, every later writer must open the file again, and its first write
// changes the stamp.
//
// The lease is released at once, after about a microsecond. A process that opens the file for
// writing in between waits until then, or gets EWOULDBLOCK with O_NONBLOCK, and this process
// receives a SIGIO, which the Go runtime ignores. A program in another language that uses this
// package as a library should ignore SIGIO.
package lease

import "os"

// An Answer is the system's report about a file.
type Answer uint8

const (
	// Unknown means that the system cannot tell: it is not Linux, the file belongs to another user
	// and this process may not lease it, or the file system does not support leases or uses them
	// differently.
	Unknown Answer = iota
	// Quiet means that no process has the file open or mapped for writing. An overlay file system
	// forgets a mapping whose descriptor was closed.
	Quiet
	// Busy means that a process has the file open or mapped for writing.
	Busy
)

// File queries the system about a file that is open for reading only.
func File(f *os.File) Answer {
	raw, err := f.SyscallConn()
	if err != nil {
		return Unknown
	}
	answer := Unknown
	if raw.Control(func(fd uintptr) { answer = Ask(int(fd)) }) != nil {
		return Unknown
	}
	return answer
}
