//go:build unix

package main

import (
	"os"
	"syscall"
	"time"
)

// dieOf ends the process by a signal. A shell ends its loop only if its child died of the
// interrupt: an exit status of 130 may mean anything.
//
// It returns if the signal cannot be sent, or was ignored when the process began.
func dieOf(s os.Signal) {
	number, ok := s.(syscall.Signal)
	if !ok || syscall.Kill(syscall.Getpid(), number) != nil {
		return
	}
	time.Sleep(patience) // another thread may take the signal
}
