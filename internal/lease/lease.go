// Package lease tells whether anybody could write to an open file without its
// stamp showing it.
//
// The first write through a shared mapping gives a file a new stamp; those that
// follow, to pages that have not been written back yet, give it none. So an old
// stamp does not vouch for what is read while somebody has the file mapped. Nor
// does it in the middle of a long write, which sets the stamp when it begins.
// No stat shows either, but Linux knows: it grants a read lease (fcntl(2),
// F_SETLEASE) only on a file that nobody has open for writing, and one that is
// mapped writable counts as open. Asked before the first byte is read, a grant
// means that whoever writes later has to open the file anew, and that the first
// thing he writes changes the stamp.
//
// The lease is given back at once. Who opens the file for writing in the
// microsecond between waits for that long, or is told EWOULDBLOCK if he will not
// wait (O_NONBLOCK), and we are sent a SIGIO, which the Go runtime swallows. A
// program in another language that holds this package as a library should ignore
// SIGIO.
package lease

import "os"

// An Answer is what the system says of a file.
type Answer uint8

const (
	// Unknown means that the system cannot tell: it is not Linux, the file is
	// neither ours nor are we allowed to lease those of others, or its file system
	// has no leases, or ones that are about something else.
	Unknown Answer = iota
	// Quiet means that nobody has the file open for writing, or mapped so. An
	// overlay file system forgets a mapping whose descriptor was closed.
	Quiet
	// Busy means that somebody has.
	Busy
)

// File asks about a file that is open for reading only.
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
