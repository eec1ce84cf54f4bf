//go:build amd64 || arm64

package faultfs

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A notice is struct seccomp_notif: a call that waits for an answer.
type notice struct {
	id     uint64
	pid    uint32 // of the thread
	_      uint32
	number int32
	_      uint32
	_      uint64
	args   [6]uint64
}

// An answer is struct seccomp_notif_resp.
type answer struct {
	id    uint64
	value int64
	err   int32 // negative
	flags uint32
}

// pollTime is how often the context is checked while no call arrives, in ms.
const pollTime = 50

// serve answers calls until no process is left that could make one.
func (w *watcher) serve(ctx context.Context) error {
	// With both processes on one processor, an answer takes half the time.
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
			if err := w.one(); err != nil {
				return err
			}
		case poll[0].Revents != 0:
			return nil
		}
	}
}

// They contain struct sizes and directions, the same on both architectures.
const (
	ioctlValid    = 0x40082102
	ioctlSetFlags = 0x40082104
)

func (w *watcher) ioctl(request uintptr, p unsafe.Pointer) syscall.Errno {
	for {
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(w.listener), request, uintptr(p)); errno != unix.EINTR {
			return errno
		}
	}
}

// one receives a call and answers it.
func (w *watcher) one() error {
	var n notice
	switch errno := w.ioctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); errno {
	case 0:
	case unix.ENOENT: // the caller was killed or interrupted before
		return nil
	default:
		return fmt.Errorf("receive a call: %w", errno)
	}
	a := w.judge(&n)
	a.id = n.id
	if errno := w.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a)); errno != 0 && errno != unix.ENOENT {
		return fmt.Errorf("answer a call: %w", errno)
	}
	return nil
}

// judge numbers a call, and applies the decision about it.
func (w *watcher) judge(n *notice) answer {
	goOn := answer{flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	if w.done {
		return goOn
	}
	s := w.table[int(n.number)]
	c := w.describe(n, &s)
	// Data read from a caller that has ended may belong to another process.
	if id := n.id; c.Path == "" || w.ioctl(ioctlValid, unsafe.Pointer(&id)) != 0 {
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
		// A caller that has ended has number 0, which would mean this process.
		if pid := processOf(n.pid); pid > 0 && unix.Kill(pid, unix.SIGKILL) == nil {
			return answer{err: -int32(unix.EINTR)} // the killed process never sees it
		}
		return goOn
	case Short:
		moved, errno := half(n, s.data)
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

// processOf returns the process of a thread.
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
