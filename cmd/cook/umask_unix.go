//go:build unix

package main

import "syscall"

// otherUmask gives the process another umask until undo is called: one that
// shows what is new to nobody else, unless that is the one it has.
func otherUmask() (undo func()) {
	const private = 0o077
	was := syscall.Umask(private)
	if was == private {
		syscall.Umask(0o022)
	}
	return func() { syscall.Umask(was) }
}
