//go:build amd64 || arm64

package faultfs

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Run passes these environment variables to Init, which removes them.
const (
	socketVar  = "FAULTFS_SOCKET"  // descriptor over which to send the listener
	programVar = "FAULTFS_PROGRAM" // program to execute
)

// Init becomes the program of a [Run] if this process was started by one. Otherwise it does
// nothing. Call it first in main or TestMain of every executable that calls Run.
func Init() {
	socket, err := strconv.Atoi(os.Getenv(socketVar))
	if err != nil {
		return
	}
	program := os.Getenv(programVar)
	os.Unsetenv(socketVar)
	os.Unsetenv(programVar)
	unix.CloseOnExec(socket)
	runtime.LockOSThread() // the filter belongs to the thread that becomes the program
	err = install(socket)
	if err == nil {
		err = syscall.Exec(program, os.Args, os.Environ())
	}
	fmt.Fprintf(os.Stderr, "faultfs: start %s: %v\n", program, err)
	os.Exit(127)
}

// install installs the filter on this thread and sends the listener to Run.
func install(socket int) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("prctl: %w", err)
	}
	program := filter()
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	// While Run handles a call, only a fatal signal ends the wait for its answer. Otherwise the Go
	// runtime's signals would make one call look like several.
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	listener, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return fmt.Errorf("seccomp: %w; this needs Linux 5.19", errno)
	}
	if err := unix.Sendmsg(socket, []byte{1}, unix.UnixRights(int(listener)), nil, 0); err != nil {
		return fmt.Errorf("send listener: %w", err)
	}
	return unix.Close(int(listener))
}
