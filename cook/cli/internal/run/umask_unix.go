//go:build unix

package run

import "syscall"

// otherUmask changes the umask of the process until undo is called. The new umask keeps new
// files private; if the current one already does, another umask is used.
func otherUmask() (undo func()) {
	const private = 0o077
	was := syscall.Umask(private)
	if was == private {
		syscall.Umask(0o022)
	}
	return func() { syscall.Umask(was) }
}
