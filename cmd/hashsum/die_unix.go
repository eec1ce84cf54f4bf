//go:build unix

package main

import (
	"os"
	"syscall"
	"time"
)

// dieOf kills the process with a signal. A shell ends its loop only if the interrupt signal killed
// the child. An exit status of 130 does not suffice, because it may have other causes.
//
// dieOf returns if the signal cannot be sent, or was ignored when the process began.
func dieOf(s os.Signal) {
	number, ok := s.(syscall.Signal)
	if !ok || syscall.Kill(syscall.Getpid(), number) != nil {
		return
	}
	time.Sleep(patience) // another thread may receive the signal, so wait for it
}
