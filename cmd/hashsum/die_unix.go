//go:build unix

package main

import (
	"os"
	"syscall"
	"time"
)

// dieOf ends the process by a signal that it caught and no longer catches. A
// shell ends its loop only if it sees its child die of the interrupt: an exit
// status of 130 may mean anything.
//
// It returns if the signal cannot be sent, or was ignored when the process began.
func dieOf(s os.Signal) {
	number, ok := s.(syscall.Signal)
	if !ok || syscall.Kill(syscall.Getpid(), number) != nil {
		return
	}
	time.Sleep(patience) // another thread may be the one that takes the signal
}
