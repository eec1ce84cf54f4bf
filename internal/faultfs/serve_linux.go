//go:build amd64 || arm64

package faultfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A notice is the kernel's struct seccomp_notif, which describes a call that waits for an answer.
type notice struct {
	id     uint64
	pid    uint32 // thread ID of the caller
	_      uint32
	number int32
	_      uint32
	_      uint64
	args   [6]uint64
}

// An answer is the kernel's struct seccomp_notif_resp.
type answer struct {
	id    uint64
	value int64
	err   int32 // error number, negated
	flags uint32
}

// pollTime is the interval, in ms, between checks of the context while no calls arrive.
const pollTime = 50

// answerCalls handles calls until the program and all its children have exited.
func (w *watcher) answerCalls(ctx context.Context) error {
	// This flag makes the kernel run both processes on the same processor, which halves the time
	// per call.
	unix.Syscall(unix.SYS_IOCTL, uintptr(w.listener), ioctlSetFlags, unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)
	for {
		if ctx.Err() != nil {
			return nil
		}
		poll := []unix.PollFd{{Fd: int32(w.listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(poll, pollTime); err != nil && err != unix.EINTR {
			return err
		}
		switch {
		case poll[0].Revents&unix.POLLIN != 0:
			if err := w.answerOneCall(); err != nil {
				return err
			}
		case poll[0].Revents != 0:
			return nil
		}
	}
}

// The request numbers contain the size and the direction of the struct. They are the same on both
// architectures.
const (
	ioctlValid    = 0x40082102
	ioctlSetFlags = 0x40082104
)

func (w *watcher) notifyIoctl(request uintptr, p unsafe.Pointer) syscall.Errno {
	for {
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(w.listener), request, uintptr(p)); errno != unix.EINTR {
			return errno
		}
	}
}

// answerOneCall receives a call and answers it.
func (w *watcher) answerOneCall() error {
	var n notice
	switch errno := w.notifyIoctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); errno {
	case 0:
	case unix.ENOENT: // the caller was killed or interrupted
		return nil
	default:
		return fmt.Errorf("receive a call: %w", errno)
	}
	a := w.applyDecision(&n)
	a.id = n.id
	if errno := w.notifyIoctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a)); errno != 0 && errno != unix.ENOENT {
		return fmt.Errorf("answer a call: %w", errno)
	}
	return nil
}

// applyDecision numbers a call, asks decide for the action and applies it.
func (w *watcher) applyDecision(n *notice) answer {
	goOn := answer{flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	if w.done {
		return goOn
	}
	s := w.table[int(n.number)]
	c := w.describeCall(n, &s)
	// If the caller has exited, another process may have its ID. Then describeCall read the wrong
	// memory.
	if id := n.id; c.Path == "" || w.notifyIoctl(ioctlValid, unsafe.Pointer(&id)) != 0 {
		return goOn
	}
	c.N = len(w.calls) + 1
	w.calls = append(w.calls, c)
	action := w.decide(c)
	w.done = action&AndNoMore != 0
	switch action &^= AndNoMore; action {
	case Continue:
		return goOn
	case Kill:
		// For a caller that has exited, the process ID is 0, which kill would interpret as this
		// process's group.
		if pid := processOf(n.pid); pid > 0 && unix.Kill(pid, unix.SIGKILL) == nil {
			return answer{err: -int32(unix.EINTR)} // the killed process does not receive this answer
		}
		return goOn
	case Short:
		moved, errno := halveTransfer(n, s.data)
		switch errno {
		case 0:
			return answer{value: int64(moved)}
		case unix.ENOTSUP:
			return goOn
		}
		return answer{err: -int32(errno)}
	default:
		return answer{err: -int32(action)}
	}
}

// processOf returns the process ID of a thread.
func processOf(thread uint32) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", thread))
	if _, after, ok := strings.Cut(string(status), "\nTgid:"); ok {
		var pid int
		if _, err := fmt.Sscan(after, &pid); err == nil {
			return pid
		}
	}
	return int(thread)
}

// halveTransfer does half of a transfer on behalf of the caller. ENOTSUP means that the transfer
// cannot be halved.
func halveTransfer(n *notice, what transfer) (moved int, errno syscall.Errno) {
	if what == none {
		return 0, unix.ENOTSUP
	}
	fd, err := n.borrow(n.args[0])
	if err != nil {
		return 0, unix.ENOTSUP
	}
	defer unix.Close(fd)
	switch what {
	case writes:
		moved, err = n.halfWrite(fd)
	case reads:
		moved, err = n.halfRead(fd)
	case copies:
		moved, err = n.halfCopy(fd)
	}
	if err != nil && !errors.As(err, &errno) {
		errno = unix.EIO
	}
	return moved, errno
}

func (n *notice) halfWrite(fd int) (int, error) {
	if n.args[2] < 2 {
		return 0, unix.ENOTSUP
	}
	b := make([]byte, min(n.args[2]/2, 1<<30))
	if err := n.readCallerMemory(b, n.args[1]); err != nil {
		return 0, err
	}
	if n.number == unix.SYS_PWRITE64 {
		return unix.Pwrite(fd, b, int64(n.args[3]))
	}
	return unix.Write(fd, b)
}

// halfRead returns half of the bytes that a full read would return. It does not return half of the
// requested number, because programs usually request more than the file contains.
func (n *notice) halfRead(fd int) (int, error) {
	b := make([]byte, min(n.args[2], 1<<20))
	at := int64(n.args[3])
	if n.number == unix.SYS_READ {
		var err error
		if at, err = unix.Seek(fd, 0, io.SeekCurrent); err != nil {
			return 0, unix.ENOTSUP
		}
	}
	have, err := unix.Pread(fd, b, at)
	if err != nil {
		return 0, err
	}
	if have < 2 {
		return 0, unix.ENOTSUP
	}
	b = b[:have/2]
	if err := n.writeCallerMemory(b, n.args[1]); err != nil {
		return 0, err
	}
	if n.number == unix.SYS_READ {
		if _, err := unix.Seek(fd, int64(len(b)), io.SeekCurrent); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// halfCopy does half of a copy_file_range call that uses the current offsets of both files.
func (n *notice) halfCopy(from int) (int, error) {
	var st unix.Stat_t
	at, err := unix.Seek(from, 0, io.SeekCurrent)
	if err != nil || n.args[1] != 0 || n.args[3] != 0 || unix.Fstat(from, &st) != nil {
		return 0, unix.ENOTSUP
	}
	size := min(st.Size-at, int64(n.args[4])) / 2
	if size < 1 {
		return 0, unix.ENOTSUP
	}
	to, err := n.borrow(n.args[2])
	if err != nil {
		return 0, unix.ENOTSUP
	}
	defer unix.Close(to)
	return unix.CopyFileRange(from, nil, to, nil, int(size), 0)
}

// borrow duplicates the caller's file descriptor in this process. The duplicate shares the offset
// of the original.
func (n *notice) borrow(fd uint64) (int, error) {
	process, err := unix.PidfdOpen(processOf(n.pid), 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(process)
	return unix.PidfdGetfd(process, int(int32(fd)), 0)
}
