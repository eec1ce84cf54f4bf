//go:build unix

package run

import "syscall"

// otherUmask changes the umask of the process to 077, or to 022 if it already is 077, until undo is
// called.
func otherUmask() (undo func()) {
	const private = 0o077
	was := syscall.Umask(private)
	if was == private {
		syscall.Umask(0o022)
	}
	return func() { syscall.Umask(was) }
}
