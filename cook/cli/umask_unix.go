//go:build unix

package cli

import "syscall"

// otherUmask gives the process another umask until undo is called: one that
// keeps new files private, unless that is the one it has.
func otherUmask() (undo func()) {
	const private = 0o077
	was := syscall.Umask(private)
	if was == private {
		syscall.Umask(0o022)
	}
	return func() { syscall.Umask(was) }
}
