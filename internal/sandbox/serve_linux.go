//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A call says which arguments of a system call are what.
type call struct {
	folder, path, value, flags int // numbers of arguments
	change                     change
	opens                      opens // of those that name files
}

// opens says how a call gives the flags of open.
type opens int

const (
	looks   opens = iota // it opens nothing
	byFlags              // as an argument
	byHow                // in struct open_how
	creates              // they are those of creat
)

// A change is what a call sets, and in which form.
type change int

const (
	mode         change = iota
	seconds             // struct utimbuf
	microseconds        // two of struct timeval
	nanoseconds         // two of struct timespec
)

// none is the number of no argument.
const none = -1

// changing are the calls that change modes and times. They are carried out here, on what
// lies in a folder of the box: what a path means can change between a look at it and the
// call.
var changing = map[uint32]call{
	unix.SYS_FCHMOD:    {folder: 0, path: none, value: 1, flags: none, change: mode},
	unix.SYS_FCHMODAT:  {folder: 0, path: 1, value: 2, flags: none, change: mode},
	sysFchmodat2:       {folder: 0, path: 1, value: 2, flags: 3, change: mode},
	unix.SYS_UTIMENSAT: {folder: 0, path: 1, value: 2, flags: 3, change: nanoseconds},
}

// sysFchmodat2 is the same on all machines.
const sysFchmodat2 = 452

// naming are the calls that name a file to open, to look at or to execute.
var naming = map[uint32]call{
	unix.SYS_OPENAT: {folder: 0, path: 1, flags: 2, opens: byFlags}, unix.SYS_OPENAT2: {folder: 0, path: 1, flags: 2, opens: byHow},
	unix.SYS_STATX: {folder: 0, path: 1, flags: 2}, sysNewfstatat: {folder: 0, path: 1, flags: 3},
	unix.SYS_FACCESSAT: {folder: 0, path: 1, flags: none}, unix.SYS_FACCESSAT2: {folder: 0, path: 1, flags: 3},
	unix.SYS_READLINKAT: {folder: 0, path: 1, flags: none},
}

// A notice is struct seccomp_notif, an answer struct seccomp_notif_resp.
type (
	notice struct {
		id     uint64
		pid    uint32
		flags  uint32
		number int32
		arch   uint32
		ip     uint64
		args   [6]uint64
	}
	answer struct {
		id    uint64
		value int64
		errno int32
		flags uint32
	}
)

const ioctlValid = 0x40082102 // SECCOMP_IOCTL_NOTIF_ID_VALID

// serve answers for those in the box until nobody is left.
func (b *Box) serve(listener int) {
	defer close(b.gone)
	defer unix.Close(listener)
	wakeAtOnce(listener)
	for {
		fds := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); err != nil || fds[0].Revents&unix.POLLIN == 0 {
			if err == nil && haveHungUp(fds[0].Revents) {
				return
			}
			continue
		}
		var n notice
		if ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)) != 0 {
			continue // it was killed meanwhile
		}
		a := answer{id: n.id}
		if c, ok := changing[uint32(n.number)]; ok {
			a.errno = -int32(b.carryOut(listener, &n, c))
		} else if !b.find(listener, &n, naming[uint32(n.number)], &a) {
			continue // it has its answer
		}
		ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a))
	}
}

// haveHungUp reports whether poll says that nobody is left. An error is none of ours: the
// system reports one when a signal kept it from looking. To take that for the end would
// fail the next call of whoever is in the box, for who closes the listener is not there.
func haveHungUp(revents int16) bool { return revents&unix.POLLHUP != 0 }

func ioctl(fd int, request uintptr, arg unsafe.Pointer) unix.Errno {
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(arg))
		if errno != unix.EINTR {
			return errno
		}
	}
}

// carryOut makes a change if the file is one of the box.
func (b *Box) carryOut(listener int, n *notice, c call) unix.Errno {
	value, errno := n.value(c)
	if errno != 0 {
		return errno
	}
	fd, errno := n.open(c)
	if errno != 0 {
		return errno
	}
	defer unix.Close(fd)
	// What was read is that of the caller unless he is gone, and somebody else has his
	// number.
	if ioctl(listener, ioctlValid, unsafe.Pointer(&n.id)) != 0 {
		return unix.ENOENT
	}
	name, err := nameOf(fd)
	if err != nil || !slices.ContainsFunc(b.writes, func(dir string) bool { return below(dir, name) }) {
		return unix.EPERM
	}
	if c.change == mode {
		err = unix.Fchmodat(unix.AT_FDCWD, ownName(fd), value.mode, 0)
	} else {
		err = unix.UtimesNanoAt(fd, "", value.times, unix.AT_EMPTY_PATH)
	}
	if err != nil && !errors.As(err, &errno) {
		errno = unix.EPERM
	}
	return errno
}

func ownName(fd int) string { return fmt.Sprintf("/proc/self/fd/%d", fd) }

// nameOf returns where a file is that is open here.
func nameOf(fd int) (string, error) { return os.Readlink(ownName(fd)) }

// A value is what a change sets.
type value struct {
	mode  uint32
	times []unix.Timespec
}

func (n *notice) value(c call) (value, unix.Errno) {
	arg := n.args[c.value]
	if c.change == mode {
		return value{mode: uint32(arg) & 0o1777}, 0
	}
	now := unix.Timespec{Nsec: unix.UTIME_NOW}
	if arg == 0 {
		return value{times: []unix.Timespec{now, now}}, 0
	}
	raw := make([]byte, 32)
	if c.change == seconds {
		raw = raw[:16]
	}
	if errno := n.read(arg, raw); errno != 0 {
		return value{}, errno
	}
	at := func(i int) int64 { return int64(binary.NativeEndian.Uint64(raw[8*i:])) }
	if c.change == seconds {
		return value{times: []unix.Timespec{{Sec: at(0)}, {Sec: at(1)}}}, 0
	}
	unit := int64(1)
	if c.change == microseconds {
		unit = 1000
	}
	return value{times: []unix.Timespec{{Sec: at(0), Nsec: at(1) * unit}, {Sec: at(2), Nsec: at(3) * unit}}}, 0
}

// read fills data with the caller's memory. The error is EPERM if that is kept from us, else
// EFAULT.
func (n *notice) read(at uint64, data []byte) unix.Errno {
	got, err := unix.ProcessVMReadv(int(n.pid), []unix.Iovec{{Base: &data[0], Len: uint64(len(data))}},
		[]unix.RemoteIovec{{Base: uintptr(at), Len: len(data)}}, 0)
	switch {
	case errors.Is(err, unix.EPERM):
		return unix.EPERM
	case err != nil || got != len(data):
		return unix.EFAULT
	}
	return 0
}

// text reads a path of the caller.
func (n *notice) text(at uint64) (string, unix.Errno) {
	const page = 4096
	var path []byte
	for len(path) < unix.PathMax {
		piece := make([]byte, page-(at+uint64(len(path)))%page) // the next page may not be there
		if errno := n.read(at+uint64(len(path)), piece); errno != 0 {
			return "", errno
		}
		if end := bytes.IndexByte(piece, 0); end >= 0 {
			return string(append(path, piece[:end]...)), 0
		}
		path = append(path, piece...)
	}
	return "", unix.ENAMETOOLONG
}

// where returns the path that a call names, and what in /proc it is relative to: "" if
// it is absolute.
func (n *notice) where(c call) (folder, path string, errno unix.Errno) {
	if c.path != none && n.args[c.path] != 0 {
		if path, errno = n.text(n.args[c.path]); errno != 0 {
			return "", "", errno
		}
	}
	for _, cwd := range []string{"/proc/self/cwd/", fmt.Sprintf("/proc/%d/cwd/", n.pid)} {
		if rest, ok := strings.CutPrefix(path, cwd); ok {
			return fmt.Sprintf("/proc/%d/cwd", n.pid), rest, 0
		}
	}
	switch {
	case filepath.IsAbs(path):
		return "", path, 0
	case c.folder == none || int32(n.args[c.folder]) == unix.AT_FDCWD:
		return fmt.Sprintf("/proc/%d/cwd", n.pid), path, 0
	}
	return fmt.Sprintf("/proc/%d/fd/%d", n.pid, int32(n.args[c.folder])), path, 0
}

// open opens what a call names, for no more than to know which file it is.
func (n *notice) open(c call) (int, unix.Errno) {
	folder, path, errno := n.where(c)
	if errno != 0 {
		return -1, errno
	}
	base := unix.AT_FDCWD
	if folder != "" {
		fd, err := unix.Open(folder, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return -1, unix.EBADF
		}
		if path == "" {
			empty := c.path == none || n.args[c.path] == 0 || c.flags != none && n.args[c.flags]&unix.AT_EMPTY_PATH != 0
			if !empty {
				unix.Close(fd)
				return -1, unix.ENOENT
			}
			return fd, 0
		}
		defer unix.Close(fd)
		base = fd
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS} // /proc/self would be us
	if c.flags != none && n.args[c.flags]&unix.AT_SYMLINK_NOFOLLOW != 0 {
		how.Flags |= unix.O_NOFOLLOW
	}
	fd, err := unix.Openat2(base, path, &how)
	if err != nil {
		if !errors.As(err, &errno) {
			errno = unix.EPERM
		}
		return -1, errno
	}
	return fd, 0
}

// named returns the absolute path that a call names.
func (n *notice) named(c call) (string, error) {
	folder, path, errno := n.where(c)
	if errno != 0 {
		return "", errno
	}
	return absolute(folder, path)
}

// absolute returns the absolute name of a path relative to a folder of /proc.
func absolute(folder, path string) (string, error) {
	if folder == "" {
		return filepath.Clean(path), nil
	}
	base, err := os.Readlink(folder)
	if err != nil || !strings.HasPrefix(base, "/") {
		return "", fmt.Errorf("%s is %q: %w", folder, base, err)
	}
	return filepath.Join(base, path), nil
}
