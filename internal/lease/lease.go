// Package lease reports whether any process could write to an open file without changing its stamp.
//
// The first write through a shared mapping changes the stamp of a file. Further writes to the same
// pages do not change it until the system has written the pages back. So an unchanged stamp proves
// nothing about content that was read while a process had the file mapped. The same is true of
// content read during a long write, which sets the stamp when it starts.
//
// stat reveals neither case. But Linux grants a read lease (fcntl(2), F_SETLEASE) only on a file
// that no process has open for writing, and a writable mapping counts as open. If the lease is
// granted before the first byte is read, every later writer must open the file again, and its first
// write changes the stamp.
//
// The lease is released after about a microsecond. A process that opens the file for writing in
// this time waits for the release, or gets EWOULDBLOCK with O_NONBLOCK. This process then receives
// a SIGIO, which the Go runtime ignores. A program in another language that uses this package as a
// library should ignore SIGIO.
package lease

import "os"

// An Answer is the system's report about a file.
type Answer uint8

const (
	// Unknown means that the system cannot answer. It is not Linux, or the file belongs to another
	// user and this process may not lease it. Or the file system does not support leases or uses
	// them differently.
	Unknown Answer = iota
	// Quiet means that no process has the file open or mapped for writing. On an overlay file
	// system, a mapping whose descriptor was closed is not noticed.
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
