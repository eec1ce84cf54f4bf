//go:build unix

package run

import "syscall"

// otherUmask changes the umask of the process until undo is called: to one that keeps new files
// private, or to another one if it has that already.
func otherUmask() (undo func()) {
	const private = 0o077
	was := syscall.Umask(private)
	if was == private {
		syscall.Umask(0o022)
	}
	return func() { syscall.Umask(was) }
}
